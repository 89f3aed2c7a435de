"""Figs 8.1, 8.2 and E.2 with their claims, on made-up runs for which the answers are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.report.verdicts.claims import run_check
from papers.profet.xgboost_runs import EXPERIMENT, LABELS, UNLUCKY
from tests.papers.functions import Functions, all_claims
from tests.papers.runs import Fake

artifacts, claims = Functions("profet", "artifacts"), Functions("profet", "claims")
CLAIMS = [claim for claim in all_claims("profet") if claim.artifact in ("fig8_1", "fig8_2", "figE_2")]


def searches(gain: dict[str, float]) -> pd.DataFrame:
    """Ten runs of five evaluations, which BO-GP ends so much below random search."""
    rng, frames = np.random.default_rng(0), []
    for name, less in gain.items():
        for method, level in (("random", 1.0), ("gp", 1.0 - less)):
            for run in range(10):
                loss = level + np.linspace(1, 0, 5) + 0.01 * rng.normal(size=5)
                part = {"benchmark": name, "method": method, "run": run, "evaluation": range(1, 6)}
                frames.append(pd.DataFrame({**part, "loss": loss, "status": "ok", "message": ""}))
    return pd.concat(frames, ignore_index=True)


def seconds(training: float, evaluations: float) -> pd.DataFrame:
    rows = [
        (method, run, 0.1 if method == "random" else 50.0, evaluations, training * (1 + run / 10))
        for method in ("gp", "random", "bohamiann")
        for run in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["method", "run", "proposals", "evaluations", "training"])
    return frame.assign(benchmark="fcnet", count=100)


def world(gain: dict[str, float], training: float, evaluations: float) -> Fake:
    return Fake(**{EXPERIMENT: searches(gain), "wall_clock": seconds(training, evaluations)})


@pytest.fixture(scope="module")
def worlds():
    names = [name for name in LABELS if name != "slice_localization"]
    mixed = dict.fromkeys(names, 0.2) | {"boston": 0.0, "concrete": -0.2}
    wrong = world({name: 0.2 if name in UNLUCKY else -0.2 for name in names}, 1.0, 20.0)
    right = world(mixed, 1000.0, 0.05)
    for each in (right, wrong):
        each.reduced = False  # seconds are judged at the paper's scale alone
    return {True: right, False: wrong}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_holds_where_it_is_true_and_fails_where_it_is_not(claim, worlds):
    assert run_check(claim, worlds[True]).holds == "holds"
    assert run_check(claim, worlds[False]).holds == "fails"


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_without_runs_is_not_run(claim):
    assert run_check(claim, Fake()).holds == "not run"


def test_a_difference_near_zero_is_no_evidence_that_the_ranking_varies():
    """BO-GP ends above random search in half of Boston's runs, and below it by a little less in the others."""
    frame = searches({"boston": 0.0, "power_plant": 0.2, "concrete": 0.2})
    boston = frame["benchmark"] == "boston"
    at = frame["run"].map(lambda run: 1.1 if run % 2 else 0.92).where(frame["method"] == "gp", 1.0)
    results = Fake(**{EXPERIMENT: frame.assign(loss=frame["loss"].where(~boston, at))})
    assert claims.three_sets_do_not_decide(results).holds == "inconclusive"


def test_a_set_that_was_not_run_leaves_the_three_open():
    results = Fake(**{EXPERIMENT: searches({"boston": 0.0, "concrete": 0.2})})
    assert claims.three_sets_do_not_decide(results).holds == "inconclusive"


def test_figures_show_the_sets_that_were_run(worlds):
    assert set(artifacts.fig8_1(worlds[True], None).data["benchmark"]) == set(UNLUCKY)
    figure = artifacts.figE_2(worlds[True], None)
    assert len(figure.data["benchmark"].unique()) == 9 and "Not run: Slice localization" in figure.caption


def test_bars_are_of_twenty_runs(worlds):
    data = artifacts.fig8_2(worlds[True], None).data.set_index("method")
    assert data.loc["random", "generated"] == pytest.approx(20 * 0.15)
    assert data.loc["gp", "trained"] == pytest.approx(20 * (50 + 1100))
