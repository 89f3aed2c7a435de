"""Shapes of claims about two searches, on made-up runs whose curves are known in closed form."""

from __future__ import annotations

import pandas as pd
import pytest

from core.report.verdicts.shapes.searches import faster, final_log_regret, lower_than, within_factor
from tests.core.report.made_runs import made


class Results:
    def __init__(self, *frames: pd.DataFrame) -> None:
        self._frame = pd.concat(frames)

    def frame(self, experiment: str) -> pd.DataFrame:
        return self._frame


@pytest.fixture
def halves():
    """One method's regret is half of the other's at all times, and so falls to a level in a quarter of the time."""
    return Results(made("letter", "bohb", 0.5, 0.5), made("letter", "tpe", 1.0, 0.5))


RUNS = ("searches",)


@pytest.mark.parametrize("at", ["end", 20])
@pytest.mark.parametrize("factor, holds", [(1.0, "holds"), (1.5, "holds"), (3.0, "fails")])
def test_lower_by_a_factor(halves, factor, holds, at):
    assert lower_than(halves, RUNS, "letter", "bohb", "tpe", at, factor).holds == holds


def test_alike_within_a_factor(halves):
    assert within_factor(halves, RUNS, "letter", "bohb", "tpe", 3.0).holds == "holds"
    assert within_factor(halves, RUNS, "letter", "tpe", "bohb", 1.5).holds == "fails"


def test_a_method_that_ends_before_it_has_learned_leaves_an_order_open(halves):
    for check in (
        lower_than(halves, RUNS, "letter", "bohb", "tpe", learning={"tpe": 1000}),
        within_factor(halves, RUNS, "letter", "bohb", "tpe", 3.0, learning={"bohb": 1000}),
        faster(halves, RUNS, "letter", "tpe", "bohb", "quarter", learning={"tpe": 1000}),
    ):
        assert check.holds == "inconclusive" and "hardly learned anything before 1000" in check.detail
    assert lower_than(halves, RUNS, "letter", "bohb", "tpe", learning={"tpe": 100}).holds == "holds"


@pytest.mark.parametrize("average", ["mean", "median"])
@pytest.mark.parametrize("level", ["end", "quarter", 0.1])
def test_faster_by_a_factor(halves, level, average):
    options = {"average": average, "metric": "loss"}
    check = faster(halves, RUNS, "letter", "tpe", "bohb", level, 2.0, 8.0, **options)
    assert check.holds == "holds" and check.ours == pytest.approx(4, rel=0.1)
    assert faster(halves, RUNS, "letter", "tpe", "bohb", level, above=12.0, **options).holds == "fails"


def test_orders_of_magnitude_between_final_regrets():
    frames = [
        made("letter", method, scale, 0).assign(status="ok") for method, scale in (("dngo", 0.1), ("random", 1.0))
    ]
    check = final_log_regret(Results(*frames), RUNS, "letter", "random", "dngo", 0, above=0.5, below=1.5)
    assert check.holds == "holds" and check.ours == pytest.approx(1.0)
    assert final_log_regret(Results(*frames), RUNS, "letter", "dngo", "random", 0, above=0.0).holds == "fails"
