"""Hyperband with LC-Net on tables: the experiment at smoke scale, and claims and figures on made-up runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.report.runs.frames import NotRunError
from core.report.verdicts.claims import run_check
from core.tabular.frame import to_records
from core.tabular.grid import FCNET
from core.tabular.table import synthetic_table
from core.tabular.values import LABELS
from tests.core.report.made_runs import RUNS, made
from tests.papers.functions import Functions, all_claims
from tests.papers.runs import Fake

artifacts, experiments = Functions("lcnet", "artifacts"), Functions("lcnet", "experiments")
CLAIMS = [claim for claim in all_claims("lcnet") if claim.artifact in ("fig5_7", "figB_3")]
WHERE = {"hyperband": "tabular/methods", "hyperband_lcnet": "tables", "bohamiann": "tabular/bohamiann"}
PUBLISHED = {"hyperband": (0.1, 0.3), "hyperband_lcnet": (0.09, 0.6), "bohamiann": (1.0, 0.8)}
CONTRARY = {"hyperband": (0.05, 0.5), "hyperband_lcnet": (0.2, 0.3), "bohamiann": (0.004, 0.0)}


def results_of(curves: dict, names=tuple(LABELS), **others: dict) -> Fake:
    """Results in which each method has its curve, scale t^-exponent, on each set."""
    frames = {}
    for method, place in WHERE.items():
        each = [made(name, method, *(curves | others.get(name, {}))[method]) for name in names]
        other = [made(names[0], "reinforce", 9.0, 0.0)] if method == "hyperband" else []
        frames[place] = pd.concat([*each, *other])
    return Fake(**frames)


@pytest.fixture(scope="module")
def worlds():
    """On Parkinson LC-Net's curve crosses Hyperband's: in one world from below, in the other it stays above."""
    crossing = {"hyperband": (0.3, 0.5), "hyperband_lcnet": (0.04, 0.1)}
    return {True: results_of(PUBLISHED, parkinsons=crossing), False: results_of(CONTRARY)}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_holds_where_it_is_true_and_fails_where_it_is_not(claim, worlds):
    assert run_check(claim, worlds[True]).holds == "holds"
    assert run_check(claim, worlds[False]).holds == "fails"


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_without_runs_is_not_run(claim):
    assert run_check(claim, Fake()).holds == "not run"


def test_claims_about_all_sets_are_judged_on_those_at_hand():
    results = results_of(PUBLISHED, ["protein", "naval"])
    for claim in CLAIMS:
        if claim.id != "lcnet_ends_worse_on_parkinson":
            check = run_check(claim, results)
            assert check.holds == "holds" and "without HPO-Bench-Slice" in check.detail


def outcome(name: str, results: Fake) -> str:
    (claim,) = (claim for claim in CLAIMS if claim.id == name)
    return run_check(claim, results).holds


def test_the_beginning_lasts_a_tenth_of_the_time():
    """BOHAMIANN comes below Hyperband between a twentieth and a tenth of the time: too soon."""
    early = results_of({"hyperband": (0.06, 0.0), "hyperband_lcnet": (0.09, 0.6), "bohamiann": (1.0, 0.8)})
    assert outcome("hyperband_starts_ahead", early) == "fails"


def test_one_run_that_is_far_off_does_not_decide(worlds):
    """One run of Hyperband with LC-Net that stays where it was makes its mean the larger, not its runs."""
    results = results_of(PUBLISHED)
    rows = results.frames["tables"]
    off = (rows["run"] == 0) & (rows["benchmark"] == "protein")
    results.frames["tables"] = rows.assign(regret=rows["regret"].where(~off, 50.0))
    for name in ("lcnet_ends_better", "lcnet_is_much_faster"):
        assert outcome(name, results) == "holds"


def test_figures_draw_the_three_methods(worlds):
    for name, sets in (("fig5_7", 2), ("figB_3", 4)):
        figure = getattr(artifacts, name)(worlds[True], None)
        assert set(figure.data["method"]) == set(WHERE) and figure.data["benchmark"].nunique() == sets
        assert (figure.data["low"] <= figure.data["regret"]).all() and (
            figure.data["regret"] <= figure.data["high"]
        ).all()
        assert f"Hyperband + LC-Net {RUNS}" in figure.caption
    with pytest.raises(NotRunError):
        artifacts.figB_3(Fake(), None)


def test_a_set_that_was_not_run_says_so():
    figure = artifacts.fig5_7(results_of(PUBLISHED, ["protein", "naval"]), None).figure
    assert [[text.get_text() for text in axes.texts] for axes in figure.axes] == [[], ["not run"]]


class OfSynthetic(Context):
    """A context whose table is computed by a formula."""

    def records(self, experiment: str) -> pd.DataFrame:
        assert experiment == "tabular/grid"
        return to_records(synthetic_table(FCNET.restricted(n_units_1=(16,), n_units_2=(16, 64)), seed=1))


def test_the_experiment_runs_on_chapter_7s_table():
    (cell,) = find_cells(Papers(), "lcnet/tables", "smoke")
    runs = experiments.tables(OfSynthetic(cell, range(1)))
    assert set(runs["run"]) == {0} and (runs["regret"] >= 0).all()
    assert (np.diff(runs["finished"]) > 0).all() and (np.diff(runs["loss"])[:-1] < 0).all()
    assert runs["evaluation"].iloc[-1] == (27 + 9 + 3 + 1) + (12 + 4 + 1) + (6 + 2) + 4
