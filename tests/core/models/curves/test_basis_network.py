"""LC-Net's compiled steps against autograd, and its network as a BoTorch model."""

import pytest
import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.optim import optimize_acqf

from core.foundation.randomness import make_generators
from core.models.curves.basis_network import BasisMLP, BasisNetwork
from core.models.engines.compiled import CurveEngine, CurveProblem
from core.models.priors import AveragedNormal, LogNormalNoise
from core.samplers import SGHMC, AdaptiveSGHMC
from tests.core.models.curves.curve_examples import falling_curves
from tests.core.models.engines.replay import replayed_batch, replayed_noise

NOISE_PRIOR = LogNormalNoise(-3.0, 0.5)


def make_problem(batch_size, runs=2, curves=7, epochs=11):
    generator = torch.Generator().manual_seed(0)
    network = BasisMLP((3, 10, 9, 8, BasisMLP.outputs))  # three layers as everywhere: each depth is compiled anew
    prior = AveragedNormal()
    problem = CurveProblem(
        network=network,
        X=torch.randn(runs, curves, 3, generator=generator),
        y=torch.randn(runs, curves, epochs, generator=generator),
        chains_per_run=2,
        batch_size=batch_size,
        covered=prior.covers(network),
        noise_prior=NOISE_PRIOR,
        lengths=torch.randint(0, epochs + 1, (runs, curves), generator=generator),
        times=torch.arange(1, epochs + 1) / epochs,
        amplitude=torch.tensor([2.0, -3.0]),
    )
    theta = torch.randn(problem.chains, network.num_weights + 1, generator=generator) * 0.4
    theta[:, -1] = -2.0
    return problem, theta


def potential_gradient(problem, theta, X, y, seen, precision):
    """By autograd, of the log densities of the batch's curves, scaled, and of the priors."""
    theta = theta.double().requires_grad_()
    runs = torch.arange(problem.chains) // problem.chains_per_run
    amplitude = problem.amplitude[runs].double()
    means = problem.network.curve(theta[:, :-1], X.double(), problem.times.double(), amplitude)
    likelihood = torch.distributions.Normal(means, (theta[:, -1] / 2).exp()[:, None, None]).log_prob(y.double())
    density = (likelihood * seen).sum() * problem.points / X.shape[1]
    density += torch.distributions.Normal(NOISE_PRIOR.mean, NOISE_PRIOR.variance**0.5).log_prob(theta[:, -1]).sum()
    density -= 0.5 * (precision[:, None] * theta[:, :-1] ** 2).sum()
    return torch.autograd.grad(-density, theta)[0].float()


@pytest.mark.parametrize("batch_size", [3, 20])
@pytest.mark.parametrize("sampler", [AdaptiveSGHMC(), SGHMC(2e-3)])
def test_compiled_steps_equal_autograd(batch_size, sampler):
    """Curves of different lengths, one without an observation, epochs that fill no whole number of vectors."""
    problem, theta = make_problem(batch_size)
    problem.lengths[0, 0] = 0
    engine = CurveEngine(problem, sampler, sampler.init(theta), make_generators([7, 8]))
    state, precision = sampler.init(theta), torch.tensor([0.5, 1.0, 2.0, 0.1])
    seen = (torch.arange(len(problem.times)) < problem.lengths.unsqueeze(-1)).float()
    for step in range(30):
        if step == 20:
            engine.freeze()
            state = sampler.freeze(state)
        X, y = replayed_batch(engine, problem)
        _, mask = replayed_batch(engine, CurveProblem(**{**vars(problem), "y": seen}))
        gradient = potential_gradient(problem, state.position, X, y, mask, precision)
        state = sampler.step(state, gradient, make_generators([0]), replayed_noise(engine))
        engine.advance(1, precision)
        torch.testing.assert_close(engine.position(), state.position, rtol=5e-4, atol=5e-4)
    assert (engine.position() - theta).abs().max() > 1e-3


