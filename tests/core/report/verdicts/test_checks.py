"""When a claim holds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.report.runs.frames import NotRunError, reading
from core.report.statistics.intervals import Interval
from core.report.verdicts.checks import judge
from tests.core.report.toy_artifacts import Cell, Results


@given(st.floats(-5, 5), st.floats(0, 3), st.floats(0, 3), st.floats(-5, 5), st.floats(0, 5))
def test_a_claim_holds_inside_fails_outside_and_is_open_between(estimate, down, up, lower, width):
    interval, upper = Interval(estimate, estimate - down, estimate + up), lower + width
    outcome = judge(interval, lower, upper).holds
    inside = lower < interval.low and interval.high < upper
    outside = interval.high < lower or upper < interval.low
    assert outcome == ("holds" if inside else "fails" if outside else "inconclusive")


@pytest.mark.parametrize(
    ("interval", "lower", "upper", "distances"),
    [
        ((2.0, 1.0, 4.0), 0.0, math.inf, 2.0),
        ((2.0, 1.0, 4.0), -math.inf, 5.0, 1.5),
        ((2.0, 1.0, 4.0), 0.0, 5.0, 1.5),
        ((2.0, 1.0, 4.0), 5.0, 6.0, 1.5),
        ((2.0, 1.0, 4.0), -1.0, 0.0, 2.0),
        ((2.0, 2.0, 2.0), 0.0, 5.0, math.inf),
        ((2.0, 1.0, math.inf), 0.0, math.inf, 2.0),
    ],
)
def test_how_clear_an_outcome_is(interval, lower, upper, distances):
    assert judge(Interval(*interval), lower, upper).clear == pytest.approx(distances)


def test_one_sided_claims():
    assert judge(Interval(1.0, 0.2, 2.0), lower=0).holds == "holds"
    assert judge(Interval(1.0, 0.2, math.inf), lower=0).holds == "holds"
    assert judge(Interval(1.0, -0.2, 2.0), lower=0).holds == "inconclusive"
    assert judge(Interval(-1.0, -2.0, -0.1), lower=0).holds == "fails"
    assert judge(Interval(-1.0, -2.0, -0.1), upper=0).holds == "holds"
    assert judge(Interval(0.0, 0.0, 0.0), lower=0).holds == "inconclusive"
    assert judge(Interval(math.nan, math.nan, math.nan), lower=0).holds == "inconclusive"
    assert judge(Interval(math.nan, math.nan, math.nan)).holds == "inconclusive"


class TestReading:
    """Results with the runs of `uci` and without those of `other`."""

    @pytest.fixture
    def results(self):
        cells = [Cell("boston"), Cell("boston", experiment="other", present=False)]
        return Results(cells, scales={"uci": "paper", "other": "paper"})

    def test_an_error_after_an_empty_frame_was_requested_is_not_run(self, results):
        with pytest.raises(NotRunError, match=r"^other$"), reading(results):
            assert results.frame("uci")["score"].iloc[0] < results.frame("other")["score"].iloc[0]

    def test_an_error_about_runs_that_are_there_stays_one(self, results):
        """A mistyped column, while another experiment of the artifact was not run, and was read by another claim."""
        with reading(results):
            results.frame("other")
        with pytest.raises(KeyError, match="scoer"), reading(results):
            results.frame("uci")["scoer"]
