"""Wilson's interval against the test that it inverts, and where a bootstrap has no width."""

import numpy as np
import pytest
from scipy.stats import binomtest

from core.report.statistics.intervals import share_interval


@pytest.mark.parametrize(("count", "n"), [(10, 10), (0, 7), (3, 10), (136, 150)])
def test_the_interval_is_wilsons(count, n):
    found = share_interval(np.arange(n) < count)
    expected = binomtest(count, n).proportion_ci(method="wilson")
    assert found.estimate == pytest.approx(count / n)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_ten_of_ten_runs_leave_it_open_whether_nine_of_ten_are_exceeded():
    assert share_interval(np.ones(10)).low < 0.9 < share_interval(np.ones(100)).low