def fitted(runs=1, **settings):
    data = [falling_curves(30, 10, seed=seed) for seed in range(runs)]
    X, y = (torch.stack([torch.from_numpy(one[part]) for one in data]) for part in (0, 1))
    chain = {"widths": (10, 10, 10), "burn_in": 300, "steps": 600, "thinning": 50, "chains": 2}
    lengths = torch.randint(1, 11, y.shape[:-1], generator=torch.Generator().manual_seed(1))
    return BasisNetwork(**{**chain, **settings}).fit(X, y, make_generators(range(runs)), lengths), X


def test_shapes_with_runs_and_whole_curves():
    model, X = fitted(runs=2)
    t = torch.tensor([0.3, 1.0], dtype=torch.float64)
    curves = model.curves(X, t)
    assert curves.shape == (12, 2, 30, 2)
    for k, time in enumerate(t):
        means, noise = model.predict(torch.cat([X, time.expand(2, 30, 1)], -1))
        torch.testing.assert_close(means, curves[..., k], rtol=1e-4, atol=1e-5)
        assert noise.shape == (12, 2, 1)
    mean, variance = model.moments(X.new_ones(5, 2, 3, 5))
    assert mean.shape == variance.shape == (5, 2, 3)


def test_runs_do_not_depend_on_each_other():
    together, _ = fitted(runs=2)
    alone, _ = fitted(runs=1)
    torch.testing.assert_close(together.samples[:, 0], alone.samples[:, 0], rtol=0, atol=0)


def test_acquisition_functions_of_botorch_maximize_through_it():
    model, _ = fitted()
    acquisition = LogExpectedImprovement(model, best_f=0.3, maximize=False)
    bounds = torch.tensor([[0.0] * 5, [1.0] * 5], dtype=torch.float64)
    candidate, value = optimize_acqf(acquisition, bounds, 1, 2, 16, fixed_features={4: 1.0})
    assert candidate.shape == (1, 5) and candidate[0, -1] == 1 and torch.isfinite(value)


def test_the_slope_in_t_goes_on_to_the_end():
    model, X = fitted()
    slopes, values = [], []
    for t in (1.0, 1 - 1e-4):
        points = torch.cat([X[0, :4], torch.full((4, 1), t, dtype=torch.float64)], -1).requires_grad_()
        mean = model.moments(points.unsqueeze(0))[0]
        slopes.append(torch.autograd.grad(mean.sum(), points)[0])
        values.append(mean.detach())
    assert slopes[0][:, -1].abs().min() > 0
    torch.testing.assert_close(slopes[0], slopes[1], rtol=1e-2, atol=1e-2)
    at_the_end = torch.cat([X[0, :4], torch.ones(4, 1, dtype=torch.float64)], -1)
    torch.testing.assert_close(model.moments(at_the_end)[0], values[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("t", [0.0, -1.0, 1.5, float("nan")])
def test_times_outside_of_the_curve_are_refused(t):
    model, X = fitted(steps=350)
    with pytest.raises(ValueError, match=r"t is from .*; allowed: in \(0, 1\]|X\[0, 0, 4\] is nan, expected finite"):
        model.predict(torch.cat([X, torch.full((1, 30, 1), t, dtype=torch.float64)], -1))


@pytest.mark.parametrize(
    "setting", [{"engine": "torch"}, {"activation": "relu"}, {"warm_burn_in": 5}, {"device": "meta"}, {"steps": 1}]
)
def test_bad_settings_are_named(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        BasisNetwork(**setting)


@pytest.mark.parametrize(
    "X, y, lengths, message",
    [
        (torch.ones(3, 2), torch.ones(3), None, "curves have shape"),
        (torch.ones(3, 2), torch.ones(4, 5), None, "training data"),
        (torch.ones(3, 2), torch.full((3, 5), torch.nan), None, "observed values must be finite"),
        (torch.ones(3, 2), torch.ones(3, 5), torch.zeros(3, dtype=torch.int64), "every run must have one"),
        (torch.ones(3, 2), torch.ones(3, 5), torch.full((3,), 6), "lengths must be"),
    ],
)
def test_bad_data_is_named(X, y, lengths, message):
    with pytest.raises(ValueError, match=message):
        BasisNetwork().fit(X, y, make_generators([0]), lengths)
