"""Stretch moves: known moments, ensembles that do not mix, bad input."""

import math

import pytest
import torch

from core.foundation.errors import UserError
from core.samplers.stretch import stretch_sample


def test_gaussians_of_any_shape_are_sampled_side_by_side():
    """Three densities, one of them stretched a thousandfold: means and covariances within Monte Carlo errors."""
    means = torch.tensor([[0.0, 0.0], [5.0, -3.0], [1.0, 1.0]], dtype=torch.float64)
    factors = torch.tensor([[[1.0, 0], [0, 1]], [[1, 0], [0.9, 0.3]], [[1000, 0], [0.5, 1]]], dtype=torch.float64)

    def log_density(walkers):
        standard = torch.linalg.solve_triangular(factors, (walkers - means.unsqueeze(1)).mT, upper=False)
        return -0.5 * standard.square().sum(1)

    generator = torch.Generator().manual_seed(0)
    start = means.unsqueeze(1) + torch.randn(3, 40, 2, generator=generator, dtype=torch.float64)
    kept = stretch_sample(log_density, start, generator, samples=200, burn_in=200, thinning=4)
    assert kept.shape == (200, 3, 40, 2)
    draws = kept.transpose(0, 1).flatten(1, 2)
    standard = torch.linalg.solve_triangular(factors, (draws - means.unsqueeze(1)).mT, upper=False)
    assert standard.mean(-1).abs().max() < 0.12
    for each in standard:
        torch.testing.assert_close(torch.cov(each), torch.eye(2, dtype=torch.float64), atol=0.15, rtol=0)


def test_walkers_outside_of_the_support_come_in_and_none_leaves():
    def log_density(walkers):
        return torch.where((walkers > 0).all(-1), -walkers.sum(-1), torch.nan)

    generator = torch.Generator().manual_seed(1)
    start = torch.rand(1, 20, 1, generator=generator, dtype=torch.float64) - 0.3
    kept = stretch_sample(log_density, start, generator, samples=300, burn_in=100, thinning=3)
    assert (kept > 0).all()
    assert kept.mean().item() == pytest.approx(1, abs=0.12)  # exponential


@pytest.mark.parametrize(
    "walkers, settings, message",
    [
        (20, {"samples": 0}, "samples is 0"),
        (20, {"samples": 1, "burn_in": -1}, "burn_in is -1"),
        (20, {"samples": 1, "thinning": 0.5}, "thinning is 0.5"),
        (20, {"samples": 1, "scale": 1.0}, "scale is 1.0; allowed: finite numbers above 1"),
        (7, {"samples": 1}, "7 walkers in 3 dimensions"),
        (2, {"samples": 1}, "2 walkers in 3 dimensions"),
        (20, {"samples": 1}, r"walkers of ensembles \[0\] start at one point"),
    ],
)
def test_bad_settings_are_named(walkers, settings, message):
    with pytest.raises(UserError, match=message):
        stretch_sample(lambda x: x.sum(-1), torch.ones(1, walkers, 3), torch.Generator(), **settings)


def test_an_ensemble_outside_of_the_support_is_named():
    start = torch.linspace(1, 2, 8).repeat(2, 1).unsqueeze(-1)
    start[1] *= -1
    with pytest.raises(UserError, match=r"all walkers of ensembles \[1\]"):
        stretch_sample(lambda x: torch.where(x[..., 0] > 0, 0.0, -math.inf), start, torch.Generator(), 1)


def test_positions_of_another_shape_are_refused():
    with pytest.raises(UserError, match=r"position has shape \(8, 1\); allowed: \(ensembles, walkers, P\)"):
        stretch_sample(lambda x: x.sum(-1), torch.rand(8, 1), torch.Generator(), 1)
