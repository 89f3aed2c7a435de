"""Slice sampling is exact, so its draws are compared with distribution functions, without any allowance for bias."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy import stats

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.samplers import slice_sample
from core.samplers.slice import coordinate_directions, random_directions

TARGETS = {
    "normal": (lambda x: -0.5 * x[:, 0] ** 2, stats.norm()),
    "narrow normal": (lambda x: -0.5 * (x[:, 0] / 1e-3) ** 2, stats.norm(scale=1e-3)),
    "exponential": (lambda x: torch.where(x[:, 0] >= 0, -x[:, 0], -math.inf), stats.expon()),
    "Cauchy": (lambda x: -torch.log1p(x[:, 0] ** 2), stats.cauchy()),
    "beta, nan outside": (lambda x: -0.5 * torch.log(x[:, 0]) + 2 * torch.log1p(-x[:, 0]), stats.beta(0.5, 3)),
    "two far modes": (
        lambda x: torch.logaddexp(-0.5 * (x[:, 0] + 4) ** 2, -0.5 * (x[:, 0] - 4) ** 2),
        None,
    ),
}


def distribution_function(name):
    if name == "two far modes":
        return lambda x: (stats.norm.cdf(x, -4) + stats.norm.cdf(x, 4)) / 2
    return TARGETS[name][1].cdf


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize(("width", "max_expansions"), [(1.0, 64), (0.3, 3), (8.0, 1)])
def test_an_update_leaves_the_target_as_it_is(name, width, max_expansions):
    """10,000 exact draws are exact draws after three sweeps, for any width and limit of the interval."""
    rng = np.random.default_rng(0)
    if name == "two far modes":
        start = rng.standard_normal(10000) + rng.choice([-4, 4], 10000)
    else:
        start = TARGETS[name][1].rvs(10000, random_state=rng)
    start = torch.tensor(start, dtype=torch.float64)[:, None]
    (draws,) = slice_sample(
        TARGETS[name][0],
        start,
        make_generators([1])[0],
        samples=1,
        thinning=3,
        width=width,
        max_expansions=max_expansions,
    )
    assert stats.kstest(draws[:, 0].numpy(), distribution_function(name)).pvalue > 1e-6
    assert (draws != start).double().mean() > 0.999


@pytest.mark.parametrize("directions", [coordinate_directions, random_directions])
@pytest.mark.parametrize(("rotated", "condition"), [(False, 1e4), (True, 20.0)])
def test_chains_reach_a_badly_scaled_gaussian(directions, rotated, condition, precision, assert_gaussian, device):
    """Along the axes the widths take the scales out; rotated, a sweep moves little, hence the lower condition. Chains
    start in the middle of the target and take 40 sweeps of 4 updates."""
    matrix = precision(rotated, condition)
    covariance = np.linalg.inv(matrix)
    matrix = torch.tensor(matrix, device=device)
    (draws,) = slice_sample(
        lambda x: -0.5 * ((x @ matrix) * x).sum(1),
        torch.zeros(1000, 4, dtype=torch.float64, device=device),
        make_generators([2], device)[0],
        samples=1,
        thinning=40,
        width=torch.tensor(2 * np.sqrt(np.diag(covariance)), device=device),
        directions=directions,
    )
    assert_gaussian(draws, np.zeros(4), covariance)


def test_random_directions_are_uniform_unit_vectors():
    directions = random_directions(0, torch.empty(20000, 3, dtype=torch.float64), make_generators([4])[0])
    torch.testing.assert_close(directions.norm(dim=1), torch.ones(20000, dtype=torch.float64))
    for coordinate in directions.T:  # Archimedes: each coordinate of a uniform point of the sphere is uniform
        assert stats.kstest(coordinate.numpy(), "uniform", args=(-1, 2)).pvalue > 1e-6


def test_against_long_hamiltonian_monte_carlo(logistic_regression):
    """tests/references/logistic_regression_hmc.py: two exact samplers that share no code must agree."""
    X, y, mean, covariance = logistic_regression
    start = mean.expand(40, 5).clone()
    samples = slice_sample(
        lambda theta: (
            (theta @ X.T) @ y - torch.nn.functional.softplus(theta @ X.T).sum(1) - 0.5 * theta.square().sum(1)
        ),
        start,
        make_generators([0])[0],
        samples=50,
        burn_in=5,
        width=2 * covariance.diag().sqrt(),
    )
    flat = samples.reshape(-1, 5)
    # 2,000 samples of an autocorrelation time of about 3 sweeps.
    assert ((flat.mean(0) - mean) / covariance.diag().sqrt()).abs().max() < 5 / math.sqrt(650)
    assert (flat.var(0) / covariance.diag() - 1).abs().max() < 5 * math.sqrt(2 / 650)


@pytest.mark.parametrize("directions", [coordinate_directions, random_directions])
def test_a_run_does_not_depend_on_the_runs_that_it_waits_for(directions):
    """Bit for bit: the second run's target needs many more shrinkages, and leaves the first one's generator alone."""
    scales = torch.tensor([1.0, 1.0, 1e-6, 1e-6, 50.0, 50.0], dtype=torch.float64)[:, None]

    def sample(chains, seeds):
        return slice_sample(
            lambda x: -0.5 * (x / scales[chains]).square().sum(1),
            0.1 * scales[chains].expand(-1, 3).contiguous(),
            make_generators(seeds),
            samples=4,
            directions=directions,
        )

    together = sample(slice(0, 6), [1, 2, 3])
    for run, seed in enumerate([1, 2, 3]):
        alone = sample(slice(2 * run, 2 * run + 2), [seed])
        assert torch.equal(together[:, 2 * run : 2 * run + 2], alone)


def test_burn_in_and_thinning_choose_from_the_same_chain():
    def sample(**kwargs):
        start = torch.zeros(2, 2, dtype=torch.float64)
        return slice_sample(lambda x: -0.5 * x.square().sum(1), start, make_generators([7]), **kwargs)

    assert torch.equal(sample(samples=4, burn_in=3, thinning=2), sample(samples=11)[[4, 6, 8, 10]])


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({"samples": 0}, "samples is 0; allowed: a whole number from 1"),
        ({"burn_in": -1}, "burn_in is -1; allowed: a whole number from 0"),
        ({"thinning": 0}, "thinning is 0; allowed: a whole number from 1"),
        ({"max_expansions": 0}, "max_expansions is 0; allowed: a whole number from 1"),
        ({"samples": 2.5}, "samples is 2.5; allowed: a whole number from 1"),
        ({"samples": "3"}, "samples is '3'; allowed: a whole number from 1"),
        ({"width": torch.ones(3)}, r"width has shape \(3,\); allowed: a number or \(2,\)"),
        ({"width": 0.0}, "width is 0.0; allowed: positive and finite numbers"),
        ({"width": torch.tensor([1.0, math.nan])}, r"width is \[1.0, nan\]; allowed: positive"),
    ],
)
def test_constants_out_of_range_are_refused(constants, message):
    with pytest.raises(UserError, match=message):
        slice_sample(
            lambda x: -x.square().sum(1), torch.zeros(1, 2), make_generators([0]), **{"samples": 1, **constants}
        )


@pytest.mark.parametrize("value", [-math.inf, math.nan, math.inf])
def test_a_start_without_density_is_refused(value):
    density = torch.tensor([0.0, value, 0.0])
    with pytest.raises(UserError, match=r"must be positive and finite, not so in chains \[1\]"):
        slice_sample(lambda x: density, torch.zeros(3, 2), make_generators([0]), samples=1)


def test_a_density_of_the_wrong_shape_is_refused():
    with pytest.raises(ValueError, match=r"log_density must return \(3,\), got \(3, 2\)"):
        slice_sample(lambda x: -x.square(), torch.zeros(3, 2), make_generators([0]), samples=1)


def test_a_density_that_changes_between_calls_is_refused():
    values = iter([0.0])
    with pytest.raises(RuntimeError, match=r"not the same at the same point, in chains \[0\]"):
        slice_sample(lambda x: torch.full((1,), next(values, -1e9)), torch.zeros(1, 1), make_generators([0]), samples=1)
