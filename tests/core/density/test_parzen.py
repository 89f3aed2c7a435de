"""The estimators of single coordinates: small cases by hand, integrals, and their own samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from core.density.parzen import (
    cell_probabilities,
    choice_probabilities,
    fit_mixture,
    mixture_density,
    pick,
    recency_weights,
    sample_mixture,
)

NAN = np.nan


def test_the_latest_25_points_weigh_one_and_older_ones_less():
    weights = recency_weights(np.ones((29, 1), dtype=bool))[:, 0]
    np.testing.assert_allclose(weights[:4], np.linspace(1 / 29, 1, 4))
    np.testing.assert_array_equal(weights[4:], 1.0)
    assert recency_weights(np.ones((26, 1), dtype=bool))[0, 0] == pytest.approx(1 / 26)


def test_points_that_do_not_count_have_no_weight_and_no_age():
    active = np.ones((40, 1), dtype=bool)
    active[::2] = False
    np.testing.assert_array_equal(recency_weights(active)[:, 0], np.tile([0.0, 1.0], 20))


def test_deviations_are_the_larger_distances_to_neighbours():
    """Points 0.2 and 0.9 with the prior at 0.5: neighbours at distance 0.3 and 0.4; the prior keeps its own."""
    mixture = fit_mixture(np.array([[0.9], [0.2]]))
    np.testing.assert_allclose(mixture.means[:, 0], [0.2, 0.5, 0.9])
    np.testing.assert_allclose(mixture.deviations[:, 0], [0.3, 1.0, 0.4])


def test_deviations_have_a_floor():
    mixture = fit_mixture(np.full((8, 1), 0.5))
    assert sorted(set(mixture.deviations[:, 0])) == [0.1, 1.0]  # 1 / (2 + 8), and the prior's


def test_an_inactive_coordinate_is_as_if_the_point_was_not_there():
    points = np.array([[0.9, NAN], [0.2, 0.3], [NAN, 0.4]])
    x = np.linspace(0, 1, 7)[:, None]
    both = mixture_density(fit_mixture(points), np.tile(x, 2))
    np.testing.assert_allclose(both[:, :1], mixture_density(fit_mixture(points[:2, :1]), x))
    np.testing.assert_allclose(both[:, 1:], mixture_density(fit_mixture(points[1:, 1:]), x))


@pytest.mark.parametrize("n", [0, 1, 2, 40])
def test_densities_integrate_to_one_over_the_cube_and_cells_hold_their_mass(n):
    points = np.random.default_rng(n).random((n, 3))
    mixture = fit_mixture(points)
    x = np.linspace(0, 1, 20001)
    density = mixture_density(mixture, np.tile(x[:, None], 3))
    np.testing.assert_allclose(np.trapezoid(density, x, axis=0), 1.0, rtol=1e-6)
    edges = np.tile(np.array([0.0, 0.1, 0.45, 1.0, 1.0])[:, None], 3)
    masses = cell_probabilities(mixture, edges)
    np.testing.assert_allclose(masses.sum(axis=0), 1.0)
    inside = (x >= 0.1) & (x <= 0.45)
    np.testing.assert_allclose(masses[1], np.trapezoid(density[inside], x[inside], axis=0), rtol=1e-3)
    np.testing.assert_array_equal(masses[3], 0.0)


def test_samples_follow_the_density():
    generator = np.random.default_rng(0)
    mixture = fit_mixture(np.array([[0.0], [0.02], [0.7]]))
    drawn = sample_mixture(mixture, 20000, generator)[:, 0]
    edges = np.linspace(0, 1, 11)
    expected = cell_probabilities(mixture, edges[:, None])[:, 0]
    assert stats.chisquare(np.histogram(drawn, edges)[0], 20000 * expected).pvalue > 1e-6
    assert drawn.min() >= 0 and drawn.max() <= 1


def test_choices_count_plus_one():
    points = np.array([[0.25, 1 / 6], [0.25, 5 / 6], [0.75, NAN]])
    found = choice_probabilities(points, np.array([2, 3]))
    np.testing.assert_allclose(found[:, 0], [3 / 5, 2 / 5, 0])
    np.testing.assert_allclose(found[:, 1], [2 / 5, 1 / 5, 2 / 5])


def test_pick_follows_the_probabilities_and_never_takes_a_row_without():
    cumulated = np.cumsum([[0.0, 0.5], [0.3, 0.5], [0.7, 0.0], [0.0, 0.0]], axis=0)
    rows = pick(cumulated, np.array([[0.0, 0.49], [0.29, 0.5], [0.31, 0.999], [1.0, 1.0]]))
    np.testing.assert_array_equal(rows, [[1, 0], [1, 1], [2, 1], [2, 1]])


def test_choices_with_weights_begin_with_them():
    points = np.array([[5 / 6, 0.25], [5 / 6, NAN], [0.5, 0.75]])
    found = choice_probabilities(points, np.array([3, 2]), {0: np.array([0.7, 0.2, 0.1])})
    np.testing.assert_allclose(found, [[2.1 / 6, 2 / 4], [1.6 / 6, 2 / 4], [2.3 / 6, 0]])
