"""Claims made of parts, and parts that were not run or cannot be decided."""

from __future__ import annotations

import pytest

from core.report.bootstrap import Interval
from core.report.checks import Check, judge
from core.report.outcomes import (
    absent,
    all_of,
    contrary,
    each_of,
    left_out,
    not_run,
    open_where,
    outside,
    unknown,
    worded,
)

HOLDS = judge(Interval(1.0, 0.5, 2.0), "above 0", lower=0, detail="a")


def test_several_together():
    yes, no = (
        judge(Interval(1, 0.5, 2), "", lower=0, detail="a"),
        judge(Interval(-1, -2, -0.5), "", lower=0, detail="b"),
    )
    unsure = judge(Interval(0, -1, 1), "", lower=0)
    assert all_of([yes, yes], "2 of 2").holds == "holds" and all_of([yes, yes], "").ours == "2 of 2"
    assert all_of([yes, unsure], "").holds == "inconclusive"
    assert all_of([yes, unsure, no], "").holds == "fails" and all_of([yes, no], "", "sets").detail == "sets; a; b"
    assert all_of([no, not_run()], "").holds == "not run"
    assert all_of([], "").holds == "not run"


@pytest.mark.parametrize(("parts", "outcome"), [(1, "fails"), (2, "fails"), (3, "inconclusive"), (16, "inconclusive")])
def test_one_of_many_parts_fails_the_claim_only_if_it_does_so_with_their_common_5_percent(parts, outcome):
    """A part that is false at z = 2.3: beyond the quantile of 5% / 2, 2.24, and not beyond that of 5% / 3, 2.39."""
    false = judge(Interval(-2.3, -2.3 - 1.96, -2.3 + 1.96), "", lower=0.0)
    true = judge(Interval(5.0, 4.0, 6.0), "", lower=0.0)
    check = all_of([false, *[true] * (parts - 1)], "all")
    assert check.holds == outcome and check.ours == f"{parts - 1} of {parts}"
    assert all_of([check], "").holds == outcome
    assert ("1 of" in check.detail) == (outcome == "inconclusive")


def test_what_was_not_sampled_fails_in_any_company():
    exact = judge(Interval(1.0, 1.0, 1.0), "", lower=2.0)
    assert all_of([exact, *[judge(Interval(3.0, 2.5, 4.0), "", lower=2.0)] * 15], "all").holds == "fails"


def test_a_part_about_a_missing_method_is_outside_and_one_about_a_missing_set_is_left_out():
    assert absent("SMAC").holds == "outside" and absent("SMAC").detail == "SMAC not run"
    assert all_of([HOLDS, absent("SMAC")], "").holds == "outside"
    assert all_of([absent("SMAC"), unknown("too short")], "").holds == "inconclusive"
    assert all_of([absent("SMAC"), contrary(HOLDS, "")], "").holds == "fails"
    on_those_at_hand = all_of([HOLDS, left_out("slice")], "")
    assert on_those_at_hand.holds == "holds" and on_those_at_hand.ours == "1 of 1"
    assert "without slice" in on_those_at_hand.detail
    assert all_of([left_out("slice")], "").holds == "not run"
    found = outside(HOLDS, "a part of the grid")
    assert found.holds == "outside" and found.detail == "a; a part of the grid"
    assert all_of([contrary(HOLDS, ""), unknown("too short")], "").holds == "fails"


def test_a_part_for_each_name_whether_run_or_not():
    parts = each_of(["tpe", "smac"], {"tpe"}, lambda name: worded(HOLDS, name), str.upper)
    assert [part.detail for part in parts] == ["tpe: 1 [0.5, 2] (a)", "SMAC not run"]


def test_the_contrary_of_an_open_claim_is_open():
    assert [contrary(HOLDS, "not").holds, contrary(contrary(HOLDS, "not"), "").holds] == ["fails", "holds"]
    assert contrary(HOLDS, "not").published == "not" and contrary(unknown("short"), "").holds == "inconclusive"


def test_a_reason_opens_a_check_and_none_leaves_it():
    assert open_where(HOLDS, "") is HOLDS
    opened = open_where(HOLDS, "too short")
    assert (opened.holds, opened.detail, opened.ours) == ("inconclusive", "a (too short)", 1.0)


@pytest.mark.parametrize(
    "check, digits, detail",
    [
        (judge(Interval(0.1234, -0.5, 2), ""), ".3g", "gap: 0.123 [-0.5, 2]"),
        (judge(Interval(0.1234, -0.5, 2), ""), "+.2f", "gap: +0.12 [-0.50, 2.00]"),
        (Check("3 of 4", "", 0, 0, "fails", "b"), ".3g", "gap: 3 of 4 (b)"),
    ],
)
def test_words_say_what_a_part_is_and_what_was_found(check, digits, detail):
    assert worded(check, "gap", digits).detail == detail
