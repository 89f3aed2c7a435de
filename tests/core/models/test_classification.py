"""Laplace's approximation against scikit-learn's mode and dense quadrature, expectation propagation against weights
drawn from the prior and kept where they classify every point correctly."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from core.models.constraint import SLACK, logistic_posterior, step_posterior


def points(n, width, runs=2, flip=False):
    g = torch.Generator().manual_seed(n)
    features = torch.randn(runs, n, width, generator=g, dtype=torch.float64)
    signs = torch.sign(features @ torch.randn(runs, width, 1, generator=g, dtype=torch.float64)).squeeze(-1)
    if flip:
        signs[:, 0] *= -1
    return features, signs


def test_mode_is_scikit_learn_s():
    features, signs = points(30, 4, flip=True)
    alphas = torch.tensor([0.01, 1.0, 100.0], dtype=torch.float64)
    posterior = logistic_posterior(features, signs, alphas)
    for i, r in np.ndindex(3, 2):
        reference = LogisticRegression(C=1 / alphas[i].item(), fit_intercept=False, tol=1e-10, max_iter=1000)
        reference.fit(features[r].numpy(), signs[r].numpy())
        np.testing.assert_allclose(posterior.mean[i, r], reference.coef_[0], rtol=1e-4, atol=1e-5)


def test_evidence_and_activation_are_near_dense_quadrature():
    features, signs = points(20, 2, flip=True)
    alpha = torch.tensor([0.5], dtype=torch.float64)
    posterior = logistic_posterior(features, signs, alpha)
    axis = torch.linspace(-15, 15, 601, dtype=torch.float64)
    w = torch.stack(torch.meshgrid(axis, axis, indexing="ij"), -1).view(-1, 2)
    at = torch.randn(2, 5, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    mean, variance = posterior.activation(at)
    for r in range(2):
        log = torch.nn.functional.logsigmoid(signs[r] * (w @ features[r].T)).sum(-1) - alpha / 2 * w.square().sum(-1)
        evidence = (log.logsumexp(0) + 2 * (axis[1] - axis[0]).log() + alpha.log()).item()
        # The approximation leaves out the constant of the prior's density, (2 pi)^(-D/2), against that of the normal.
        assert posterior.log_evidence[0, r].item() == pytest.approx(evidence - np.log(2 * np.pi), abs=0.15)
        exact = (log.softmax(0)[:, None] * torch.sigmoid(w @ at[r].T)).sum(0)
        ours = torch.sigmoid(mean[0, r] / (1 + np.pi / 8 * variance[0, r]).sqrt())
        torch.testing.assert_close(ours, exact, atol=0.05, rtol=0)


@pytest.mark.parametrize("n", [1, 4, 8])
def test_step_is_the_cone_of_correct_weights(n):
    features, signs = points(n, 3)
    posterior = step_posterior(features, signs)
    g = torch.Generator().manual_seed(7)
    w = torch.randn(500_000, 3, generator=g, dtype=torch.float64)
    at = torch.randn(2, 6, 3, generator=g, dtype=torch.float64)
    mean, variance = posterior.activation(at)
    ours = torch.special.ndtr(mean / (variance + SLACK**2).sqrt())[0]
    for r in range(2):
        kept = w[((w @ features[r].T) * signs[r] > 0).all(1)]
        assert len(kept) > 5000
        torch.testing.assert_close(posterior.mean[0, r], kept.mean(0), atol=0.08, rtol=0)
        torch.testing.assert_close(ours[r], (kept @ at[r].T > 0).double().mean(0), atol=0.06, rtol=0)


def test_labels_that_no_weights_explain():
    features = torch.ones(1, 4, 2, dtype=torch.float64)
    posterior = step_posterior(features, torch.tensor([[1.0, -1.0, 1.0, -1.0]], dtype=torch.float64))
    mean, variance = posterior.activation(features)
    assert torch.isfinite(mean).all() and (variance > 0).all() and mean.abs().max() < 1e-6
