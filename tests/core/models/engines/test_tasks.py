"""The compiled steps of networks of several tasks, against autograd and samplers on the same random numbers."""

import math

import pytest
import torch
from torch import Tensor

from core.foundation.randomness import make_generators
from core.models.engines.compiled import TaskEngine, TaskProblem
from core.models.network import MLP, TaskNetwork
from core.models.priors import AveragedNormal, GammaHyperprior, LogNormalNoise
from core.samplers import SGHMC, AdaptiveSGHMC
from tests.core.models.engines.replay import replayed_batch, replayed_noise

PRIOR = LogNormalNoise(-3.0, 0.5)


def make_problem(sizes=(4, 11, 7, 1), features=3, tasks=3, runs=2, points=23, batch_size=6, prior=None):
    """Networks of x and psi with `sizes` inputs of x."""
    generator = torch.Generator().manual_seed(0)
    network = TaskNetwork(MLP((sizes[0] + features, *sizes[1:])), tasks, features)
    problem = TaskProblem(
        network=network,
        X=torch.randn(runs, points, sizes[0], generator=generator),
        y=torch.randn(runs, points, generator=generator),
        chains_per_run=2,
        batch_size=batch_size,
        covered=(prior or AveragedNormal()).covers(network),
        noise_prior=PRIOR,
        task=torch.randint(tasks, (points,), generator=generator),
    )
    theta = torch.randn(problem.chains, network.num_weights + 1, generator=generator) * 0.4
    theta[:, -1] = -2.0
    return problem, theta, torch.rand(problem.chains, generator=generator) + 0.1


def potential_gradient(problem: TaskProblem, theta: Tensor, precision: Tensor, rows: Tensor) -> Tensor:
    """The gradient of the minibatch potential by autograd; `rows` (chains, B) are the batch's points."""
    theta = theta.clone().requires_grad_()
    scale, total = problem.points / rows.shape[1], torch.zeros(())
    for chain, position in enumerate(theta):
        run, chosen = chain // problem.chains_per_run, rows[chain]
        weights, s = position[:-1], position[-1]
        output = problem.network.forward(weights, problem.X[run, chosen], problem.task[chosen])
        error = output - problem.y[run, chosen]
        total = total + 0.5 * problem.points * s + scale * error.square().sum() / (2 * s.exp())
        total = total + 0.5 * precision[chain] * (problem.covered * weights.square()).sum()
        total = total + 0.5 * (s - PRIOR.mean) ** 2 / PRIOR.variance
    return torch.autograd.grad(total, theta)[0]


def replayed_rows(engine: TaskEngine, problem: TaskProblem) -> Tensor:
    """The numbers of the next batch's points, (chains, B), found by their targets, which all differ."""
    _, y = replayed_batch(engine, problem)
    runs = torch.arange(problem.chains) // problem.chains_per_run
    return (y.unsqueeze(-1) == problem.y[runs].unsqueeze(1)).int().argmax(-1)


@pytest.mark.parametrize("sampler", [AdaptiveSGHMC(), SGHMC(2e-3, noise_estimate=3.0)])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"sizes": (8, 50, 50, 50, 1), "features": 5, "tasks": 2},
        {"sizes": (1, 9, 1), "features": 1, "batch_size": 40},
    ],
    ids=["small", "papers", "whole batches"],
)
def test_compiled_steps_equal_those_with_autograds_gradient(given, sampler):
    problem, theta, precision = make_problem(prior=GammaHyperprior(), **given)
    engine = TaskEngine(problem, sampler, sampler.init(theta), make_generators([7, 8]))
    state = sampler.init(theta.clone())
    for step in range(40):
        if step == 25:
            engine.freeze()
            state = sampler.freeze(state)
        gradient = potential_gradient(problem, state.position, precision, replayed_rows(engine, problem))
        state = sampler.step(state, gradient, make_generators([7, 8]), replayed_noise(engine))
        engine.advance(1, precision)
        torch.testing.assert_close(engine.position(), state.position, rtol=3e-4, atol=3e-4)
    moved = (theta - engine.position()).abs()[:, problem.network.perceptron.num_weights : -1]
    assert (moved.flatten(1).amax(1) > 1e-3).all(), "the features of the tasks are sampled"


def test_a_folded_task_is_the_whole_network_at_its_features():
    network = TaskNetwork(MLP((6, 9, 4, 1)), tasks=3, features=2)
    generator = torch.Generator().manual_seed(1)
    theta = torch.randn(7, 2, network.num_weights, generator=generator)
    X, context = torch.randn(2, 5, 2, generator=generator), torch.randn(2, 2, generator=generator)
    beside = torch.cat([X, context.unsqueeze(1).expand(-1, 5, -1)], -1)
    for task in range(3):
        folded = MLP((2, 9, 4, 1)).forward(network.folded(theta, task, context), X)
        whole = network.forward(theta, beside, torch.full((5,), task))
        torch.testing.assert_close(folded, whole, rtol=1e-4, atol=1e-5)


def test_initial_features_are_standard_normal_and_under_the_weights_prior():
    network = TaskNetwork(MLP((12, 5, 1)), tasks=40, features=10)
    weights, features = network.split(network.init(make_generators([1, 2]), 20))
    assert features.shape == (20, 40, 10) and weights.shape[1] == network.perceptron.num_weights
    assert features.mean().abs() < 5 / math.sqrt(features.numel())
    assert features.std().item() == pytest.approx(1, abs=5 / math.sqrt(2 * features.numel()))
    covered = network.weight_mask()
    assert covered.sum() == 12 * 5 + 5 + 400 and (covered[-400:] == 1).all()
