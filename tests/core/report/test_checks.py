"""When a claim holds."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from core.report.bootstrap import Interval
from core.report.checks import judge


@given(st.floats(-5, 5), st.floats(0, 3), st.floats(0, 3), st.floats(-5, 5), st.floats(0, 5))
def test_a_claim_holds_inside_fails_outside_and_is_open_between(estimate, down, up, lower, width):
    interval, upper = Interval(estimate, estimate - down, estimate + up), lower + width
    outcome = judge(interval, 0.0, lower, upper).holds
    inside = lower < interval.low and interval.high < upper
    outside = interval.high < lower or upper < interval.low
    assert outcome == ("holds" if inside else "fails" if outside else "inconclusive")


def test_one_sided_claims():
    assert judge(Interval(1.0, 0.2, 2.0), "> 0", lower=0).holds == "holds"
    assert judge(Interval(1.0, 0.2, math.inf), "> 0", lower=0).holds == "holds"
    assert judge(Interval(1.0, -0.2, 2.0), "> 0", lower=0).holds == "inconclusive"
    assert judge(Interval(-1.0, -2.0, -0.1), "> 0", lower=0).holds == "fails"
    assert judge(Interval(-1.0, -2.0, -0.1), "< 0", upper=0).holds == "holds"
    assert judge(Interval(0.0, 0.0, 0.0), "> 0", lower=0).holds == "inconclusive"
    assert judge(Interval(math.nan, math.nan, math.nan), "> 0", lower=0).holds == "inconclusive"
    assert judge(Interval(math.nan, math.nan, math.nan), "anything").holds == "inconclusive"
