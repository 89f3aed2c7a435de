"""The compiled sums: against NumPy in long double precision and SciPy, also far from the data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from core.density.sums import log_sums, mixture_sums


def expected(x, scaled, rows, matches) -> np.ndarray:
    """Term by term, in more digits where the machine has them."""
    x, scaled, matches = (part.astype(np.longdouble) for part in (x, scaled, matches))
    exponents = -((x[:, :, None] - scaled) ** 2).sum(axis=1) / 2 + matches[rows].sum(axis=1)
    largest = exponents.max(axis=1, keepdims=True)
    return (np.log(np.exp(exponents - largest).sum(axis=1)) + largest[:, 0]).astype(np.float64)


def case(n: int, data: int, continuous: int, categorical: int, scale: float):
    g = np.random.default_rng(n + data + continuous + categorical)
    x, scaled = scale * g.random((n, continuous)), scale * g.random((continuous, data))
    rows = g.integers(3, size=(n, categorical)) + 3 * np.arange(categorical)
    return x, scaled, rows, -5 * g.random((3 * categorical, data))


@pytest.mark.parametrize("data", [1, 3, 50, 425])
@pytest.mark.parametrize(("continuous", "categorical"), [(6, 0), (0, 5), (4, 4), (1, 0)])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_sums_are_those_of_the_formula(data, continuous, categorical, scale):
    arguments = case(20, data, continuous, categorical, scale)
    np.testing.assert_allclose(log_sums(*arguments), expected(*arguments), rtol=1e-13, atol=1e-13)


def test_exponentials_are_accurate_from_one_to_nothing():
    """Two data, at distances 0 and sqrt(2 t): log(1 + e^-t), the second term beyond e^-700 and double precision too."""
    t = np.concatenate([np.linspace(0, 40, 997), [300.0, 699.0, 701.0, 1e4, 1e12]])
    distances = np.sqrt(2 * t)
    none, nothing = np.empty((1, 0), dtype=np.int64), np.empty((0, 2))
    for distance, value in zip(distances, t):
        found = log_sums(np.zeros((1, 1)), np.array([[0.0, distance]]), none, nothing)
        assert found[0] == pytest.approx(np.log1p(np.exp(-value)), rel=1e-14, abs=3e-16)


def test_far_from_all_data_the_nearest_counts():
    found = log_sums(np.zeros((1, 1)), np.array([[1e6, 2e6]]), np.empty((1, 0), dtype=np.int64), np.empty((0, 2)))
    assert found[0] == -0.5e12


@pytest.mark.parametrize(("d", "m", "data"), [(1, 1, 1), (3, 24, 50), (5, 7, 425)])
def test_mixtures_are_sums_of_normal_densities(d, m, data):
    g = np.random.default_rng(data)
    x, means = g.random((d, m)), g.random((d, data))
    deviations, weights = g.uniform(0.01, 1.0, (d, data)), g.random((d, data))
    found = mixture_sums(x, means, 1 / deviations, weights / deviations) / np.sqrt(2 * np.pi)
    densities = norm.pdf(x[:, :, None], means[:, None], deviations[:, None])
    np.testing.assert_allclose(found, (densities * weights[:, None]).sum(axis=2), rtol=1e-13)
