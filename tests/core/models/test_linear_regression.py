"""Evidence and posterior against the multivariate normal and Eqs. 4 to 8 as printed; sampled hyperparameters against
the posterior summed over a grid."""

import math

import numpy as np
import pytest
import torch
from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement
from botorch.optim import optimize_acqf
from scipy.stats import multivariate_normal

from core.foundation.randomness import make_generators
from core.models import hyperpriors
from core.models.dngo import DNGO
from core.models.linear_regression import PRIORS, BayesianLinearRegression, Regression
from core.models.mixture import GaussianMixtureModel, by_member

QUICK = {"chains": 3, "burn_in": 10, "thinning": 1}
SHAPES = [(9, 4), (4, 9), (5, 5), (1, 3)]  # more points than features, fewer, as many, one point


def problem(n, k, runs=2, columns=3):
    g = torch.Generator().manual_seed(n * 10 + k)
    features = torch.randn(runs, n, k, dtype=torch.float64, generator=g)
    made_of = torch.randn(runs, n, columns, dtype=torch.float64, generator=g)
    coefficients = torch.randn(4, runs, columns, dtype=torch.float64, generator=g)
    log_alpha, log_beta = torch.randn(2, 4, runs, dtype=torch.float64, generator=g)
    return features, made_of, coefficients, log_alpha, log_beta


@pytest.mark.parametrize("n, k", SHAPES)
def test_evidence_is_the_density_of_the_targets(n, k):
    features, made_of, coefficients, log_alpha, log_beta = problem(n, k)
    ours = Regression(features, made_of).log_evidence(coefficients, log_alpha, log_beta)
    assert ours.shape == (4, 2)
    for i, r in np.ndindex(4, 2):
        targets = made_of[r] @ coefficients[i, r]
        covariance = (
            features[r] @ features[r].T / log_alpha[i, r].exp()
            + torch.eye(n, dtype=torch.float64) / log_beta[i, r].exp()
        )
        expected = multivariate_normal(np.zeros(n), covariance.numpy()).logpdf(targets.numpy())
        assert ours[i, r].item() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n, k", SHAPES)
