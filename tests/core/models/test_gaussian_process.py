"""At fixed hyperparameters against gpytorch and scikit-learn, the prior against its exact form, sampled hyperparameters
against a sum over a grid, and data that break Gaussian processes."""

import math

import gpytorch
import numpy as np
import pytest
import torch
from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement, qUpperConfidenceBound
from botorch.models.transforms.input import Warp
from botorch.optim import optimize_acqf
from scipy.special import exp1
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models import hyperpriors, matern
from core.models.gaussian_process import GaussianProcess, MarginalisedGP


def data(n=8, runs=2, d=2, seed=0):
    X = torch.rand(runs, n, d, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return X, (5 * X[..., 0]).sin() + X[..., -1]


def fixed(members=3, runs=2, d=2, n=8):
    """A GP conditioned on standardized data at random hyperparameters, no fit."""
    X, y = data(n, runs, d)
    theta = torch.randn(members, runs, d + 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64) - 1
    model = GaussianProcess().fit(X, y, make_generators(range(runs)))
    standard = model.targets.transform(y)
    model.condition(X, standard, theta)
    return model, X, standard, theta


def test_likelihood_and_predictions_are_scikit_learn_s():
    model, X, y, theta = fixed()
    at = torch.rand(4, 2, 5, 2, dtype=torch.float64)
    mean, variance = model.marginals(at)
    joint_mean, covariance = model.joint(at)
    likelihood = matern.log_likelihood(X, y, theta)
    assert mean.shape == (3, 4, 2, 5) and covariance.shape == (3, 4, 2, 5, 5) and likelihood.shape == (3, 2)
    for i, r in np.ndindex(3, 2):
        scale = theta[i, r].exp().numpy()
        kernel = ConstantKernel(scale[2]) * Matern(scale[:2], nu=2.5) + WhiteKernel(scale[3])
        reference = GaussianProcessRegressor(kernel, optimizer=None, alpha=0).fit(X[r].numpy(), y[r].numpy())
        assert likelihood[i, r].item() == pytest.approx(reference.log_marginal_likelihood(reference.kernel_.theta))
        for b in range(4):
            expected, spread = reference.predict(at[b, r].numpy(), return_cov=True)
            np.testing.assert_allclose(mean[i, b, r], expected, rtol=1e-6, atol=1e-9)
            noise = scale[3] * np.eye(5)
            np.testing.assert_allclose(covariance[i, b, r] + noise, spread, rtol=1e-6, atol=1e-9)
    torch.testing.assert_close(joint_mean, mean)
    torch.testing.assert_close(covariance.diagonal(dim1=-2, dim2=-1), variance)


def test_kernel_is_gpytorch_s():
    A, B = torch.rand(2, 3, 4, 5, dtype=torch.float64)
    kernel = gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=5).double()
    kernel.lengthscale = torch.full((5,), 0.7)
    torch.testing.assert_close(matern.kernel(A / 0.7, B / 0.7), kernel(A, B).to_dense().detach())


def test_kernel_s_gradient_is_that_of_finite_differences():
    g = torch.Generator().manual_seed(0)
    A = torch.rand(2, 3, 4, 5, generator=g, dtype=torch.float64, requires_grad=True)
    B = torch.rand(2, 1, 6, 5, generator=g, dtype=torch.float64)
    B[:, 0, 0] = A[:, 0, 0].detach()  # a distance of 0, where the root has no derivative and the kernel has
    assert torch.autograd.gradcheck(matern.kernel, (A, B.requires_grad_()))


def test_warping_is_botorch_s():
    X = torch.rand(4, 2, dtype=torch.float64)
    log_a, log_b = torch.randn(2, 2, dtype=torch.float64)
    reference = Warp(d=2, indices=[0, 1], bounds=torch.tensor([[0.0, 0.0], [1.0, 1.0]])).double().eval()
    reference._set_concentration(1, log_a.exp())
    reference._set_concentration(0, log_b.exp())
    torch.testing.assert_close(matern.warp(X, log_a, log_b), reference(X).detach(), rtol=1e-5, atol=1e-6)


