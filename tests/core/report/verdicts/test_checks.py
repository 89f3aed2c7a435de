"""When a claim holds.

Claims made of parts, and parts that were not run or cannot be decided.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.report.runs.frames import NotRunError, reading
from core.report.statistics.intervals import Interval
from core.report.verdicts.checks import (
    Check,
    absent,
    after_looks,
    all_of,
    at_least,
    both,
    contrary,
    each_of,
    judge,
    left_out,
    not_run,
    open_where,
    outside,
    slightly,
    unknown,
    worded,
)
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


HOLDS = judge(Interval(1.0, 0.5, 2.0), lower=0, detail="a")


def test_several_together():
    yes, no = (
        judge(Interval(1, 0.5, 2), lower=0, detail="a"),
        judge(Interval(-1, -2, -0.5), lower=0, detail="b"),
    )
    unsure = judge(Interval(0, -1, 1), lower=0)
    assert all_of([yes, yes]).holds == "holds" and all_of([yes, yes]).ours == "2 of 2"
    assert all_of([yes, unsure]).holds == "inconclusive"
    assert all_of([yes, unsure, no]).holds == "fails" and all_of([yes, no], "sets").detail == "sets; a; b"
    assert all_of([no, not_run()]).holds == "not run"
    assert all_of([]).holds == "not run"


@pytest.mark.parametrize(("parts", "outcome"), [(1, "fails"), (2, "fails"), (3, "inconclusive"), (16, "inconclusive")])
def test_one_of_many_parts_fails_the_claim_only_if_it_does_so_with_their_common_5_percent(parts, outcome):
    """A part that is false at z = 2.3: beyond the quantile of 5% / 2, 2.24, and not beyond that of 5% / 3, 2.39."""
    false = judge(Interval(-2.3, -2.3 - 1.96, -2.3 + 1.96), lower=0.0)
    true = judge(Interval(5.0, 4.0, 6.0), lower=0.0)
    check = all_of([false, *[true] * (parts - 1)])
    assert check.holds == outcome and check.ours == f"{parts - 1} of {parts}"
    assert all_of([check]).holds == outcome
    assert ("1 of" in check.detail) == (outcome == "inconclusive")


def test_what_was_not_sampled_fails_in_any_company():
    exact = judge(Interval(1.0, 1.0, 1.0), lower=2.0)
    assert all_of([exact, *[judge(Interval(3.0, 2.5, 4.0), lower=2.0)] * 15]).holds == "fails"


def test_a_part_about_a_missing_method_is_outside_and_one_about_a_missing_set_is_left_out():
    assert absent("SMAC").holds == "outside" and absent("SMAC").detail == "SMAC not run"
    assert all_of([HOLDS, absent("SMAC")]).holds == "outside"
    assert all_of([absent("SMAC"), unknown("too short")]).holds == "inconclusive"
    assert all_of([absent("SMAC"), contrary(HOLDS)]).holds == "fails"
    on_those_at_hand = all_of([HOLDS, left_out("slice")])
    assert on_those_at_hand.holds == "holds" and on_those_at_hand.ours == "1 of 1"
    assert "without slice" in on_those_at_hand.detail
    assert all_of([left_out("slice")]).holds == "not run"
    part = outside(HOLDS, "a part of the grid")
    assert part.holds == "outside" and part.detail == "a; a part of the grid"
    assert all_of([contrary(HOLDS), unknown("too short")]).holds == "fails"


def test_a_part_for_each_name_whether_run_or_not():
    parts = each_of(["tpe", "smac"], {"tpe"}, lambda name: worded(HOLDS, name), str.upper)
    assert [part.detail for part in parts] == ["tpe: 1 [0.5, 2] (a)", "SMAC not run"]


def test_the_contrary_of_an_open_claim_is_open():
    assert [contrary(HOLDS).holds, contrary(contrary(HOLDS)).holds] == ["fails", "holds"]
    assert contrary(unknown("short")).holds == "inconclusive"


def test_a_reason_opens_a_check_and_none_leaves_it():
    assert open_where(HOLDS, "") is HOLDS
    opened = open_where(HOLDS, "too short")
    assert (opened.holds, opened.detail, opened.ours) == ("inconclusive", "a (too short)", 1.0)


@pytest.mark.parametrize(
    "check, digits, detail",
    [
        (judge(Interval(0.1234, -0.5, 2)), ".3g", "gap: 0.123 [-0.5, 2]"),
        (judge(Interval(0.1234, -0.5, 2)), "+.2f", "gap: +0.12 [-0.50, 2.00]"),
        (Check("3 of 4", 0, 0, "fails", "b"), ".3g", "gap: 3 of 4 (b)"),
    ],
)
def test_words_say_what_a_part_is_and_its_value(check, digits, detail):
    assert worded(check, "gap", digits).detail == detail


@pytest.mark.parametrize(
    ("interval", "detail"),
    [
        (Interval(0.9, 0.7, 1.1), "a; by more than slightly"),
        (Interval(-0.2, -0.3, -0.1), "a"),
        (Interval(0.4, 0.3, 0.6), "a"),
    ],
)
def test_what_is_more_than_slight_says_so(interval, detail):
    check = slightly(judge(interval, lower=0, upper=0.5, detail="a"), 0.5)
    assert check.detail == detail and check.holds != "holds"


def test_an_outside_claim_says_what_our_part_shows():
    fails = contrary(HOLDS)
    assert [outside(check, "a part").part for check in (HOLDS, fails, unknown("short"))] == [
        "holds",
        "fails",
        "inconclusive",
    ]
    assert outside(outside(fails, "a part"), "of a part").part == "fails"
    assert absent("SMAC").part == "" and outside(not_run(), "a part").holds == "not run"
    assert contrary(outside(HOLDS, "a part")).part == "fails"


def test_parts_that_agree_but_are_outside_are_counted():
    agree, differ = outside(HOLDS, "a part"), outside(contrary(HOLDS), "a part")
    together = all_of([agree, agree, agree])
    assert (together.holds, together.part, together.ours) == ("outside", "holds", "3 of 3")
    mixed = all_of([agree, differ, absent("SMAC")])
    assert (mixed.holds, mixed.part, mixed.ours) == ("outside", "fails", "1 of 3")
    assert all_of([HOLDS, absent("SMAC")]).part == "holds"
    refuted = all_of([contrary(HOLDS), agree])
    assert (refuted.holds, refuted.part, refuted.ours) == ("fails", "", "1 of 2")


@pytest.mark.parametrize(
    ("border", "looks", "outcome"), [(2.3, 1, "holds"), (2.3, 2, "holds"), (2.3, 3, "inconclusive")]
)
@pytest.mark.parametrize("sign", [1, -1])
def test_an_outcome_that_was_looked_at_before_runs_were_added_pays_for_it(border, looks, outcome, sign):
    """A value 2.3 standard errors from the border: beyond the quantile of 5% / 2, 2.24, not beyond 2.39, of 5% / 3."""
    value = Interval(sign * border, sign * border - 1.96, sign * border + 1.96)
    expected = outcome if sign == 1 else outcome.replace("holds", "fails")
    check = judge(value, lower=0.0)
    assert after_looks(check, looks).holds == expected
    assert ("looks" in after_looks(check, looks).detail) == (outcome == "inconclusive")
    part = outside(check, "a part")
    assert (after_looks(part, looks).holds, after_looks(part, looks).part) == ("outside", expected)
    assert after_looks(all_of([check]), looks).holds == expected


def test_what_was_not_sampled_stands_after_any_number_of_looks():
    exact = judge(Interval(3.0, 3.0, 3.0), lower=2.0)
    assert after_looks(exact, 50) == exact
    assert after_looks(unknown("short"), 50) == unknown("short")


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (["holds"] * 4 + ["fails"], "holds"),
        (["holds"] * 5, "holds"),
        (["holds"] * 3 + ["fails"] * 2, "fails"),
        (["holds"] * 3 + ["fails", "inconclusive"], "inconclusive"),
    ],
)
def test_at_least_four_of_five(outcomes, expected):
    checks = [Check(1.0, 0.9, 1.1, outcome, f"part {i}", clear=3.0) for i, outcome in enumerate(outcomes)]
    check = at_least(4, checks, "parts")
    assert (check.holds, check.ours) == (expected, f"{outcomes.count('holds')} of 5")
    assert check.detail.startswith("parts; part 0; ")


def test_at_least_shares_the_chance_of_one_false_part():
    """Either of two spare parts may make it hold, any of four may make it fail; all of them is `all_of`."""
    barely = [Check(1.0, 0.9, 1.1, "holds", clear=clear) for clear in (3.0, 3.0, 3.0, 1.1)]
    assert at_least(4, [*barely, Check(1.0, 0.9, 1.1, "fails", clear=3.0)]).holds == "inconclusive"
    assert at_least(4, barely).holds == all_of(barely).holds == "holds"
    failing = [Check(1.0, 0.9, 1.1, "fails", clear=1.2) for _ in range(5)]
    assert at_least(4, failing).holds == all_of(failing).holds == "inconclusive"
    assert at_least(1, failing).holds == "fails"


def test_two_questions():
    """Either answer stands alone where the other's data are not at hand, and neither changes the other."""
    ours, theirs = Check(1.0, 0.9, 1.1, "holds", clear=1.1), Check(-1.0, -1.1, -0.9, "fails")

    def absent():
        raise NotRunError("grid/protein")

    check = both(lambda: ours, lambda: theirs)
    assert (check.holds, check.reproduced) == ("holds", theirs)
    looked = after_looks(check, 3)
    assert (looked.holds, looked.reproduced) == ("inconclusive", theirs)
    assert both(lambda: ours, absent) is ours
    check = both(absent, lambda: theirs)
    assert (check.holds, check.detail, check.reproduced) == ("not run", "grid/protein", theirs)
    with pytest.raises(NotRunError):
        both(absent, absent)