def test_evidence_and_posterior_are_the_printed_formulas(n, k):
    features, made_of, coefficients, log_alpha, log_beta = problem(n, k)
    regression = Regression(features, made_of)
    ours = regression.log_evidence(coefficients, log_alpha, log_beta)
    at = torch.randn(5, 2, 3, k, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    weights = regression.weights(coefficients, log_alpha, log_beta)
    mean, variance = weights.marginals(at)
    joint_mean, covariance = weights.joint(at)
    assert mean.shape == variance.shape == (4, 5, 2, 3) and covariance.shape == (4, 5, 2, 3, 3)
    for i, r in np.ndindex(4, 2):
        Phi, y, a, b = features[r], made_of[r] @ coefficients[i, r], log_alpha[i, r].exp(), log_beta[i, r].exp()
        K = b * Phi.T @ Phi + a * torch.eye(k, dtype=torch.float64)
        factor = torch.linalg.cholesky(K)
        m = b * torch.cholesky_solve((Phi.T @ y).unsqueeze(-1), factor).squeeze(-1)
        evidence = (
            k / 2 * a.log() + n / 2 * b.log() - n / 2 * math.log(2 * math.pi) - b / 2 * (y - Phi @ m).square().sum()
        )
        evidence = evidence - a / 2 * m @ m - factor.diagonal().log().sum()
        torch.testing.assert_close(ours[i, r], evidence)
        torch.testing.assert_close(mean[i, :, r], at[:, r] @ m)
        inverse = torch.linalg.inv(K)
        torch.testing.assert_close(covariance[i, :, r], at[:, r] @ inverse @ at[:, r].mT)
        torch.testing.assert_close(variance[i, :, r], (at[:, r] @ inverse @ at[:, r].mT).diagonal(dim1=-2, dim2=-1))
    torch.testing.assert_close(joint_mean, mean)


def test_drawn_weights_have_the_posterior_s_moments():
    features, made_of, coefficients, log_alpha, log_beta = problem(6, 3)
    weights = Regression(features, made_of).weights(coefficients, log_alpha, log_beta)
    members = torch.tensor([2, 0]).unsqueeze(-1).expand(2, 40_000)
    draws = weights.draw(members, make_generators([1, 2]))
    assert draws.shape == (40_000, 2, 3)
    for r, i in enumerate([2, 0]):
        Phi, a, b = features[r], log_alpha[i, r].exp(), log_beta[i, r].exp()
        K = b * Phi.T @ Phi + a * torch.eye(3, dtype=torch.float64)
        sd = torch.linalg.inv(K).diagonal().sqrt()
        assert ((draws[:, r].mean(0) - weights.mean[i, r]).abs() < 5 * sd / 200).all()
        torch.testing.assert_close(
            draws[:, r].T.cov(), torch.linalg.inv(K), rtol=0.05, atol=0.02 * sd.max().item() ** 2
        )


def log_prior(log_alpha, log_noise):
    return hyperpriors.log_density(torch.stack([log_alpha, log_noise], -1), PRIORS)


def line(n=12, runs=2, noise=0.3):
    g = torch.Generator().manual_seed(5)
    X = torch.rand(runs, n, 2, generator=g, dtype=torch.float64)
    return X, 3 * X[..., 0] - 1 + noise * torch.randn(runs, n, generator=g, dtype=torch.float64)


def test_sampled_hyperparameters_follow_their_posterior():
    X, y = line()
    model = BayesianLinearRegression(chains=50, samples=40, burn_in=20, thinning=2).fit(X, y, make_generators([0, 1]))
    log_alpha, log_noise = torch.meshgrid(torch.linspace(-10, 10, 400), torch.linspace(-12, 6, 400), indexing="ij")
    log_alpha, log_noise = log_alpha.double(), log_noise.double()
    standard = model.targets.transform(y).unsqueeze(-1)
    for run in range(2):
        regression = Regression(model._features(X)[run : run + 1], standard[run : run + 1])
        one = torch.ones(1, 1, dtype=torch.float64)
        flat = (log_alpha.reshape(-1, 1), log_noise.reshape(-1, 1))
        value = regression.log_evidence(one, flat[0], -flat[1]) + log_prior(*flat)
        weight = value.flatten().softmax(0)
        for column, grid in enumerate(flat):
            mean = (weight * grid.flatten()).sum()
            sd = (weight * (grid.flatten() - mean).square()).sum().sqrt()
            ours = model.hyperparameters[:, run, column]
            assert abs(ours.mean() - mean) < 0.15 * sd
            assert 0.85 < ours.std() / sd < 1.15


def test_the_prior_ends_at_its_range():
    inside = torch.tensor([0.0, 0.0], dtype=torch.float64)
    assert torch.isfinite(log_prior(*inside))
    for outside in ((-10.1, 0), (10.1, 0), (0, -18.5), (0, 10.1)):
        assert log_prior(*torch.tensor(outside, dtype=torch.float64)) == -math.inf


def test_members_lie_run_by_run():
    samples = torch.arange(2 * 6).view(2, 6, 1)  # two samples, three runs of two chains
    members = by_member(samples, 3)
    assert members.shape == (4, 3, 1)
    assert members[..., 0].T.tolist() == [[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11]]


def test_it_recovers_a_line_at_every_scale_of_the_targets():
    X, y = line(n=40, noise=0.01)
    at = torch.rand(2, 7, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    for scale in (1e-12, 1.0, 1e12):
        model = BayesianLinearRegression(**QUICK).fit(X, y * scale, make_generators([0, 1]))
        mean, variance = model.moments(at)
        torch.testing.assert_close(mean / scale, 3 * at[..., 0] - 1, atol=0.02, rtol=0)
        assert (variance.sqrt() / scale < 0.1).all() and (variance > 0).all()


@pytest.mark.parametrize("n", [1, 2, 30])
def test_constant_targets_and_single_points(n):
    X = torch.full((2, n, 3), 0.5)
    model = BayesianLinearRegression(**QUICK).fit(X, torch.full((2, n), 7.0), make_generators([0, 1]))
    mean, variance = model.moments(torch.rand(2, 4, 3))
    assert torch.isfinite(variance).all() and (variance > 0).all()
    torch.testing.assert_close(model.moments(X[:, :1])[0], torch.full((2, 1), 7.0, dtype=torch.float64))
    assert mean.shape == (2, 4)


def test_function_draws_are_functions_with_the_model_s_moments():
    X, y = line()
    model = BayesianLinearRegression().fit(X, y, make_generators([0, 1]))
    functions = model.sample_functions(20_000, make_generators([3, 4]))
    at = torch.rand(5, 2, 3, 2, dtype=torch.float64)
    values = functions(at)
    assert values.shape == (20_000, 5, 2, 3) and torch.equal(values, functions(at))
    mean, variance = model.moments(at)
    noise = (model.noise() * model.targets.scale.T.square()).mean(0).view(2, 1)
    assert ((values.mean(0) - mean).abs() < 5 * (variance / 20_000).sqrt()).all()
    torch.testing.assert_close(values.var(0), variance - noise, rtol=0.15, atol=0)


@pytest.mark.parametrize("waiting", [0, 1, 60])
@pytest.mark.parametrize(
    "model", [BayesianLinearRegression(**QUICK), DNGO(chains=3, epochs=2)], ids=["linear regression", "DNGO"]
)
def test_pending_outcomes_condition_the_weights_as_they_do_the_joint_distribution(model, waiting):
    """With more points than weights, too, of which two are the same."""
    X, y = line()
    model.fit(X, y, make_generators([0, 1]))
    at, points = torch.rand(4, 2, 3, 2, dtype=torch.float64), torch.rand(2, waiting, 2, dtype=torch.float64)
    points[:, -1:] = points[:, :1]
    mean, covariance = model.joint(points)
    inverse = torch.linalg.inv(covariance + torch.diag_embed(model.noise()[..., None] + 0 * mean))
    surprise = torch.randn(2, *mean.shape, generator=torch.Generator().manual_seed(7), dtype=torch.float64)
    found = model.conditioned(points, inverse, surprise)(at)
    expected = GaussianMixtureModel.conditioned(model, points, inverse, surprise)(at)
    members = len(model.hyperparameters)
    assert [part.shape for part in found] == [(2, members, 4, 2, 3), (members, 4, 2, 3)]
    for part, other in zip(found, expected, strict=True):
        torch.testing.assert_close(part, other, rtol=1e-6, atol=1e-8)


def test_botorch_optimizes_its_acquisitions():
    X, y = line(runs=1)
    model = BayesianLinearRegression(chains=3, samples=1).fit(X, y, make_generators([0]))
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
    for acquisition in (LogExpectedImprovement(model, y.max()), qLogExpectedImprovement(model, y.max())):
        candidate, value = optimize_acqf(acquisition, bounds, q=1, num_restarts=2, raw_samples=16)
        assert candidate.shape == (1, 2) and torch.isfinite(value)
        assert candidate[0, 0] > 0.9
    noisy = model.posterior(X[0], observation_noise=True)
    torch.testing.assert_close(noisy.mixture_variance.squeeze(-1), model.moments(X)[1].squeeze(0))


def test_bad_settings():
    with pytest.raises(ValueError, match=r"BayesianLinearRegression.chains is 0; allowed: a whole number from 1"):
        BayesianLinearRegression(chains=0)
