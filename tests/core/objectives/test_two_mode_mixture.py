"""The mixture's density and gradient against scipy, autograd and its own symmetries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import stats

from core.objectives.toys import TwoModeMixture


@pytest.fixture
def problem() -> TwoModeMixture:
    return TwoModeMixture.generate(torch.Generator().manual_seed(0))


THETAS = torch.tensor([[0.0, 1.0], [1.0, -1.0], [0.3, 0.0], [-8.0, 12.0], [5.0, -0.5]], dtype=torch.float64)


def test_data_are_of_the_model():
    x = TwoModeMixture.generate(torch.Generator().manual_seed(3), points=20000).observations.numpy()
    cdf = lambda value: (stats.norm.cdf(value, 0, 2**0.5) + stats.norm.cdf(value, 1, 2**0.5)) / 2  # noqa: E731
    assert stats.kstest(x, cdf).pvalue > 1e-6
    assert TwoModeMixture.generate(torch.Generator().manual_seed(3)).observations.shape == (100,)


def test_log_posterior_is_the_joint_density(problem):
    x = problem.observations.numpy()
    for theta, found in zip(THETAS.numpy(), problem.log_posterior(THETAS).numpy(), strict=True):
        likelihood = (stats.norm.pdf(x, theta[0], 2**0.5) + stats.norm.pdf(x, theta.sum(), 2**0.5)) / 2
        prior = stats.norm.logpdf(theta[0], 0, 10**0.5) + stats.norm.logpdf(theta[1], 0, 1)
        assert found == pytest.approx(prior + np.log(likelihood).sum(), rel=1e-10)


@pytest.mark.parametrize("priors", [True, False])
def test_the_gradient_is_that_of_minus_the_log_posterior(problem, priors):
    problem = replace(problem, priors=priors)
    theta = THETAS.clone().requires_grad_()
    (exact,) = torch.autograd.grad(-problem.log_posterior(theta).sum(), theta)
    torch.testing.assert_close(problem.gradient(THETAS), exact)


def test_without_priors_exchanging_the_components_changes_nothing(problem):
    likelihood = replace(problem, priors=False)
    exchanged = torch.stack([THETAS.sum(1), -THETAS[:, 1]], dim=1)
    torch.testing.assert_close(likelihood.log_posterior(exchanged), likelihood.log_posterior(THETAS))
    assert not torch.allclose(problem.log_posterior(exchanged), problem.log_posterior(THETAS))


def test_minibatch_gradients_are_unbiased_and_each_chain_has_its_own(problem):
    """Over a partition of the points they average to the full gradient."""
    order = torch.stack([torch.randperm(100, generator=torch.Generator().manual_seed(chain)) for chain in range(5)])
    batches = [problem.gradient(THETAS, order[:, start : start + 10]) for start in range(0, 100, 10)]
    torch.testing.assert_close(torch.stack(batches).mean(0), problem.gradient(THETAS))
    torch.testing.assert_close(batches[0][2:3], problem.gradient(THETAS[2:3], order[2:3, :10]))


def test_exchanging_the_components_changes_the_prior_alone(problem):
    exchanged = torch.stack([THETAS.sum(1), -THETAS[:, 1]], dim=1)
    prior = 0.05 * THETAS[:, 0] ** 2 - 0.05 * exchanged[:, 0] ** 2
    torch.testing.assert_close(problem.log_posterior(exchanged), problem.log_posterior(THETAS) + prior)


def test_the_grid_holds_one_and_has_two_modes(problem):
    axes = torch.linspace(-3, 4, 141, dtype=torch.float64), torch.linspace(-5, 5, 201, dtype=torch.float64)
    density = problem.log_density_grid(*axes).exp()
    assert density.shape == (141, 201)
    assert density.sum().item() * 0.05 * 0.05 == pytest.approx(1.0)
    assert density[60, 120] / density[80, 80] == pytest.approx(
        (problem.log_posterior(torch.tensor([[0.0, 1.0]])) - problem.log_posterior(torch.tensor([[1.0, -1.0]])))
        .exp()
        .item(),
        rel=1e-4,
    )


def test_there_are_two_modes(problem):
    """Descent from either side ends at different places, theta_1 of opposite signs."""
    theta = torch.tensor([[0.0, 1.0], [1.0, -1.0]], dtype=torch.float64)
    for _ in range(3000):
        theta = theta - 0.005 * problem.gradient(theta)
    assert problem.gradient(theta).abs().max() < 1e-6
    assert theta[0, 1] > 0.5
    assert theta[1, 1] < -0.5


def test_float32_and_device_follow_the_generator():
    problem = TwoModeMixture.generate(torch.Generator().manual_seed(0), dtype=torch.float32)
    assert problem.gradient(torch.zeros(3, 2)).dtype == torch.float32
