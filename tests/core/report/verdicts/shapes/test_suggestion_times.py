"""Shapes of claims about the time of a suggestion, on times that grow with a known power."""

from __future__ import annotations

import pandas as pd
import pytest

from core.report.runs.frames import NotRunError
from core.report.verdicts.shapes.suggestion_times import grows_with_power, slower_suggestion


class Results:
    """Times scale N^exponent of three repetitions, which differ by a percent."""

    def __init__(self, sizes=(100, 1000, 4000), **methods: tuple[float, float]) -> None:
        self._rows = pd.DataFrame(
            {"method": method, "run": run, "observations": n, "cpu_seconds": scale * n**exponent * (1 + run / 100)}
            for method, (scale, exponent) in methods.items()
            for run in range(3)
            for n in sizes
        )

    def frame(self, experiment: str) -> pd.DataFrame:
        return self._rows


def test_the_power_of_growth():
    results = Results(gp=(1e-9, 3.0), dngo=(1e-3, 1.0))
    assert grows_with_power(results, "gp", 3.0, 0).holds == grows_with_power(results, "dngo", 1.0, 0).holds == "holds"
    check = grows_with_power(results, "gp", 1.0, 0)
    assert check.holds == "fails" and check.ours == pytest.approx(3.0) and "from 1000 to 4000" in check.detail


def test_growth_below_large_numbers_is_open():
    check = grows_with_power(Results((10, 100, 1000), gp=(1e-9, 3.0)), "gp", 3.0, 0)
    assert check.holds == "inconclusive" and "from 100 to 1000" in check.detail and "below 1,000" in check.detail
    with pytest.raises(NotRunError, match="two numbers of observations"):
        grows_with_power(Results((1000,), gp=(1e-9, 3.0)), "gp", 3.0, 0)


def test_which_takes_longer_and_from_where_on():
    results = Results(gp=(1e-9, 3.0), dngo=(5e-4, 1.0))  # equal at 707
    check = slower_suggestion(results, "gp", "dngo", 0)
    assert check.holds == "holds" and "slower from 1000 observations on" in check.detail
    assert check.ours == pytest.approx(4000**2 * 2e-6)
    check = slower_suggestion(Results(gp=(1e-9, 3.0), dngo=(1.0, 1.0)), "gp", "dngo", 0)
    assert check.holds == "fails" and "never slower" in check.detail
