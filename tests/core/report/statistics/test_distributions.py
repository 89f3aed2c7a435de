"""Empirical distributions."""

import numpy as np

from core.report.statistics.intervals import ecdf


def test_values_that_are_not_finite_are_missing_at_the_right_end():
    values, share = ecdf(np.array([3.0, np.nan, 1.0, np.inf, 2.0]))
    assert values.tolist() == [1, 2, 3]
    np.testing.assert_allclose(share, [0.2, 0.4, 0.6])
