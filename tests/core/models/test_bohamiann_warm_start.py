"""Chains that continue: functions stay the same in new units, the posterior is that of chains that burnt in anew."""

import math

import pytest
import torch

from core.data.preparation import Standardizer
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork
from core.models.chains import ChainState
from core.models.engines.choice import make_engine
from core.models.network import MLP
from core.models.priors import FixedNormal, GammaHyperprior, LogNormalNoise
from core.samplers import SGHMC, SGLD, AdaptiveSGHMC

ENGINES = ["compiled", "torch"]


def small(**settings):
    defaults = {"widths": (8,), "burn_in": 100, "steps": 400, "thinning": 50, "batch_size": 10, "warm_burn_in": 20}
    return BayesianNetwork(**{**defaults, **settings})


def waves(runs=1, n=30, d=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    X = torch.rand(runs, n, d, generator=generator, dtype=torch.float64)
    noise = 0.05 * torch.randn(runs, n, generator=generator, dtype=torch.float64)
    return X, torch.sin(4 * X[..., 0]) + X.sum(-1) + noise


def two_units(runs, d):
    """Standardizers of inputs and targets of two fits, wide apart."""
    generator = torch.Generator().manual_seed(3)

    def random(*shape):
        mean = torch.randn(shape, generator=generator, dtype=torch.float64)
        return Standardizer(mean, torch.rand(shape, generator=generator, dtype=torch.float64) + 0.3)

    return [(random(runs, 1, d), random(runs, 1)) for _ in range(2)]


def moved_state(network, runs, chains_per_run, seed=1):
    """A state in old units, and the same in new ones, in double precision."""
    (old, new), chains = two_units(runs, network.sizes[0]), runs * chains_per_run
    generator = torch.Generator().manual_seed(seed)
    start = torch.randn(chains, network.num_weights + 1, generator=generator, dtype=torch.float64)
    state = AdaptiveSGHMC().init(start)
    state.velocity.normal_(generator=generator)
    state.smoothed_gradient.normal_(generator=generator)
    state.second_moment.copy_(state.smoothed_gradient.square() + 0.5)
    fresh = AdaptiveSGHMC().init(torch.zeros_like(start))
    return state, ChainState.of(state, *old).continued(fresh, network, *new), old, new


def in_original_units(network, theta, X, units, chains_per_run):
    """h of chains (R k, P + 1) at X (R, M, d), in the units of the targets."""
    inputs, targets = (
        Standardizer(s.mean.repeat_interleave(chains_per_run, 0), s.scale.repeat_interleave(chains_per_run, 0))
        for s in units
    )
    outputs = network.forward(theta[:, :-1], inputs.transform(X.repeat_interleave(chains_per_run, 0)))
    return targets.inverse(outputs)


@pytest.mark.parametrize("sizes", [(3, 1), (3, 5, 1), (2, 4, 6, 1)])
def test_functions_stay_the_same_in_original_units(sizes):
    network = MLP(sizes)
    state, moved, old, new = moved_state(network, runs=2, chains_per_run=3)
    X = torch.randn(2, 7, sizes[0], dtype=torch.float64)
    before = in_original_units(network, state.position, X, old, 3)
    after = in_original_units(network, moved.position, X, new, 3)
    torch.testing.assert_close(after, before, rtol=1e-10, atol=1e-10)
    further = in_original_units(network, state.position + 0.3 * state.velocity, X, old, 3)
    moved_further = in_original_units(network, moved.position + 0.3 * moved.velocity, X, new, 3)
    torch.testing.assert_close(moved_further, further, rtol=1e-10, atol=1e-10)
    assert torch.equal(moved.position[:, -1], state.position[:, -1])


@pytest.mark.parametrize("sizes", [(3, 1), (2, 4, 6, 1)])
def test_gradients_follow_the_chain_rule(sizes):
    """g' is the gradient in new parameters of what has gradient g in old ones; V' bounds its mean square."""
    network = MLP(sizes)
    state, moved, old, new = moved_state(network, runs=2, chains_per_run=1)
    fresh = AdaptiveSGHMC().init(state.position)
    position = state.position.clone().requires_grad_()

    def to_new(theta):
        return ChainState({"position": theta}, *old).continued(fresh, network, *new).position

    jacobian = torch.autograd.functional.jacobian(to_new, position)
    for chain in range(2):
        A = jacobian[chain, :, chain]
        expected = torch.linalg.solve(A.T, state.smoothed_gradient[chain])
        torch.testing.assert_close(moved.smoothed_gradient[chain], expected)
        bound = torch.linalg.inv(A).T.abs() @ state.second_moment[chain].sqrt()
        torch.testing.assert_close(moved.second_moment[chain], bound.square())
    assert (moved.smoothed_gradient.square() <= moved.second_moment).all()
    assert torch.equal(moved.window, state.window) and moved.adapting


@pytest.mark.parametrize("engine", ENGINES)
def test_a_fit_continues_where_the_last_one_stopped(engine):
    X, y = waves(runs=2, n=31)
    model = small(engine=engine, chains=2, burn_in=500, steps=800).fit(X[:, :30], y[:, :30], make_generators([0, 1]))
    before = model.predict(X)[0][-2:]
    model.warm_burn_in, model.thinning, model.steps = 0, 1, model.burn_in + 1
    after = model.fit(X, y, make_generators([2, 3]), model.chain_state()).predict(X)[0]
    elsewhere = small(engine=engine, chains=2).fit(X, y, make_generators([4, 5])).predict(X)[0][-2:]
    assert (after - before).square().mean() < 0.1 * (elsewhere - before).square().mean()


@pytest.mark.parametrize("engine", ["compiled", pytest.param("torch", marks=pytest.mark.slow)])
def test_warm_chains_have_the_exact_posterior(engine):
    """Linear regression with a pinned noise, as the cold chains' test: 14 points, then 16, two of them far off."""
    noise, chains = 0.25, 10
    generator = torch.Generator().manual_seed(1)
    X = torch.randn(2, 16, 2, generator=generator, dtype=torch.float64)
    X[:, 14:] = 3 * X[:, 14:] + 2
    y = X @ torch.tensor([1.0, -0.5], dtype=torch.float64) + torch.randn(2, 16, generator=generator)
    model = BayesianNetwork(
        widths=(),
        sampler=SGHMC(0.01, momentum_decay=0.1),
        burn_in=1000,
        steps=26_000 if engine == "compiled" else 5_000,
        thinning=25,
        chains=chains,
        weight_prior=FixedNormal(2.0),
        noise_prior=LogNormalNoise(math.log(noise), 1e-3),
        engine=engine,
        warm_burn_in=200,
    )
    chains = model.fit(X[:, :14], y[:, :14], make_generators([0, 1])).chain_state()
    model.fit(X, y, make_generators([2, 3]), chains)
    X, y = model.inputs.transform(X), model.targets.transform(y)
    features = torch.cat([X, torch.ones(2, 16, 1)], -1)
    covariance = torch.linalg.inv(features.mT @ features / noise + 2 * torch.eye(3))
    mean = (covariance @ features.mT @ y[..., None] / noise).squeeze(-1)
    samples = model.samples.double()
    assert ((samples.mean(0) - mean) / covariance.diagonal(dim1=1, dim2=2).sqrt()).abs().max() < 0.15
    for run in range(2):
        torch.testing.assert_close(samples[:, run].T.cov(), covariance[run], rtol=0.2, atol=0.002)
    assert (model.noise_variance.log() - math.log(noise)).abs().max() < 0.2


def test_warm_and_cold_networks_predict_alike():
    """A scale-adapted chain after one more point, against chains that burnt in anew: within their own spread."""
    X, y = waves(runs=2, n=31)
    settings = {"burn_in": 3000, "steps": 23_000, "chains": 4, "noise_prior": LogNormalNoise(math.log(0.02), 0.01)}
    warm = small(**settings, warm_burn_in=300).fit(X[:, :30], y[:, :30], make_generators([0, 1]))
    warm.fit(X, y, make_generators([2, 3]), warm.chain_state())
    cold, other = (small(**settings).fit(X, y, make_generators(seeds)) for seeds in ([4, 5], [6, 7]))
    (mean, variance), (cold_mean, cold_variance) = warm.moments(X), cold.moments(X)
    other_mean, other_variance = other.moments(X)
    between_cold = (cold_mean - other_mean).square().mean().sqrt()
    assert (mean - cold_mean).square().mean().sqrt() < 2 * between_cold + 0.02
    ratio, cold_ratio = (v.log().mean() - cold_variance.log().mean() for v in (variance, other_variance))
    assert ratio.abs() < 2 * cold_ratio.abs() + 0.1


@pytest.mark.parametrize("engine", ENGINES)
def test_saved_chains_continue_bit_for_bit_and_runs_are_independent(engine, tmp_path):
    X, y = waves(runs=3, n=32)
    model = small(engine=engine, chains=2).fit(X[:, :30], y[:, :30], make_generators([5, 6, 7]))
    torch.save(model.chain_state(), tmp_path / "chains.pt")
    chains = {"model": model.chain_state(), "restored": torch.load(tmp_path / "chains.pt", weights_only=True)}
    alone = {name: part[1:2] for name, part in model.chain_state().items()}
    for points, seeds in ((31, [8, 9, 10]), (32, [11, 12, 13])):
        kept = []
        for name, before in chains.items():
            model = small(engine=engine, chains=2)
            model.fit(X[:, :points], y[:, :points], make_generators(seeds), before)
            chains[name] = model.chain_state()
            kept.append(model.samples)
        assert torch.equal(*kept)
        single = small(engine=engine, chains=2).fit(X[1, :points], y[1, :points], make_generators(seeds[1:2]), alone)
        alone = single.chain_state()
    alone = single
    if engine == "compiled":
        assert torch.equal(alone.samples[:, 0], model.samples[:, 1])
    else:  # sums of batched matrix products may be rounded differently
        torch.testing.assert_close(alone.samples[:, 0], model.samples[:, 1], rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_diverged_chain_starts_anew(engine):
    X, y = waves(runs=2, n=31)
    model = small(engine=engine).fit(X[:, :30], y[:, :30], make_generators([0, 1]))
    state = model.chain_state()
    state["velocity"] = state["velocity"].clone()
    state["velocity"][0, 0, 3] = torch.inf
    given = state, model.chain_state()
    means, kept = (small(engine=engine).fit(X, y, make_generators([2, 3]), chains).predict(X)[0] for chains in given)
    assert torch.isfinite(means).all() and not torch.allclose(means[:, 0], kept[:, 0])
    torch.testing.assert_close(means[:, 1], kept[:, 1], rtol=1e-2, atol=1e-2)


def test_a_model_remembers_nothing_from_fit_to_fit():
    X, y = waves(n=31)
    model = small().fit(X[:, :30], y[:, :30], make_generators([0]))
    chains = model.chain_state()
    again = model.fit(X, y, make_generators([1])).samples
    assert torch.equal(again, small().fit(X, y, make_generators([1])).samples)
    assert not torch.equal(small().fit(X, y, make_generators([1]), chains).samples, again)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_initial_precision_is_that_of_new_chains_only(engine, monkeypatch):
    """A continued chain draws the precision for its weights; from 1 it would have to find its way back."""
    X, y = waves(n=31)
    model, used = small(engine=engine, weight_prior=GammaHyperprior(initial=1.0)), []

    def spied(*arguments):
        engine = make_engine(*arguments)
        advance = engine.advance
        engine.advance = lambda steps, precision: used.append(precision.clone()) or advance(steps, precision)
        return engine

    monkeypatch.setattr("core.models.bohamiann.make_engine", spied)
    model.fit(X[:, :30], y[:, :30], make_generators([0]))
    assert (used[0] == 1).all() and (used[-1] < 0.1).all()
    used.clear()
    model.fit(X, y, make_generators([1]), model.chain_state())
    assert (torch.cat(used) < 0.1).all()


@pytest.mark.parametrize("sampler", [SGLD(1e-4), SGHMC(7e-4)])
def test_any_sampler_continues(sampler):
    X, y = waves(n=31)
    model = small(sampler=sampler).fit(X[:, :30], y[:, :30], make_generators([0]))
    assert torch.isfinite(model.fit(X, y, make_generators([1]), model.chain_state()).predict(X)[0]).all()


def test_what_cannot_continue_is_one_clear_error():
    X, y = waves(runs=2)
    with pytest.raises(ValueError, match="warm_burn_in is -1; allowed: a whole number from 0"):
        small(warm_burn_in=-1)
    with pytest.raises(UserError, match="call fit first"):
        small().chain_state()
    model = small().fit(X, y, make_generators([0, 1]))
    with pytest.raises(ValueError, match="warm start: the last fit had 2 chains of 34 parameters in 2 runs"):
        model.fit(X[0], y[0], make_generators([0]), model.chain_state())
    with pytest.raises(ValueError, match=r"BayesianNetwork\.warm_burn_in is None"):
        small(warm_burn_in=None).fit(X, y, make_generators([0, 1]), model.chain_state())
    shapes = {"velocity": (2, 1, 3), "targets_scale": (3, 1), "inputs_mean": (2, 2), "position": (3, 1, 34)}
    for name, shape in shapes.items():
        wrong = model.chain_state() | {name: torch.ones(shape)}
        with pytest.raises(ValueError, match=rf"chain state: {name} has shape .*; allowed: .*\("):
            small().fit(X, y, make_generators([0, 1]), wrong)
    with pytest.raises(ValueError, match="lacks targets_scale"):
        lacking = {k: v for k, v in model.chain_state().items() if k != "targets_scale"}
        small().fit(X, y, make_generators([0, 1]), lacking)
