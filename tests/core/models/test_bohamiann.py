"""BOHAMIANN's network against autograd, exact posteriors and BoTorch; bad input; independence of the runs."""

import math

import pytest
import torch
from botorch.acquisition import (
    LogExpectedImprovement,
    qLogExpectedImprovement,
    qLogNoisyExpectedImprovement,
    qUpperConfidenceBound,
)
from botorch.optim import optimize_acqf

from core.foundation.randomness import make_generators
from core.models import sampled_network
from core.models.bohamiann import BayesianNetwork
from core.models.engines.choice import ReferenceEngine
from core.models.engines.problem import Problem
from core.models.network import MLP
from core.models.priors import AveragedNormal, FixedNormal, GammaHyperprior, LogNormalNoise
from core.models.scores import moment_matched_log_likelihood
from core.samplers import SGHMC, SGLD, AdaptiveSGHMC, EulerSGHMC

ENGINES = ["compiled", "torch"]


def small(**settings):
    defaults = {"widths": (8,), "burn_in": 100, "steps": 400, "thinning": 50, "batch_size": 10}
    return BayesianNetwork(**{**defaults, **settings})


def waves(runs=1, n=30, d=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    X = torch.rand(runs, n, d, generator=generator, dtype=torch.float64)
    noise = 0.05 * torch.randn(runs, n, generator=generator, dtype=torch.float64)
    return X, torch.sin(4 * X[..., 0]) + X.sum(-1) + noise


@pytest.mark.parametrize("points, batch_size", [(12, 5), (4, 20)])
def test_potential_gradient_equals_autograd(points, batch_size):
    """On a batch, with the likelihood scaled by N/B, of the log densities as torch.distributions writes them."""
    network, generator = MLP((3, 6, 4, 1)), make_generators([0])[0]
    X = torch.randn(2, points, 3, dtype=torch.float64, generator=generator)
    y = torch.randn(2, points, dtype=torch.float64, generator=generator)
    prior, noise_prior = GammaHyperprior(), LogNormalNoise(-2.0, 0.3)
    problem = Problem(network, X, y, 1, batch_size, prior.covers(network), noise_prior)
    theta = torch.randn(2, network.num_weights + 1, dtype=torch.float64, generator=generator)
    precision = torch.tensor([0.5, 2.0], dtype=torch.float64)
    engine = ReferenceEngine(problem, SGHMC(1e-3), SGHMC(1e-3).init(theta), make_generators([1, 2]))
    engine.advance(0, precision)
    X_batch, y_batch = engine.next_batch()
    gradient = engine.potential_gradient(X_batch, y_batch)

    theta.requires_grad_()
    noise = theta[:, -1:]
    likelihood = torch.distributions.Normal(network.forward(theta[:, :-1], X_batch), (noise / 2).exp())
    log_density = points / y_batch.shape[1] * likelihood.log_prob(y_batch).sum()
    log_density += torch.distributions.Normal(-2.0, math.sqrt(0.3)).log_prob(noise).sum()
    weights = theta[:, :-1][:, prior.covers(network).bool()]
    log_density += torch.distributions.Normal(0.0, precision[:, None].rsqrt()).log_prob(weights).sum()
    (expected,) = torch.autograd.grad(-log_density, theta)
    torch.testing.assert_close(gradient, expected)


@pytest.mark.parametrize("engine", ["compiled", pytest.param("torch", marks=pytest.mark.slow)])
def test_linear_regression_has_its_exact_posterior(engine):
    """Without hidden layers and with a noise pinned by its prior, the posterior of the weights is Gaussian."""
    n, noise, runs, chains = 16, 0.25, 2, 10
    generator = torch.Generator().manual_seed(1)
    X = torch.randn(runs, n, 2, generator=generator, dtype=torch.float64)
    y = X @ torch.tensor([1.0, -0.5], dtype=torch.float64) + torch.randn(runs, n, generator=generator)
    model = BayesianNetwork(
        widths=(),
        sampler=SGHMC(0.01, momentum_decay=0.1),
        burn_in=1000,
        steps=26_000 if engine == "compiled" else 8_000,
        thinning=25,
        chains=chains,
        weight_prior=FixedNormal(2.0),
        noise_prior=LogNormalNoise(math.log(noise), 1e-3),
        engine=engine,
    ).fit(X, y, make_generators([0, 1]))
    X, y = model.inputs.transform(X), model.targets.transform(y)
    features = torch.cat([X, torch.ones(runs, n, 1)], -1)
    covariance = torch.linalg.inv(features.mT @ features / noise + 2 * torch.eye(3))
    mean = (covariance @ features.mT @ y[..., None] / noise).squeeze(-1)
    samples = model.samples.double()
    deviation = covariance.diagonal(dim1=1, dim2=2).sqrt()
    assert ((samples.mean(0) - mean) / deviation).abs().max() < 0.1
    for run in range(runs):
        torch.testing.assert_close(samples[:, run].T.cov(), covariance[run], rtol=0.15, atol=0.002)
    assert (model.noise_variance.log() - math.log(noise)).abs().max() < 0.2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("sampler", [AdaptiveSGHMC(), SGHMC(7e-4)])
@pytest.mark.parametrize("weight_prior", [GammaHyperprior(), AveragedNormal()])
def test_fits_a_smooth_function(engine, sampler, weight_prior):
    X, y = waves(runs=2)
    chain = {"burn_in": 500, "steps": 1500, "noise_prior": LogNormalNoise(math.log(1e-2), 1.0)}
    model = small(engine=engine, sampler=sampler, weight_prior=weight_prior, **chain)
    model.fit(X, y, make_generators([0, 1]))
    mean, variance = model.moments(X)
    assert (mean - y).square().mean().sqrt() < 0.5 * y.std()
    assert (variance > 0).all() and mean.dtype == variance.dtype == torch.float64


def test_the_default_sampler_recovers_from_a_short_burn_in():
    """Held-out data whose own density is -0.2 nats a point: a friction raised to the gradients of the start leaves the
    noise variance far too small."""
    generator = torch.Generator().manual_seed(0)
    X = torch.rand(3, 700, 2, generator=generator, dtype=torch.float64)
    y = torch.sin(4 * X[..., 0]) + X.sum(-1) + 0.3 * torch.randn(3, 700, generator=generator, dtype=torch.float64)
    likelihoods = []
    for settings in ({}, {"sampler": AdaptiveSGHMC(raise_friction=True)}):
        model = BayesianNetwork(widths=(50,), burn_in=1000, **settings).fit(
            X[:, :500], y[:, :500], make_generators([1, 2, 3])
        )
        likelihoods.append(moment_matched_log_likelihood(*model.predict(X[:, 500:]), y[:, 500:]))
    assert (likelihoods[0] > -4).all()
    assert (likelihoods[0] > likelihoods[1] + 5).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_the_first_precision_may_be_given(engine):
    """The hyperprior makes no difference before its first draw, after `interval` steps."""
    X, y = waves()

    def samples(steps, **hyperprior):
        prior = GammaHyperprior(interval=200, **hyperprior)
        return small(steps=steps, engine=engine, weight_prior=prior).fit(X, y, make_generators([0])).samples

    first, second = ({"initial": 3.0, "rate": rate} for rate in (1.0, 1e4))
    assert torch.equal(samples(200, **first), samples(200, **second))
    assert not torch.equal(samples(300, **first), samples(300, **second))
    assert not torch.equal(samples(200, rate=1.0), samples(200, rate=1e4))


@pytest.mark.parametrize("sampler", [SGLD(1e-4), EulerSGHMC(1e-4, 1.0)])
def test_other_samplers_run_on_torch(sampler):
    X, y = waves()
    model = small(sampler=sampler).fit(X, y, make_generators([0]))
    assert torch.isfinite(model.predict(X)[0]).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_relu_and_tanh_differ(engine):
    X, y = waves()
    if engine == "compiled":
        with pytest.raises(ValueError, match="does not cover relu units"):
            small(activation="relu", engine=engine).fit(X, y, make_generators([0]))
    else:
        relu, tanh = (
            small(activation=name, engine=engine).fit(X, y, make_generators([0])) for name in ("relu", "tanh")
        )
        assert not torch.equal(relu.predict(X)[0], tanh.predict(X)[0])


@pytest.mark.parametrize("engine", ENGINES)
def test_runs_do_not_depend_on_their_neighbours(engine):
    X, y = waves(runs=3)
    together = small(chains=2, engine=engine).fit(X, y, make_generators([5, 6, 7]))
    alone = small(chains=2, engine=engine).fit(X[1], y[1], make_generators([6]))
    assert together.samples.shape == (12, 3, 8 * 4 + 1) and together.noise_variance.shape == (12, 3, 1)
    if engine == "compiled":
        assert torch.equal(together.samples[:, 1], alone.samples[:, 0])
    else:  # sums of batched matrix products may be rounded differently
        torch.testing.assert_close(together.samples[:, 1], alone.samples[:, 0], rtol=1e-2, atol=1e-2)
    again = small(chains=2, engine=engine).fit(X, y, make_generators([5, 6, 7]))
    assert torch.equal(together.samples, again.samples)


def test_one_generator_serves_several_runs():
    X, y = waves(runs=2)
    model = small().fit(X, y, torch.Generator().manual_seed(3))
    again = small().fit(X, y, torch.Generator().manual_seed(3))
    assert torch.equal(model.samples, again.samples) and not torch.equal(model.samples[:, 0], model.samples[:, 1])
    with pytest.raises(ValueError, match="3 for 2 runs"):
        small().fit(X, y, make_generators([1, 2, 3]))


@pytest.mark.cuda
def test_fits_and_predicts_on_a_gpu():
    X, y = waves(runs=2)
    model = small(device="cuda", burn_in=500, steps=1500)
    model.fit(X.cuda(), y.cuda(), make_generators([0, 1], "cuda"))
    mean, _ = model.moments(X.cuda())
    assert mean.device.type == "cuda" and (mean.cpu() - y).square().mean().sqrt() < 0.5 * y.std()


def test_every_thinning_th_step_is_kept():
    X, y = waves()
    long, short = (small(steps=steps).fit(X, y, make_generators([0])) for steps in (449, 200))
    assert long.samples_per_chain == len(long.samples) == 6 and len(short.samples) == 2
    assert torch.equal(long.samples[:2], short.samples)
    fine = small(thinning=10).fit(X, y, make_generators([0]))
    assert torch.equal(fine.samples[4::5], long.samples)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_diverging_run_is_nan_and_touches_no_other(engine, monkeypatch):
    X, y = waves(runs=3)
    calm = small(engine=engine).fit(X, y, make_generators([0, 1, 2]))
    init = MLP.init

    def wild_init(*arguments):
        theta = init(*arguments)
        theta[1] *= 1e30
        return theta

    monkeypatch.setattr(MLP, "init", wild_init)
    model = small(engine=engine).fit(X, y, make_generators([0, 1, 2]))
    means, noise = model.predict(X)
    assert means[:, 1].isnan().all() and noise[:, 1].isnan().all()
    assert all(moment[1].isnan().all() for moment in model.moments(X))
    for run in (0, 2):
        torch.testing.assert_close(means[:, run], calm.predict(X)[0][:, run], rtol=1e-3, atol=1e-3)


def test_predictions_do_not_depend_on_the_block_size(monkeypatch):
    X, y = waves(runs=2)
    model = small().fit(X, y, make_generators([0, 1]))
    points = torch.rand(3, 2, 17, 2)
    means, noise = model.predict(points)
    assert means.shape == (6, 3, 2, 17) and noise.shape == (6, 1, 2, 1)
    monkeypatch.setattr(sampled_network, "BLOCK_ELEMENTS", 100)
    torch.testing.assert_close(model.predict(points)[0], means)
    for sample in range(6):
        standard = ((points - model.inputs.mean) / model.inputs.scale).float()
        output = model.network.forward(model.samples[sample], standard).double()
        expected = output * model.targets.scale + model.targets.mean
        torch.testing.assert_close(means[sample], expected, rtol=1e-6, atol=1e-6)  # outputs are float32
    assert torch.equal(noise.squeeze(), model.targets.scale.squeeze() ** 2 * model.noise_variance.squeeze())
    torch.testing.assert_close(model.predict(points[0, 0])[0], model.predict(points[0, :1])[0])


@pytest.mark.parametrize("name", ["LogEI", "qLogEI", "qLogNEI", "qUCB"])
def test_botorch_optimizes_acquisition_functions(name):
    X, y = waves(d=2)
    model = small(widths=(16, 16), burn_in=300, steps=1000).fit(X[0], y[0], make_generators([0]))
    acquisition = {
        "LogEI": lambda: LogExpectedImprovement(model, best_f=y.max()),
        "qLogEI": lambda: qLogExpectedImprovement(model, best_f=y.max()),
        "qLogNEI": lambda: qLogNoisyExpectedImprovement(model, X_baseline=X[0]),
        "qUCB": lambda: qUpperConfidenceBound(model, beta=2.0),
    }[name]()
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
    point = torch.full((1, 1, 2), 0.4, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(acquisition(point).sum(), point)
    assert torch.isfinite(gradient).all() and gradient.abs().max() > 0
    q = 1 if name == "LogEI" else 2
    torch.manual_seed(0)
    best, value = optimize_acqf(acquisition, bounds, q=q, num_restarts=2, raw_samples=32)
    assert best.shape == (q, 2) and (best >= 0).all() and (best <= 1).all()
    random = acquisition(torch.rand(64, q, 2, dtype=torch.float64)).detach()
    assert value > random.median()
