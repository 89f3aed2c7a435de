"""The mixture's moments, the BoTorch posterior's shapes, and the checks of training data."""

import pytest
import torch
from botorch.exceptions.errors import UnsupportedError
from botorch.posteriors.ensemble import EnsemblePosterior

from core.foundation.errors import UserError
from core.models.ensemble import EnsembleModel, training_data


class Lines(EnsembleModel):
    """Members a x with noise variances b, for each run."""

    def __init__(self, slopes, noise):  # (samples, runs)
        super().__init__()
        self.slopes, self.noise = slopes.double(), noise.double()
        self.runs, self.dimension = slopes.shape[1], 2

    def predict(self, X):
        X = self.expand_runs(X).double()
        shape = (len(self.slopes), *(1 for _ in X.shape[:-3]), self.runs, 1)
        return self.slopes.view(shape) * X.sum(-1), self.noise.view(shape)


def lines(samples, runs):
    return Lines(torch.arange(1.0, samples * runs + 1).view(samples, runs), torch.rand(samples, runs) + 0.1)


def test_moments_are_those_of_the_mixture():
    model, X = lines(5, 3), torch.rand(2, 3, 4, 2)
    mean, variance = model.moments(X)
    assert mean.shape == variance.shape == (2, 3, 4)
    members, noise = model.predict(X)
    torch.testing.assert_close(mean, members.mean(0))
    second = (members.square() + noise).mean(0)
    torch.testing.assert_close(variance, second - mean.square())


def test_posterior_of_one_run_has_no_batch_shape():
    model, X = lines(5, 1), torch.rand(7, 4, 2)
    posterior = model.posterior(X)
    assert model.batch_shape == torch.Size([]) and model.num_outputs == 1
    assert posterior.values.shape == (7, 5, 4, 1)
    torch.testing.assert_close(posterior.mean.squeeze(-1), model.moments(X.unsqueeze(1))[0].squeeze(1))
    assert model.posterior(X[0]).values.shape == (5, 4, 1)


def test_posterior_of_several_runs_has_a_batch_axis():
    model, X = lines(5, 3), torch.rand(7, 3, 4, 2)
    assert model.batch_shape == torch.Size([3])
    posterior = model.posterior(X)
    assert posterior.values.shape == (7, 3, 5, 4, 1)
    torch.testing.assert_close(posterior.mean.squeeze(-1), model.moments(X)[0])
    assert model.posterior(torch.rand(7, 1, 4, 2)).values.shape == (7, 3, 5, 4, 1)
    assert model.posterior(torch.rand(4, 2)).values.shape == (3, 5, 4, 1)


def test_posterior_transform_is_applied():
    def double(posterior, X):
        return EnsemblePosterior(2 * posterior.values + X.sum())

    model, X = lines(5, 1), torch.rand(4, 2)
    doubled = model.posterior(X, posterior_transform=double)
    torch.testing.assert_close(doubled.mean, 2 * model.posterior(X).mean + X.sum())


def test_posterior_refuses_what_it_cannot_do():
    model, X = lines(5, 1), torch.rand(4, 2)
    with pytest.raises(UnsupportedError, match="observation_noise"):
        model.posterior(X, observation_noise=True)
    with pytest.raises(UnsupportedError, match="output_indices"):
        model.posterior(X, output_indices=[1])


def test_inputs_are_checked():
    model = lines(5, 3)
    with pytest.raises(ValueError, match=r"X has shape \(4, 5\), expected \(\.\.\., 3, q, 2\)"):
        model.predict(torch.rand(4, 5))
    with pytest.raises(ValueError, match="X has 2 runs"):
        model.predict(torch.rand(2, 4, 2))
    model.runs = 0
    with pytest.raises(UserError, match="call fit"):
        model.predict(torch.rand(4, 2))


def test_training_data_gets_a_runs_axis():
    X, y = training_data(torch.rand(4, 2), torch.rand(4))
    assert X.shape == (1, 4, 2) and y.shape == (1, 4) and X.dtype == y.dtype == torch.float64
    X, y = training_data(torch.rand(3, 4, 2).numpy(), torch.rand(3, 4).numpy())
    assert X.shape == (3, 4, 2) and y.shape == (3, 4)


@pytest.mark.parametrize(
    "x_shape, y_shape", [((4, 2), (3,)), ((4,), (4,)), ((3, 4, 2), (4,)), ((0, 2), (0,)), ((4, 0), (4,))]
)
def test_training_data_of_wrong_shapes(x_shape, y_shape):
    with pytest.raises(ValueError, match="training data: X has shape"):
        training_data(torch.zeros(x_shape), torch.zeros(y_shape))


def test_training_data_that_are_not_finite():
    X, y = torch.rand(2, 4, 3), torch.rand(2, 4)
    y[1, 2] = torch.inf
    with pytest.raises(ValueError, match=r"y\[1, 2\] is inf"):
        training_data(X, y)
    X[0, 1, 2] = torch.nan
    with pytest.raises(ValueError, match=r"X\[0, 1, 2\] is nan"):
        training_data(X, y)
