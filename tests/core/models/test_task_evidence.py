"""The summed evidence against the density of a multivariate normal, and its gradient against that of autograd."""

from __future__ import annotations

import pytest
import torch
from torch.distributions import MultivariateNormal

from core.models.ablr import negative_log_evidence


def problem(points, width, feature_tasks=3, seed=0):
    generator = torch.Generator().manual_seed(seed)
    features = torch.randn(2, feature_tasks, points, width, dtype=torch.float64, generator=generator)
    y, log_alpha, log_beta = (
        torch.randn(2, 3, *shape, dtype=torch.float64, generator=generator) for shape in ((points,), (), ())
    )
    return features, y, log_alpha, log_beta


def dense(features, y, log_alpha, log_beta):
    """Minus the log density of y ~ N(0, I / beta + Phi Phi' / alpha), summed over tasks."""
    noise = torch.eye(y.shape[-1], dtype=y.dtype) / log_beta.exp()[..., None, None]
    covariance = noise + features @ features.mT / log_alpha.exp()[..., None, None]
    return -MultivariateNormal(torch.zeros_like(y), covariance).log_prob(y).sum(-1)


@pytest.mark.parametrize("feature_tasks", [3, 1])
@pytest.mark.parametrize(("points", "width"), [(7, 4), (4, 7), (5, 5), (1, 3)])
def test_value_and_gradient_are_those_of_the_dense_gaussian(points, width, feature_tasks):
    given = problem(points, width, feature_tasks)
    free = [part.clone().requires_grad_() for part in given]
    expected = dense(*free)
    slopes = torch.autograd.grad(expected.sum(), [free[0], free[2], free[3]])
    found = negative_log_evidence(*given)
    torch.testing.assert_close(found.value, expected.detach())
    for ours, theirs in zip(found[1:], slopes, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_small_noise_leaves_a_positive_misfit():
    """Where |y|^2 - r |L^-1 Phi' y|^2 is lost in rounding, the evidence still is that of the residual."""
    features, _, log_alpha, _ = problem(20, 4)
    weights = torch.ones(2, 3, 4, 1, dtype=torch.float64)
    y = (features @ weights).squeeze(-1)
    log_beta = torch.full_like(log_alpha, 18.0)
    found = negative_log_evidence(features, y, log_alpha, log_beta)
    torch.testing.assert_close(found.value, dense(features, y, log_alpha, log_beta), rtol=1e-5, atol=1e-5)


def test_features_that_are_not_finite_are_told_by_the_value():
    features, *rest = problem(5, 3)
    features[1, 0, 0, 0] = torch.nan
    assert negative_log_evidence(features, *rest).value.isnan().tolist() == [False, True]