def test_horseshoe_lies_near_the_exact_density():
    z = np.geomspace(1e-6, 1e3, 50) * 0.1
    with np.errstate(over="ignore", invalid="ignore"):
        half = (z / 0.1) ** 2 / 2
        exact = np.where(half < 500, np.exp(half) * exp1(half), 1 / (half + 1))
    ours = hyperpriors.horseshoe(torch.tensor(z).log().unsqueeze(-1), torch.tensor([0.1]).log()).exp().numpy() / z
    ratio = ours / exact
    assert ratio.max() / ratio.min() < 2  # the bounds around it are a factor 2 apart at most


def test_marginal_likelihood_is_maximized():
    X, y = data(n=15)
    model = GaussianProcess().fit(X, y, make_generators([0, 1]))
    standard = model.targets.transform(y)
    best = matern.log_posterior(X, standard, model.theta)
    low, high = matern.bounds(2, False)
    for step in 0.05 * torch.randn(50, 1, 2, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64):
        near = (model.theta + step).clamp(low, high)
        assert (matern.log_posterior(X, standard, near) <= best + 1e-4).all()


def test_sampled_hyperparameters_follow_their_posterior():
    X, y = data(n=5, d=1, runs=1)
    model = MarginalisedGP(chains=100, samples=6, burn_in=15, thinning=2).fit(X, y, make_generators([0]))
    axes = [torch.linspace(low, high, 45, dtype=torch.float64) for low, high in ((-10, 2), (-6, 6), (-17, 4))]
    grid = torch.stack(torch.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 1, 3)
    weight = matern.log_posterior(X, model.targets.transform(y), grid).flatten().softmax(0)
    for column in range(3):
        values = grid[:, 0, column]
        mean = (weight * values).sum()
        sd = (weight * (values - mean).square()).sum().sqrt()
        ours = model.theta[:, 0, column]
        assert abs(ours.mean() - mean) < 0.2 * sd
        assert 0.8 < ours.std() / sd < 1.2


def test_function_draws_have_the_model_s_moments():
    model, *_ = fixed()
    functions = model.sample_functions(1000, make_generators([3, 4]))
    at = torch.rand(3, 2, 2, 2, dtype=torch.float64)
    values = functions(at)
    assert values.shape == (1000, 3, 2, 2) and torch.equal(values, functions(at))
    mean, variance = model.moments(at)
    latent = variance - (model.noise() * model.targets.scale.T.square()).mean(0).view(2, 1)
    assert ((values.mean(0) - mean).abs() < 5 * (variance / 1000).sqrt()).all()
    torch.testing.assert_close(values.var(0), latent, rtol=0.3, atol=0)


def test_blocks_do_not_change_predictions(monkeypatch):
    model, *_ = fixed()
    at = torch.rand(3, 2, 7, 2, dtype=torch.float64)
    whole = model.marginals(at)
    monkeypatch.setattr("core.models.gaussian_process.BLOCK_ELEMENTS", 300)
    monkeypatch.setattr("core.models.gaussian_process.BLOCK_POINTS", 2)
    torch.testing.assert_close(model.marginals(at), whole)


@pytest.mark.parametrize(
    "model", [MarginalisedGP(chains=2, burn_in=2), GaussianProcess(), GaussianProcess(warping=True)]
)
def test_a_run_does_not_depend_on_the_others(model):
    X, y = data()
    y[0] = 1e3 * torch.randn(8, generator=torch.Generator().manual_seed(2))  # a run that takes longer
    both = model.fit(X, y, make_generators([5, 6])).theta
    alone = model.fit(X[1], y[1], make_generators([6])).theta
    torch.testing.assert_close(both[:, 1], alone[:, 0])


