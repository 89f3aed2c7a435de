"""Entropy search on Gaussian processes, ours and BoTorch's: where it must vanish, its shapes and gradients."""

import pytest
import torch
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf

from core.acquisition.entropy_search import BotorchEntropySearch, EntropySearch
from core.foundation.randomness import make_generators, uniform_
from core.models.gaussian_process import GaussianProcess, MarginalisedGP

REPRESENTERS = 12


def points(runs, q, seed=7):
    return uniform_(torch.empty(runs, q, 2).double(), make_generators(range(seed, seed + runs)))


def fitted(runs=2, chains=3):
    X = points(runs, 12, seed=0)
    y = (X - 0.3).square().sum(-1)
    model = MarginalisedGP(chains=chains) if chains else GaussianProcess()
    return model.fit(X, y, make_generators(range(runs))), X, y


def search(model, y, candidates=200, **changes):
    generators = make_generators(range(100, 100 + model.runs))
    candidates = points(model.runs, candidates, seed=200)
    return EntropySearch(model, y, candidates, generators, **{"representers": REPRESENTERS} | changes)


def test_what_is_known_tells_nothing():
    model, X, y = fitted(chains=0)
    acquisition = search(model, y)
    assert model.noise().max() < 1e-2
    at_observations, elsewhere = acquisition(X), acquisition(points(2, 100))
    assert (at_observations.amax(-1) < 0.2 * elsewhere.amax(-1)).all()
    assert elsewhere.min() > -1e-3


def test_values_have_the_shape_of_the_points_and_runs_are_independent():
    model, _, y = fitted()
    acquisition, X = search(model, y), points(2, 5)
    values = acquisition(X)
    assert values.shape == (2, 5) and acquisition.points.shape == (2, REPRESENTERS, 2)
    assert acquisition.gain.log_probability.shape == (3, 2, REPRESENTERS)
    several = acquisition(torch.stack([X, X.flip(-2), X]))
    torch.testing.assert_close(several[0], values)
    torch.testing.assert_close(several[1], values.flip(-1))


def test_gradients_are_finite_differences():
    model, _, y = fitted(runs=1)
    acquisition = search(model, y)
    assert torch.autograd.gradcheck(acquisition, points(1, 3).requires_grad_())


def test_covariances_between_points_are_those_of_the_joint_posterior():
    model, _, _ = fitted()
    X, others = points(2, 4), points(2, 3, seed=20)
    _, joint = model.joint(torch.cat([X, others], -2))
    torch.testing.assert_close(model.covariance_between(X, others), joint[..., :4, 4:])


def single_task(sign):
    X = points(1, 12, seed=0)[0]
    y = sign * (X - 0.3).square().sum(-1, keepdim=True)
    return SingleTaskGP(X, y, train_Yvar=torch.full_like(y, 1e-6)), X, y


def test_on_a_botorch_model_maximization_and_minimization_mirror_each_other():
    found = []
    for sign, maximize in ((-1, True), (1, False)):
        model, X, y = single_task(sign)
        best = y.max() if maximize else y.min()
        acquisition = BotorchEntropySearch(
            model, best, points(1, 100)[0], make_generators([1])[0], representers=REPRESENTERS, maximize=maximize
        )
        found.append(acquisition(points(1, 6, seed=30)[0].unsqueeze(-2)))
        assert (acquisition(X.unsqueeze(-2)) < 0.1 * found[-1].max()).all()
    torch.testing.assert_close(*found, rtol=1e-3, atol=1e-6)


def test_botorch_optimizes_it():
    model, _, y = single_task(-1)
    acquisition = BotorchEntropySearch(
        model, y.max(), points(1, 100)[0], make_generators([1])[0], representers=REPRESENTERS
    )
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]]).double()
    X, value = optimize_acqf(acquisition, bounds, q=1, num_restarts=5, raw_samples=128)
    assert value >= acquisition(points(1, 50)[0].unsqueeze(-2)).max() - 1e-3
    assert ((X >= 0) & (X <= 1)).all()


@pytest.mark.parametrize("changes", [{"representers": 1}, {"representers": 201}, {"outcomes": 1}])
def test_what_cannot_be_searched_is_refused(changes):
    model, _, y = fitted(runs=1, chains=1)
    with pytest.raises(ValueError, match=r"representers must be 2 to 200|outcomes must be at least 2"):
        search(model, y, **changes)
