"""Checks of the claims about several tasks on made-up runs for which the answer is known, and their figures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.report.runs.frames import NotRunError
from papers.bohamiann import figures
from papers.bohamiann.checks.searches import SETS, evaluations_to_target, points_of_regret
from tests.papers.functions import Functions
from tests.papers.runs import Fake

artifacts = Functions("bohamiann", "artifacts")
claims = Functions("bohamiann", "claims")

RUNS, EVALUATIONS = 12, 20
PROBLEMS = [f"{algorithm}_{group}" for group in figures.GROUPS for algorithm in ("svm", "forest")]


def rows(benchmark: str, method: str, values: np.ndarray) -> pd.DataFrame:
    """Losses (runs, n), which are the regrets too."""
    run, evaluation = np.indices(values.shape).reshape(2, -1)
    columns = {"run": run, "evaluation": evaluation + 1, "loss": values.ravel(), "regret": values.ravel()}
    return pd.DataFrame({"benchmark": benchmark, "method": method, "status": "ok", **columns})


def losses(level: float, seed: int = 0) -> np.ndarray:
    """Log losses around a level, run by run, that fall by a factor of two."""
    spread = 10 ** (level + 0.02 * np.random.default_rng(seed).normal(size=(RUNS, 1)))
    return spread * np.linspace(2, 1, EVALUATIONS)


def xgboost(levels: dict[str, float], wine: dict[str, float] | None = None, sets: int = len(SETS)) -> Fake:
    frames = []
    for name in SETS[:sets]:
        for number, (method, level) in enumerate({**levels, **((wine or {}) if name == "wine_red" else {})}.items()):
            frames.append(rows(name, method, losses(level, number)))
    return Fake(xgboost=pd.concat(frames, ignore_index=True))


def found_at(evaluation: float, seed: int = 0) -> np.ndarray:
    """Regrets of 0.1 that are 0 from about an evaluation on."""
    found = np.random.default_rng(seed).integers(-1, 2, size=(RUNS, 1)) + evaluation
    return np.where(np.arange(1, EVALUATIONS + 1) < found, 0.1, 0.0)


def searches(times: dict[str, float]) -> Fake:
    frames = [
        rows(problem, method, found_at(time, seed))
        for seed, problem in enumerate(PROBLEMS)
        for method, time in times.items()
    ]
    return Fake(multitask=pd.concat(frames, ignore_index=True))


USUAL = {"random": 0.0, "gp": -0.2, "bohamiann": -0.4, "mt_gp": -0.5, "mt_bohamiann": -0.6}


def test_bohamiann_is_best_where_it_is_on_every_set():
    checks = claims.bohamiann_is_best_on_three, claims.bohamiann_is_above_the_gp, claims.bohamiann_is_above_random
    assert [check(xgboost(USUAL)).holds for check in checks] == ["holds"] * 3
    assert claims.bohamiann_is_best_on_three(xgboost(USUAL)).ours == "6 of 6"
    beaten = xgboost({**USUAL, "gp": -0.7})
    assert [check(beaten).holds for check in checks] == ["fails", "fails", "holds"]


def test_a_claim_about_every_set_is_judged_on_those_at_hand():
    checks = claims.bohamiann_is_best_on_three, claims.bohamiann_is_above_the_gp, claims.warm_starts_help_bohamiann
    assert [check(xgboost(USUAL, sets=7)).holds for check in checks] == ["holds"] * 3
    assert "without protein" in claims.bohamiann_is_above_the_gp(xgboost(USUAL, sets=7)).detail
    assert claims.bohamiann_is_above_the_gp(xgboost({**USUAL, "gp": -0.7}, sets=7)).holds == "fails"


def test_warm_starts_help_everywhere_but_on_wine():
    helps = claims.warm_starts_help_bohamiann, claims.warm_starts_help_the_gp
    assert [check(xgboost(USUAL)).holds for check in helps] == ["holds", "holds"]
    harmful = xgboost({**USUAL, "mt_bohamiann": -0.3, "mt_gp": -0.1})
    assert [check(harmful).holds for check in helps] == ["fails", "fails"]


@pytest.mark.parametrize(
    ("bohamiann", "gp", "outcome"), [(-0.3, -0.1, "holds"), (-0.42, -0.22, "holds"), (-0.6, -0.5, "fails")]
)
def test_wine_is_an_exception_where_it_gains_less_than_half(bohamiann, gp, outcome):
    """The others gain 0.2 and 0.3: a loss on wine and a small gain are exceptions, as large a gain is none."""
    wine = {"mt_bohamiann": bohamiann, "mt_gp": gp}
    assert claims.wine_is_the_exception(xgboost(USUAL, wine)).holds == outcome


def test_shares_of_evaluations_that_are_saved():
    found = searches({"gp": 15, "mt_gp": 13, "mt_bohamiann": 10})
    assert claims.multitask_bohamiann_is_faster(found).ours == pytest.approx(1 / 3, abs=0.05)
    checks = (
        claims.multitask_bohamiann_is_faster,
        claims.multitask_gp_is_faster,
        claims.multitask_bohamiann_is_the_faster_one,
        claims.all_end_near_the_optimum,
    )
    assert [check(found).holds for check in checks] == ["holds"] * 4
    slower = searches({"gp": 10, "mt_gp": 13, "mt_bohamiann": 40})
    assert [check(slower).holds for check in checks] == ["fails"] * 4


def test_the_second_case_is_judged_by_its_own_runs():
    times = {"gp": 15, "mt_gp": 17, "mt_bohamiann": 10}
    frames = [rows("openml_svm", method, found_at(time, 1)) for method, time in times.items()]
    found = Fake(multitask_openml=pd.concat(frames, ignore_index=True))
    assert claims.multitask_bohamiann_is_faster_on_openml(found).holds == "holds"
    assert claims.multitask_gp_is_faster_on_openml(found).holds == "fails"
    assert set(artifacts.multitask_openml(found, None).data["method"]) == set(times)


def test_targets_that_are_not_reached_take_one_evaluation_more_than_there_were():
    frame = searches({"gp": 99}).frames["multitask"]
    assert (evaluations_to_target(frame, "gp") == EVALUATIONS + 1).all()
    np.testing.assert_allclose(points_of_regret(frame, "svm_many", "gp"), 10)
    just = rows("svm_many", "gp", np.array([[0.5, 0.0025, 0.0]]))
    assert evaluations_to_target(just, "gp").tolist() == [[2]]


def test_every_figure_draws_what_was_run():
    results = Fake(**xgboost(USUAL, sets=7).frames, **searches({"gp": 15, "mt_gp": 13, "mt_bohamiann": 10}).frames)
    assert set(artifacts.fig3_4(results, None).data["method"]) == set(figures.AFTER_OTHERS)
    drawn = artifacts.figA_2(results, None)
    assert drawn.data["benchmark"].nunique() == 7
    assert drawn.caption.endswith("Not run: Protein structure, Parkinsons telemonitoring, Slice localization.")
    assert set(artifacts.multitask(results, None).data["benchmark"]) == set(PROBLEMS)
    for draw in (artifacts.fig3_4, artifacts.figA_2, artifacts.multitask):
        with pytest.raises(NotRunError):
            draw(Fake(), None)
