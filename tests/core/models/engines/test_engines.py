"""The compiled engine against the torch engine on the same random numbers; runs do not depend on each other."""

import numpy as np
import pytest
import torch

from core.foundation.randomness import make_generators
from core.models.engines.choice import ReferenceEngine, make_engine
from core.models.engines.compiled import CompiledEngine
from core.models.engines.problem import Problem
from core.models.priors import AveragedNormal, GammaHyperprior
from core.samplers import SGHMC, SGLD, AdaptiveSGHMC
from tests.core.models.engines.problems import make_problem
from tests.core.models.engines.replay import replayed_batch, replayed_noise

SAMPLERS = [
    AdaptiveSGHMC(),
    SGHMC(2e-3, noise_estimate=3.0),
    AdaptiveSGHMC(step_size=0.05, momentum_decay=0.3, raise_friction=True),
    AdaptiveSGHMC(step_size=0.05, noise_correction=False),
]


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("prior", [AveragedNormal(), GammaHyperprior()])
@pytest.mark.parametrize(
    "sizes, batch_size", [((5, 11, 7, 1), 6), ((1, 50, 1), 1), ((13, 8, 1), 40), ((3, 1), 5), ((2, 3, 17, 16, 1), 3)]
)
def test_compiled_steps_equal_the_reference(sizes, batch_size, prior, sampler):
    problem, theta, precision = make_problem(sizes, batch_size=batch_size, prior=prior)
    compiled = CompiledEngine(problem, sampler, sampler.init(theta), make_generators([7, 8]))
    reference = ReferenceEngine(problem, sampler, sampler.init(theta), make_generators([7, 8]))
    reference.precisions[:, :-1] = precision[:, None] * reference.covered
    for step in range(60):
        if step == 40:
            compiled.freeze()
            reference.freeze()
        X, y = replayed_batch(compiled, problem)
        reference.step(X, y, replayed_noise(compiled))
        compiled.advance(1, precision)
        torch.testing.assert_close(compiled.position(), reference.position(), rtol=2e-4, atol=2e-4)
    velocity = compiled.unpack(compiled.chains.velocity)
    torch.testing.assert_close(velocity, reference.state().velocity, rtol=1e-3, atol=1e-4)
    assert (theta - compiled.position()).abs().max() > 1e-3


def test_compiled_steps_with_a_sigmoid_and_weights_equal_the_reference():
    problem, theta, precision = make_problem(mean="sigmoid", weight=0.2)
    sampler = AdaptiveSGHMC()
    compiled = CompiledEngine(problem, sampler, sampler.init(theta), make_generators([7, 8]))
    reference = ReferenceEngine(problem, sampler, sampler.init(theta), make_generators([7, 8]))
    reference.precisions[:, :-1] = precision[:, None] * reference.covered
    for _ in range(20):
        reference.step(*replayed_batch(compiled, problem), replayed_noise(compiled))
        compiled.advance(1, precision)
        torch.testing.assert_close(compiled.position(), reference.position(), rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("mean", ["linear", "sigmoid"])
def test_the_gradient_is_that_of_the_weighted_potential(mean):
    """By autograd, of U as the module states it, on a batch of all points."""
    problem, theta, precision = make_problem(points=6, batch_size=6, mean=mean, weight=0.25)
    engine = ReferenceEngine(problem, SGLD(1e-4), SGLD(1e-4).init(theta), make_generators([7, 8]))
    engine.precisions[:, :-1] = precision[:, None] * engine.covered
    found = engine.potential_gradient(*engine.next_batch()).double()
    theta = theta.double().requires_grad_()
    weights, s, runs = theta[:, :-1], theta[:, -1:], torch.arange(problem.chains) // problem.chains_per_run
    f = problem.network.forward(weights, problem.X[runs].double())
    f = f.sigmoid() if mean == "sigmoid" else f
    likelihood = 0.25 * ((f - problem.y[runs]).square() / (2 * s.exp()) + s / 2).sum()
    prior = (precision[:, None] * problem.covered * weights.square() / 2).sum() + ((s + 3).square() / (2 * 0.5)).sum()
    (expected,) = torch.autograd.grad(likelihood + prior, theta)
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3)


def test_compiled_runs_do_not_depend_on_their_neighbours():
    problem, theta, precision = make_problem(runs=3, chains_per_run=2)
    together = CompiledEngine(problem, AdaptiveSGHMC(), AdaptiveSGHMC().init(theta), make_generators([1, 2, 3]))
    alone = CompiledEngine(
        Problem(**{**vars(problem), "X": problem.X[1:2], "y": problem.y[1:2]}),
        AdaptiveSGHMC(),
        AdaptiveSGHMC().init(theta[2:4]),
        make_generators([2]),
    )
    for steps in (1, 7, 12):
        together.advance(steps, precision)
        alone.advance(steps, precision[2:4])
    assert torch.equal(together.position()[2:4], alone.position())
    assert not torch.equal(together.position()[0], together.position()[1])


