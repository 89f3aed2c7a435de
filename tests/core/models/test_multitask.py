"""Models that learn from earlier tasks: GP with coregionalisation and multi-task BOHAMIANN."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from core.acquisition.analytic import LogExpectedImprovement
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork
from core.models.kernels import tasks
from core.models.multitask_bohamiann import MultiTaskNetwork
from core.models.multitask_gp import MultiTaskGP
from core.models.priors import LogNormalNoise
from core.models.tasks import Task

GENERATORS = [3, 4]  # seeds of two runs


def wave(X: Tensor) -> Tensor:
    return (5 * X[..., 0]).sin() + X[..., 1]


def points(n: int, seed: int, runs: int = 2) -> Tensor:
    return torch.rand(runs, n, 2, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def task(n: int = 40, scale: float = 1.0, shift: float = 0.0, context: Tensor | None = None) -> Task:
    X = points(n, 1)
    return Task(X, scale * wave(X) + shift, context)


def network(earlier: list[Task], **settings) -> MultiTaskNetwork:
    chain = {"burn_in": 1000, "steps": 3000, "thinning": 50, "noise_prior": LogNormalNoise(math.log(1e-3), 0.1)}
    return MultiTaskNetwork(earlier, widths=(30, 30), **{**chain, **settings})


def process(earlier: list[Task], **settings) -> MultiTaskGP:
    return MultiTaskGP(earlier, chains=4, **settings)


MODELS = [process, network]


def rmse(model, n: int = 200) -> Tensor:
    X = points(n, 9)
    return (model.moments(X)[0] - wave(X)).square().mean(-1).sqrt()


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("scaling", ["joint", "task"])
def test_a_task_equal_to_an_earlier_one_is_learnt_from_few_observations(make, scaling):
    """Over eight sets of four points: one set may lie so well that a network learns the task from it alone."""
    runs = 8
    X, earlier = points(4, 2, runs), points(40, 1, runs)
    scale, shift = {"joint": (1, 0), "task": (3, 50)}[scaling]  # by task, scale and location need not be shared
    own = scale * wave(X) + shift
    grid = points(200, 9, runs)
    truth = scale * wave(grid) + shift

    def error(model) -> Tensor:
        fitted = model.fit(X, own, make_generators(list(range(runs))))
        return (fitted.moments(grid)[0] - truth).square().mean(-1).sqrt() / truth.std(-1)

    found = error(make([Task(earlier, wave(earlier))], scaling=scaling))
    alone = error(BayesianNetwork(widths=(30, 30), burn_in=1000, steps=3000))
    assert (found < 0.25).all() or make is network  # 1 is the error of a constant
    assert found.mean() < 0.7 and found.mean() < 0.7 * alone.mean()


def matern(left: Tensor, right: Tensor) -> Tensor:
    r = 5**0.5 * torch.cdist(left, right)
    return (1 + r + r.square() / 3) * (-r).exp()


def test_predictions_are_those_of_the_kernel_of_all_tasks():
    """Against the formulas with the dense covariance B_tt' k(x, x') of each member's hyperparameters."""
    earlier = [task(7), task(5, scale=-2.0)]
    X, y, new = points(6, 2), wave(points(6, 2)), points(9, 3)
    model = process(earlier).fit(X, y, make_generators(GENERATORS))
    stacked = torch.cat([X, earlier[0].X, earlier[1].X], 1)
    number = torch.tensor([0] * 6 + [1] * 7 + [2] * 5)
    targets = torch.cat([y, earlier[0].y, earlier[1].y], 1)
    mean, variance = model.predict(new)
    for member in range(model.members):
        for run in range(2):
            theta = model.process.theta[member, run]
            factor = tasks(3).factor(theta[4:])
            B = theta[2].exp() * factor @ factor.T
            scale = targets[run].std(correction=0)
            standard = (targets[run] - targets[run].mean()) / scale

            noise, lengths = theta[3].exp(), theta[:2].exp()
            C = B[number][:, number] * matern(stacked[run] / lengths, stacked[run] / lengths) + noise * torch.eye(18)
            cross = B[0, number] * matern(new[run] / lengths, stacked[run] / lengths)
            expected = cross @ torch.linalg.solve(C, standard)
            spread = B[0, 0] + noise - (cross * torch.linalg.solve(C, cross.T).T).sum(-1)
            torch.testing.assert_close(mean[member, run], expected * scale + targets[run].mean(), rtol=1e-5, atol=1e-6)
            torch.testing.assert_close(variance[member, run], spread * scale**2, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("make", MODELS)
def test_runs_do_not_depend_on_their_neighbours(make):
    X, earlier = points(5, 2), task(12)
    together = make([earlier]).fit(X, wave(X), make_generators(GENERATORS))
    alone = make([Task(earlier.X[1:], earlier.y[1:])]).fit(X[1:], wave(X[1:]), make_generators(GENERATORS[1:]))
    new = points(6, 5)
    for whole, single in zip(together.moments(new), alone.moments(new[1:]), strict=True):
        torch.testing.assert_close(whole[1], single[0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("make", MODELS)
def test_acquisition_functions_have_gradients(make):
    X = points(5, 2)
    model = make([task(10)]).fit(X, wave(X), make_generators(GENERATORS))
    new = points(3, 6).requires_grad_()
    LogExpectedImprovement(model.moments, wave(X).amin(-1))(new).sum().backward()
    assert torch.isfinite(new.grad).all() and (new.grad != 0).any()


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("scaling", ["joint", "task"])
def test_one_observation_and_constant_ones_are_enough(make, scaling):
    for X, y in ((points(1, 2), torch.zeros(2, 1)), (points(4, 2), torch.ones(2, 4))):
        model = make([task(6)], scaling=scaling).fit(X, y, make_generators(GENERATORS))
        assert all(torch.isfinite(values).all() for values in model.moments(points(5, 3)))
    constant = Task(points(1, 4), torch.full((2, 1), 7.0))
    model = make([constant], scaling=scaling).fit(points(3, 2), wave(points(3, 2)), make_generators(GENERATORS))
    assert all(torch.isfinite(values).all() for values in model.moments(points(5, 3)))


@pytest.mark.parametrize("make", MODELS)
def test_tasks_of_other_spaces_or_without_finite_values_are_refused(make):
    X, y = points(3, 2), wave(points(3, 2))
    other = Task(torch.rand(1, 4, 3), torch.rand(1, 4), name="other")
    with pytest.raises(ValueError, match="other: has 3 hyperparameters; allowed: 2"):
        make([other]).fit(X, y, make_generators(GENERATORS))
    with pytest.raises(ValueError, match="expected finite values"):
        make([task(4)]).fit(X, y * math.nan, make_generators(GENERATORS))
    with pytest.raises(UserError, match="unknown scaling of tasks 'none'"):
        make([task(4)], scaling="none")


def test_scales_that_differ_drown_the_smaller_task_unless_each_has_its_own():
    """The thesis' reason for the one set on which warm starting did not help."""
    X, earlier = points(6, 2), [task(30, scale=1e4, shift=1e5)]
    joint, own = (process(earlier, scaling=scaling) for scaling in ("joint", "task"))
    errors = [rmse(model.fit(X, wave(X), make_generators(GENERATORS))) for model in (joint, own)]
    assert (errors[1] < errors[0]).all()


def test_features_of_the_data_sets_tell_which_earlier_task_is_alike():
    X, low, high = points(1, 2), torch.tensor([0.0]), torch.tensor([1.0])
    errors = []
    for own, other in ((low, high), (None, None)):
        earlier = [task(20, context=own), task(20, shift=2.0, context=other), task(20, shift=2.1, context=other)]
        errors.append(rmse(network(earlier, context=own).fit(X, wave(X), make_generators(GENERATORS))))
    assert (errors[0] < errors[1]).all()
    with pytest.raises(ValueError, match="has 1 context features; allowed: None"):
        network([task(20, context=low)]).fit(X, wave(X), make_generators(GENERATORS))


def test_a_chain_of_the_hyperparameters_continues():
    X = points(6, 2)
    model = MultiTaskGP([task(8)], chains=3, warm_burn_in=1).fit(X, wave(X), make_generators(GENERATORS))
    before, state = model.process.theta, model.chain_state()
    warm, cold = (model.fit(X, wave(X), make_generators([5, 6]), chains).process.theta for chains in (state, None))
    assert (warm - before).abs().mean() < (cold - before).abs().mean()
    own = MultiTaskGP([task(8).of_runs([1])], chains=3, warm_burn_in=1)
    alone = own.fit(X[1:], wave(X[1:]), make_generators([6]), {"theta": state["theta"][1:]}).process.theta
    torch.testing.assert_close(alone[:, 0], warm[:, 1])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"activation": "relu"}, "activation"),
        ({"engine": "torch"}, "engine"),
        ({"warm_burn_in": 10}, "warm_burn_in"),
        ({"features": 0}, "MultiTaskNetwork.features"),
    ],
)
def test_what_the_network_cannot_do(settings, message):
    with pytest.raises(ValueError, match=message):
        network([task(3)], **settings)
    with pytest.raises(ValueError, match="at least one hidden layer"):
        MultiTaskNetwork([task(3)], widths=())


def test_the_network_s_chains_do_not_continue():
    with pytest.raises(UserError, match=r"MultiTaskNetwork\.chain_state: call fit first"):
        network([task(3)]).chain_state()
    model = network([task(3)], burn_in=1, steps=2, thinning=1)
    model.fit(points(3, 2), wave(points(3, 2)), make_generators(GENERATORS))
    with pytest.raises(UserError, match=r"MultiTaskNetwork\.chain_state: the chains of this model do not continue"):
        model.chain_state()


def test_a_process_needs_an_earlier_task():
    with pytest.raises(UserError, match="count is 1"):
        MultiTaskGP([])
