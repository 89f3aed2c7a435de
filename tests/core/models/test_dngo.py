"""The prior mean against Eq. 9 as printed, predictions against a regression done by hand, and what the model learns."""

import math

import pytest
import torch
from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement
from botorch.optim import optimize_acqf

from core.foundation.randomness import make_generators
from core.models import hyperpriors
from core.models.dngo import DNGO, priors, quadratic, residual_coefficients

QUICK = {"widths": (10, 10), "epochs": 60, "chains": 3, "burn_in": 2}


def data(n=20, runs=2, d=2):
    X = torch.rand(runs, n, d, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return X, (6 * X[..., 0]).sin() + X[..., -1]


def test_prior_mean_is_equation_9():
    g = torch.Generator().manual_seed(0)
    theta = torch.randn(4, 2, 9, generator=g, dtype=torch.float64)
    X = torch.rand(5, 2, 6, 3, generator=g, dtype=torch.float64)
    y = torch.randn(2, 6, generator=g, dtype=torch.float64)
    coefficients = residual_coefficients(theta, 3)
    ours = quadratic(X, coefficients)
    assert ours.shape == (4, 5, 2, 6)
    offset, curvature, centre = theta[..., 2], theta[..., 3:6].exp(), theta[..., 6:]
    for i in range(4):
        for r in range(2):
            away = X[:, r] - centre[i, r]
            expected = offset[i, r] + ((away @ torch.diag(curvature[i, r])) * away).sum(-1)
            torch.testing.assert_close(ours[i, :, r], expected)
    columns = torch.cat([y.unsqueeze(-1), torch.ones(2, 6, 1), X[0], X[0].square()], -1)
    made = (columns @ coefficients.unsqueeze(-1)).squeeze(-1)
    torch.testing.assert_close(made, y - ours[:, 0])


def test_prior_is_proper_where_the_paper_says():
    theta = torch.tensor([0.0, -3, 0, -2, 0.5], dtype=torch.float64)
    at_centre = hyperpriors.log_density(theta, priors(1))
    for moved in (0.2, 0.8):
        away = theta.clone()
        away[4] = moved
        expected = -0.5 * ((moved - 0.5) / 0.25) ** 2
        assert (hyperpriors.log_density(away, priors(1)) - at_centre).item() == pytest.approx(expected)
    theta[3] = 11.0
    assert hyperpriors.log_density(theta, priors(1)) == -math.inf


def test_predictions_are_equations_4_to_7():
    X, y = data()
    model = DNGO(**QUICK).fit(X, y, make_generators([0, 1]))
    at = torch.rand(4, 2, 3, 2, dtype=torch.float64)
    mean, variance = model.predict(at)
    standard = model.targets.transform(y)
    for r in range(2):
        scale, shift = model.targets.scale[r], model.targets.mean[r]
        Phi = model._features(X)[r]
        for i in range(model.members):
            theta = model.hyperparameters[i, r]
            alpha, beta = theta[0].exp(), (-theta[1]).exp()
            eta = quadratic(X, model.coefficients)[i, r]
            K = beta * Phi.T @ Phi + alpha * torch.eye(10, dtype=torch.float64)
            m = beta * torch.linalg.solve(K, Phi.T @ (standard[r] - eta))
            phi = model._features(at)[:, r]
            expected = phi @ m + quadratic(at, model.coefficients)[i, :, r]
            torch.testing.assert_close(mean[i, :, r], expected * scale + shift, rtol=1e-5, atol=1e-7)
            spread = (phi * torch.linalg.solve(K, phi.mT).mT).sum(-1) + 1 / beta
            torch.testing.assert_close(variance[i, :, r], spread * scale**2, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("activation", ["tanh", "relu", "relu+tanh"])
def test_it_learns_a_function_at_every_scale(activation):
    X, y = data(n=60)
    at = torch.rand(2, 50, 2, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    truth = (6 * at[..., 0]).sin() + at[..., -1]
    for scale in (1e-12, 1e12):
        model = DNGO(widths=(20, 20), activation=activation, epochs=200, chains=3, burn_in=5)
        mean, variance = model.fit(X, scale * y, make_generators([0, 1])).moments(at)
        assert ((mean / scale - truth).square().mean(-1).sqrt() < 0.3 * truth.std(-1)).all()
        assert (variance > 0).all()


def test_function_draws_have_the_model_s_moments():
    X, y = data()
    model = DNGO(**QUICK).fit(X, y, make_generators([0, 1]))
    at = torch.rand(3, 2, 2, 2, dtype=torch.float64)
    functions = model.sample_functions(20_000, make_generators([3, 4]))
    values = functions(at)
    assert values.shape == (20_000, 3, 2, 2) and torch.equal(values, functions(at))
    mean, variance = model.moments(at)
    latent = variance - (model.noise() * model.targets.scale.T.square()).mean(0).view(2, 1)
    assert ((values.mean(0) - mean).abs() < 5 * (variance / 20_000).sqrt()).all()
    torch.testing.assert_close(values.var(0), latent, rtol=0.15, atol=0)


def test_a_run_does_not_depend_on_the_others():
    X, y = data()
    both = DNGO(**QUICK).fit(X, y, make_generators([0, 1]))
    alone = DNGO(**QUICK).fit(X[1], y[1], make_generators([1]))
    torch.testing.assert_close(both._features(X)[1], alone._features(X[1:])[0], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    "X, y",
    [
        (torch.full((1, 3), 0.3), torch.tensor([2.0])),
        (torch.full((6, 3), 0.3), torch.arange(6.0)),
        (torch.rand(6, 3), torch.full((6,), 2.0)),
        (torch.rand(6, 50), torch.rand(6)),  # 50 dimensions
    ],
)
def test_odd_data(X, y):
    mean, variance = DNGO(**QUICK).fit(X, y, make_generators([0])).moments(X)
    assert torch.isfinite(mean).all() and (variance > 0).all() and torch.isfinite(variance).all()
    assert ((mean - y).abs() < 5).all()


def test_botorch_optimizes_its_acquisitions():
    X, y = data(runs=1)
    model = DNGO(**QUICK).fit(X, y, make_generators([0]))
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
    for acquisition, q in ((LogExpectedImprovement(model, y.max()), 1), (qLogExpectedImprovement(model, y.max()), 2)):
        candidate, value = optimize_acqf(acquisition, bounds, q=q, num_restarts=2, raw_samples=8)
        assert candidate.shape == (q, 2) and torch.isfinite(value).all()


def test_a_diverging_network_is_one_error():
    X, y = data()
    with pytest.raises(ValueError, match=r"DNGO: the network diverged in training with learning_rate 1e\+30"):
        DNGO(widths=(10,), activation="relu", learning_rate=1e30, epochs=50).fit(X, y, make_generators([0, 1]))


@pytest.mark.parametrize(("updates", "n", "epochs"), [(100, 20, 100), (100, 33, 50), (100, 100, 25), (1, 100, 1)])
def test_updates_are_whole_passes(updates, n, epochs):
    X, y = data(n)
    model = DNGO(updates=updates, chains=1, burn_in=1).fit(X, y, make_generators(range(2)))
    assert model.representation.epochs == epochs
