"""The probability that a run of one method is below a run of another."""

from __future__ import annotations

import numpy as np

from core.report.statistics.comparisons import probabilities, time_of_lead, wins


def test_pairs_of_runs_count_ties_half():
    ours, theirs = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]), np.array([[2.0, np.inf], [2.0, 0.0]])
    matrix = wins(ours, theirs)
    assert matrix.shape == (2, 3, 2)
    whole = probabilities(matrix, np.arange(3)[None], np.arange(2)[None])
    np.testing.assert_allclose(whole, [[(2 + 1 + 0) / 6, (3 + 1.5) / 6]])
    drawn = probabilities(matrix, np.array([[0, 0, 2]]), np.array([[1, 1]]))
    np.testing.assert_allclose(drawn, [[4 / 6, 1 / 2]])


def test_a_lead_begins_where_it_stays():
    """Ahead once, then from the 31st time on; never; always."""
    times = np.geomspace(0.01, 1.0, 41)
    found = np.full((3, len(times)), 0.5)
    found[0, [10, *range(30, len(times))]] = 0.7
    found[2] = 0.9
    np.testing.assert_allclose(time_of_lead(found, times, 0.6), [times[30], np.inf, times[0]])
