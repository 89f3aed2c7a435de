"""A claim is judged at the paper's full protocol if the runs that fall short of it have no part in its check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.experiment.cells import Cell
from core.experiment.context import Context
from core.experiment.results import Results
from core.experiment.runner import run_cell
from core.experiment.settings import Settings
from core.report import Check, Interval, judge
from core.report.verdicts.claims import Claim, run_check
from core.report.verdicts.protocol import Protocol

WHOLE = Cell("toy", "fit", "line", "whole", "paper", 12, Settings(), "fit")
SHORT = replace(WHOLE, method="short", scale="quick", runs=3)
OTHER = replace(SHORT, experiment="count")
GRIDS = {"fit": {("line", "whole"), ("line", "short")}, "count": {("line", "short")}}


def fit(context: Context) -> pd.DataFrame:
    return pd.DataFrame({"run": context.runs, "value": np.arange(len(context.runs)) / 2})


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Results:
    root = tmp_path_factory.mktemp("results")
    cells = (WHOLE, SHORT, OTHER)
    for cell in cells:
        run_cell(cell, fit, root)
    return Results(cells, root, "run", {"fit": "quick", "count": "quick"})


def mean_of(*methods: str, experiment: str = "fit", nothing: float = np.nan) -> Callable[[Results], Check]:
    def check(results: Results) -> Check:
        frame = results.frame(experiment)
        values = frame[frame["method"].isin(methods)]["value"]
        mean = float(values.mean()) if len(values) else nothing
        return judge(Interval(mean, mean, mean), lower=0.0, detail=f"{len(values)} values")

    return check


def reduced(results: Results, check: Callable[[Results], Check], grids=GRIDS, experiments=()) -> bool:
    claim = Claim("rises", "toy.py", "fig1", "claim", "It rises.", "Fig 1", "up", check, experiments=experiments)
    return Protocol(results, grids).is_reduced(claim, run_check(claim, results), 1)


def test_only_whole_cells_remain(results):
    assert results.whole_cells().cells == [results.cells[0]]
    assert results.whole_cells().frame("fit")["method"].unique().tolist() == ["whole"]
    assert results.whole_cells().frame("count").empty


def test_the_runs_that_a_check_reads_decide(results):
    assert not reduced(results, mean_of("whole"))
    assert reduced(results, mean_of("short"))
    assert reduced(results, mean_of("whole", "short"))
    assert reduced(results, mean_of("short", experiment="count"))


def test_the_detail_counts_even_if_the_value_is_the_same(results):
    assert reduced(results, mean_of("short", nothing=0.5))  # the mean of three runs is 0.5, too


def test_a_check_that_cannot_do_without_the_other_runs_needs_them(results):
    def last(results: Results) -> Check:
        frame = results.frame("fit")
        last = frame[frame["method"] == "short"]["value"].to_numpy()[-1]
        return judge(Interval(last, last, last), lower=0.0)

    assert reduced(results, last)


def test_a_cell_that_was_not_run_counts_where_the_claim_may_read_it(results):
    grids = {**GRIDS, "count": {("line", "short"), ("plane", "short")}}
    assert reduced(results, mean_of("whole"), grids)
    assert not reduced(results, mean_of("whole"), grids, experiments=("fit",))


def test_made_up_results_have_no_grids(results):
    assert reduced(results, mean_of("whole"), {})


def test_nothing_is_reduced_at_the_scale_of_the_paper(results):
    whole = Results((WHOLE,), results._root, "run", {"fit": "paper"})
    assert not reduced(whole, mean_of("whole"))
