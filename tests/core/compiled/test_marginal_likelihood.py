"""The density and its gradient against those that torch derives of `core.models.matern`, and the search where the
density has no value."""

import numpy as np
import pytest
import torch

from core.compiled.marginal_likelihood import IMPOSSIBLE, LogPosterior, maximize
from core.models import hyperpriors, matern


def problem(n, d=3):
    g = torch.Generator().manual_seed(n)
    X, y = torch.rand(1, n, d, generator=g, dtype=torch.float64), torch.randn(1, n, generator=g, dtype=torch.float64)
    X[0, n // 2 :, 0] = X[0, 0, 0]  # as a categorical column: coordinates that coincide
    return X, y, (X[0].mT.numpy(), y[0].numpy())


@pytest.mark.parametrize("warped", [False, True])
@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_the_gradient_is_torch_s(n, warped):
    X, y, data = problem(n)
    density = LogPosterior(*data, matern.priors(3, warped))
    thetas = 0.7 * torch.randn(10, 11 if warped else 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    for theta in thetas - 0.5:
        theta.requires_grad_()
        expected = matern.log_posterior(X, y, theta.view(1, 1, -1)).sum()
        (slope,) = torch.autograd.grad(expected, theta)
        value, gradient = density.negative(theta.detach().numpy())
        assert -value == pytest.approx(expected.item(), rel=1e-12)
        np.testing.assert_allclose(-gradient, slope, rtol=1e-9, atol=1e-9)


def test_what_has_no_density_is_impossible():
    X, y = np.full((1, 40), 0.5), np.linspace(-1, 1, 40)
    unbounded = LogPosterior(X, y, hyperpriors.independent([hyperpriors.Row()] * 3))
    for density, noise in ((LogPosterior(X, y, matern.priors(1, False)), 11.0), (unbounded, -200.0)):
        value, gradient = density.negative(np.array([0.0, 0.0, noise]))
        assert value == IMPOSSIBLE and not gradient.any()


def test_a_start_that_has_no_density_does_no_harm():
    X, y = np.full((1, 40), 0.5), np.linspace(-1, 1, 40)
    rows = [matern.LENGTHSCALE, matern.AMPLITUDE, matern.NOISE._replace(low=-200)]
    priors = hyperpriors.independent(rows)
    hopeless, good = np.array([0.0, 0.0, -200.0]), np.array([0.0, 0.0, -1.0])
    alone = maximize(X, y, priors, good[None], 50)
    np.testing.assert_array_equal(maximize(X, y, priors, np.stack([hopeless, good]), 50), alone)
    assert LogPosterior(X, y, priors).negative(alone)[0] < LogPosterior(X, y, priors).negative(good)[0]
