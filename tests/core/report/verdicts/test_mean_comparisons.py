"""Comparisons of regrets, against curves whose answers are known in closed form."""

from __future__ import annotations

import pandas as pd

from core.report.verdicts.mean_comparisons import lower_than, within_factor
from tests.core.report.made_runs import RUNS, made

RESOLUTION = 1e-4


def test_regrets_below_the_resolution_are_not_told_apart():
    frame = pd.concat([made("letter", "bohb", 1e-8, 0), made("letter", "tpe", 1e-12, 0)])
    for margin in (1.0, 1 / 1.5):
        assert lower_than(frame, "letter", "bohb", "tpe", margin=margin, floor=RESOLUTION).holds == "inconclusive"
    assert lower_than(frame, "letter", "bohb", "tpe").holds == "fails"
    assert within_factor(frame, "letter", "bohb", "tpe", 2.0, floor=RESOLUTION).holds == "holds"


def test_a_time_after_the_end_of_a_run_and_ends_far_apart_are_open():
    frame = pd.concat([made("d8", "bohb", 0.1, 0.5), made("d8", "random", 1, 0.1, last=100)])
    assert lower_than(frame, "d8", "bohb", "random", 50).holds == "holds"
    for time in (None, 200):
        check = lower_than(frame, "d8", "bohb", "random", time)
        assert check.holds == "inconclusive" and "random ends at 100" in check.detail


def test_a_reason_not_to_compare_leaves_the_order_open():
    frame = pd.concat([made("d8", "bohb", 0.1, 0.5), made("d8", "random", 1, 0.1)])
    for check in (
        lower_than(frame, "d8", "bohb", "random", reason=lambda cells: f"{' and '.join(cells)}: no model"),
        within_factor(frame, "d8", "random", "bohb", 2.0, reason=lambda cells: f"{' and '.join(cells)}: no model"),
    ):
        assert check.holds == "inconclusive" and check.detail.endswith("(random and bohb: no model)")


def test_one_run_far_above_the_others_does_not_turn_the_order():
    """It makes up most of the arithmetic mean, which is five times that of the other method."""
    frame = pd.concat([made("letter", "bohb", 1e-3, 0), made("letter", "tpe", 1e-2, 0)])
    frame.loc[(frame["method"] == "bohb") & (frame["run"] == 0), "regret"] = 1.2
    assert lower_than(frame, "letter", "bohb", "tpe").holds == "holds"


def test_a_ratio_with_regrets_of_zero_says_what_stands_for_them():
    frame = pd.concat([made("letter", "bohb", 0.0, 0), made("letter", "tpe", 1e-2, 0)])
    assert lower_than(frame, "letter", "bohb", "tpe").detail.endswith(f"({RUNS} below 1e-12 count as that)")
    assert "count as" not in lower_than(frame.replace(0.0, 1e-3), "letter", "bohb", "tpe").detail
