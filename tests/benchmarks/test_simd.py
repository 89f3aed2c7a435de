"""The plain step that explicit vectors are measured against computes the same gradient."""

import numpy as np
import pytest
import torch

from benchmarks.simd import plain_seconds, potential_gradient, weights
from core.models.network import MLP


@pytest.mark.parametrize("sizes", [(3, 7, 1), (2, 6, 5, 1)])
def test_the_plain_gradient_is_autograds(sizes):
    generator = torch.Generator().manual_seed(0)
    theta = 0.5 * torch.randn(weights(sizes) + 1, generator=generator)
    X, y = torch.randn(9, sizes[0], generator=generator), torch.randn(9, generator=generator)
    found = np.empty(len(theta), np.float32)
    activations, deltas = (np.zeros((len(sizes), 9, max(sizes)), np.float32) for _ in range(2))
    activations[0, :, : sizes[0]] = X
    potential_gradient(np.array(sizes), activations, deltas, y.numpy(), 50, theta.numpy(), found)
    theta.requires_grad_()
    error = MLP(sizes).forward(theta[:-1], X) - y
    potential = 25 * theta[-1] + 50 / 9 * (error.square() / (2 * theta[-1].exp())).sum()
    (expected,) = torch.autograd.grad(potential, theta)
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-4)


def test_a_plain_step_takes_time():
    case = {"sizes": [3, 5, 1], "points": 20, "batch": 4, "seconds": 0.0}
    assert 0 < plain_seconds(case) < 1