def test_botorch_optimizes_its_acquisitions():
    X, y = data(runs=1)
    model = MarginalisedGP(chains=3, burn_in=3).fit(X, y, make_generators([0]))
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
    for acquisition, q in (
        (LogExpectedImprovement(model, y.max()), 1),
        (qLogExpectedImprovement(model, y.max()), 2),
        (qUpperConfidenceBound(model, 2.0), 2),
    ):
        candidate, value = optimize_acqf(acquisition, bounds, q=q, num_restarts=2, raw_samples=8)
        assert candidate.shape == (q, 2) and torch.isfinite(value).all()


ODD = {
    "one observation": (torch.full((1, 3), 0.3), torch.tensor([2.0])),
    "duplicates": (torch.full((6, 3), 0.3), torch.tensor([2.0, 2.0, 2.0, 2.0, 2.0, 2.5])),
    "constant": (torch.rand(6, 3), torch.full((6,), 2.0)),
    "50 dimensions": (torch.rand(6, 50), torch.rand(6)),
    "huge": (torch.rand(6, 3), 1e12 * torch.rand(6)),
    "tiny": (torch.rand(6, 3), 1e-12 * torch.rand(6)),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize(
    "model", [GaussianProcess(warping=True), GaussianProcess(), MarginalisedGP(chains=2, burn_in=1)]
)
def test_odd_data(name, model):
    X, y = ODD[name]
    model.fit(X, y, make_generators([0]))
    mean, variance = model.moments(X)
    scale = y.abs().max()
    assert torch.isfinite(mean).all() and (variance > 0).all()
    assert ((mean - y).abs() < scale).all() and (variance.sqrt() < 10 * scale).all()


def test_warping_needs_the_unit_cube():
    with pytest.raises(ValueError, match=r"MarginalisedGP: warping needs X in \[0, 1\], got 0 to 2"):
        MarginalisedGP(warping=True).fit(torch.tensor([[0.0], [2.0]]), torch.zeros(2), make_generators([0]))


def test_warped_predictions_allow_for_rounding_only():
    X, y = data(n=6, runs=1)
    model = MarginalisedGP(chains=2, burn_in=1, warping=True).fit(X, y, make_generators([0]))
    corner = torch.tensor([[0.0, 1.0]], dtype=torch.float64)
    rounded = corner + torch.tensor([[-1e-6, 5e-7]], dtype=torch.float64)
    for ours, expected in zip(model.moments(rounded), model.moments(corner), strict=True):
        torch.testing.assert_close(ours, expected, rtol=1e-4, atol=1e-6)
    assert model.sample_functions(2, make_generators([1]))(rounded).isfinite().all()
    with pytest.raises(UserError, match=r"warping needs X in \[0, 1\], got 0 to 1.01"):
        model.posterior(torch.tensor([[0.0, 1.01]], dtype=torch.float64))


def test_bad_settings_and_prior_range():
    with pytest.raises(ValueError, match=r"GaussianProcess.restarts is .*; allowed: a whole number from 1"):
        GaussianProcess(restarts=0)
    theta = torch.zeros(3, dtype=torch.float64)
    priors = matern.priors(1, False)
    assert torch.isfinite(hyperpriors.log_density(theta, priors))
    for entry, value in ((0, 2.1), (0, -10.1), (1, 10.1), (2, -18.5)):
        outside = theta.clone()
        outside[entry] = value
        assert hyperpriors.log_density(outside, priors) == -math.inf


def test_chains_go_on_from_an_earlier_fit():
    X, y = data(n=12)
    model = MarginalisedGP(chains=40, burn_in=20).fit(X, y, make_generators([0, 1]))
    before, standard = model.theta, model.targets.transform(y)
    chains = model.chain_state()
    level = matern.log_posterior(X, standard, before).mean(0)
    warm = MarginalisedGP(chains=40, burn_in=20).fit(X, y, make_generators([2, 3]), chains).theta
    assert (warm != before).all()
    # Draws of the posterior move to draws of the posterior; from the starts of a cold chain it takes longer.
    after = matern.log_posterior(X, standard, warm)
    assert ((after.mean(0) - level).abs() < 5 * after.std(0) / math.sqrt(20)).all()
    impossible = chains["theta"].clone()
    impossible[1] = -100
    mixed = MarginalisedGP(chains=40, burn_in=20).fit(X, y, make_generators([2, 3]), {"theta": impossible}).theta
    torch.testing.assert_close(mixed[:, 0], warm[:, 0])
    assert torch.isfinite(matern.log_posterior(X, standard, mixed)).all()
    part = MarginalisedGP(chains=40).fit(X[1:], y[1:], make_generators([3]), {"theta": chains["theta"][1:]}).theta
    torch.testing.assert_close(part[:, 0], warm[:, 1])


@pytest.mark.parametrize("shape", [(2, 2, 3), (1, 2, 4), (2, 4), (2, 1, 4)])
def test_chains_that_cannot_continue_are_refused(shape):
    X, y = data(n=6)
    model = MarginalisedGP(chains=2, burn_in=1)
    with pytest.raises(UserError, match=r"chain state .*; allowed: 'theta' of shape \(2, M, 4\)|1 members to continue"):
        model.fit(X, y, make_generators([0, 1]), {"theta": torch.zeros(shape, dtype=torch.float64)})
    with pytest.raises(UserError, match="chain state \\['velocity'\\]"):
        model.fit(X, y, make_generators([0, 1]), {"velocity": torch.zeros(2)})


def test_the_search_goes_on_from_an_earlier_maximum():
    X, y = data(n=15)
    settings = {"restarts": 1, "iterations": 60}
    cold = GaussianProcess(**settings).fit(X, y, make_generators([0, 1]))
    warm = GaussianProcess(restarts=1, iterations=1).fit(X, y, make_generators([0, 1]), cold.chain_state())
    standard = cold.targets.transform(y)
    assert (matern.log_posterior(X, standard, warm.theta) >= matern.log_posterior(X, standard, cold.theta) - 1e-6).all()


def test_targets_that_are_not_scaled_lose_only_their_mean():
    X, y = data(12)
    unit = (y - y.mean(-1, keepdim=True)) / y.std(-1, correction=0, keepdim=True)
    grid = torch.rand(2, 5, 2, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    settings = {"chains": 2, "burn_in": 2}
    scaled, plain = (
        MarginalisedGP(**settings, scale_targets=scale).fit(X, unit + 7, make_generators(range(2))).predict(grid)
        for scale in (True, False)
    )
    for ours, expected in zip(plain, scaled, strict=True):
        torch.testing.assert_close(ours, expected)
    model = MarginalisedGP(**settings, scale_targets=False).fit(X, 100 * y, make_generators(range(2)))
    torch.testing.assert_close(model.y, 100 * (y - y.mean(-1, keepdim=True)))


@pytest.mark.parametrize("d", [1, 5, 40])
def test_the_prior_that_grows_with_the_dimension_is_botorch_s(d):
    """Up to a constant, BoTorch's log density of the length scale at every length scale."""
    from botorch.models.utils.gpytorch_modules import get_covar_module_with_dim_scaled_prior

    theirs = get_covar_module_with_dim_scaled_prior(ard_num_dims=d).lengthscale_prior
    row = matern.dimension_scaled(d)
    logs = torch.linspace(-3, 3, 7, dtype=torch.float64)
    ours = -0.5 * ((logs - row.mean) / row.sd) ** 2
    difference = ours - theirs.log_prob(logs.exp())
    torch.testing.assert_close(difference, difference[:1].expand(7))


def test_length_scales_of_what_does_not_matter_end_inside_the_range():
    """With the flat prior they all end at its upper limit."""
    X = torch.rand(1, 20, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    y = (4 * X[..., 0]).sin()
    flat, scaled = (
        GaussianProcess(dimension_scaled=scaled).fit(X, y, make_generators([0])).parts.log_lengthscale[0, 0, 1:]
        for scaled in (False, True)
    )
    assert (flat > 1.99).all() and (scaled < 0.95 * matern.LONGEST).all()