def test_compiled_block_lengths_do_not_matter():
    problem, theta, precision = make_problem()
    ends = []
    for blocks in ((20,), (1, 4, 15)):
        engine = CompiledEngine(problem, SGHMC(1e-3), SGHMC(1e-3).init(theta), make_generators([1, 2]))
        for steps in blocks:
            engine.advance(steps, precision)
        ends.append(engine.position())
    assert torch.equal(*ends)


def test_a_diverging_chain_touches_no_other():
    problem, theta, precision = make_problem(runs=3, chains_per_run=1)
    wild = theta.clone()
    wild[1] = 1e30
    ends = []
    for start in (theta, wild):
        engine = CompiledEngine(problem, AdaptiveSGHMC(), AdaptiveSGHMC().init(start), make_generators([1, 2, 3]))
        engine.advance(20, precision)
        ends.append(engine.position())
    assert torch.equal(ends[0][[0, 2]], ends[1][[0, 2]])
    assert not torch.isfinite(ends[1][1]).all()


def test_padding_stays_zero():
    problem, theta, precision = make_problem()
    engine = CompiledEngine(problem, AdaptiveSGHMC(), AdaptiveSGHMC().init(theta), make_generators([1, 2]))
    for _ in range(2):
        engine.advance(10, precision)
        engine.freeze()
        padding = np.setdiff1d(np.arange(engine.layout.size), engine.places.numpy())
        assert len(padding) > 0
        assert not engine.chains.position.reshape(len(theta), -1)[:, padding].any()
        assert not engine.chains.velocity.reshape(len(theta), -1)[:, padding].any()


def test_make_engine_chooses_what_can_run():
    problem, theta, _ = make_problem()
    generators, adaptive, langevin = make_generators([1, 2]), AdaptiveSGHMC(), SGLD(1e-4)
    single, double, other = adaptive.init(theta), adaptive.init(theta.double()), langevin.init(theta)
    assert isinstance(make_engine("auto", problem, adaptive, single, generators), CompiledEngine)
    assert isinstance(make_engine("auto", problem, langevin, other, generators), ReferenceEngine)
    assert isinstance(make_engine("auto", problem, adaptive, double, generators), ReferenceEngine)
    assert isinstance(make_engine("torch", problem, adaptive, single, generators), ReferenceEngine)
    with pytest.raises(ValueError, match="'compiled' does not cover the sampler SGLD"):
        make_engine("compiled", problem, langevin, other, generators)
    with pytest.raises(ValueError, match="got 'fast'"):
        make_engine("fast", problem, adaptive, single, generators)


@pytest.mark.parametrize("sampler", [AdaptiveSGHMC(), SGHMC(1e-3)])
@pytest.mark.parametrize("engine", [CompiledEngine, ReferenceEngine])
def test_engines_continue_from_a_state(engine, sampler):
    """All tensors of the state are taken over: with the same random numbers, both engines go on alike."""
    problem, theta, precision = make_problem(points=6, batch_size=6)
    first = CompiledEngine(problem, sampler, sampler.init(theta), make_generators([1, 2]))
    first.advance(30, precision)
    state = type(first.state())(*(v.clone() if torch.is_tensor(v) else v for v in first.state()))
    compiled = CompiledEngine(problem, sampler, state, make_generators([3, 4]))
    again = engine(problem, sampler, state, make_generators([5, 6]))
    assert all(torch.equal(a, b) for a, b in zip(again.state(), state) if torch.is_tensor(a))
    if engine is ReferenceEngine:
        noise = replayed_noise(compiled)
        again.precisions[:, :-1] = precision[:, None] * again.covered
        again.step(*replayed_batch(compiled, problem), noise)
        compiled.advance(1, precision)
        torch.testing.assert_close(compiled.position(), again.position(), rtol=1e-4, atol=1e-5)


def test_an_epoch_visits_every_point_at_most_once():
    problem, theta, precision = make_problem(points=23, batch_size=6)
    engine = CompiledEngine(problem, AdaptiveSGHMC(), AdaptiveSGHMC().init(theta), make_generators([1, 2]))
    for _ in range(5):
        seen = []
        for _ in range(23 // 6):
            seen.append(replayed_batch(engine, problem)[1])
            engine.advance(1, precision)
        seen = torch.cat(seen, 1)
        assert all(len(set(row.tolist())) == 18 for row in seen)
    assert not np.array_equal(engine.chains.order[0], engine.chains.order[1])
