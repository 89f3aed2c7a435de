"""The optimizer of compiled training; tests/core/training compares whole trainings with PyTorch's."""

import numpy as np
import pytest
import torch

from core.compiled.training import Network, adam

LEAST = np.finfo(np.float32).smallest_normal


def network_with(gradient) -> Network:
    zeros = np.zeros((3, len(gradient)), np.float32)
    nothing = np.zeros(0, np.float32)
    return Network(nothing.astype(bool), nothing, zeros[0], gradient, zeros[1], zeros[2], nothing.astype(np.uint32))


@pytest.mark.parametrize("rate", [1e-2, 1e-10])
def test_what_is_left_without_gradient_is_never_subnormal(rate):
    """Neither the moments nor what a step computes from them: such numbers are slow."""
    network = network_with(np.float32([1.0, -1.0, 1e-3, -1e-6, 1e-9, 1e-12, -1e-15, 1e-18]))
    for step in range(2000):
        adam(network, 0, 8, np.float32(rate), np.float32(1))
        if step == 10:
            network.gradient[:] = 0
    for values in (network.first, network.second, network.first * np.float32(rate)):
        assert ((values == 0) | (np.abs(values) >= LEAST)).all()


def test_parameters_that_few_gradients_reach_move_as_pytorchs():
    generator = np.random.default_rng(0)
    scales = np.float32(10.0 ** -np.arange(8))
    network = network_with(np.zeros(8, np.float32))
    theirs = torch.zeros(8, requires_grad=True)
    optimizer = torch.optim.Adam([theirs], lr=1e-2)
    for step in range(1, 1001):
        network.gradient[:] = scales * generator.standard_normal(8) * (step % 100 < 5)
        adam(network, 0, 8, np.float32(1e-2 / (1 - 0.9**step)), np.float32(1 / np.sqrt(1 - 0.999**step)))
        theirs.grad = torch.from_numpy(network.gradient.copy())
        optimizer.step()
    np.testing.assert_allclose(network.theta, theirs.detach().numpy(), rtol=1e-3, atol=1e-7)
