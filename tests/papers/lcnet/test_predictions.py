"""Predictions of learning curves: the experiments at smoke scale, claims and figures on made-up predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from core.experiment.results import Results
from core.report.verdicts.claims import run_check
from papers.lcnet.curves import AUTHORS, LABELS, SETS, curve_set
from papers.lcnet.runs import summarized, summarized_by_curve
from tests.papers.functions import Functions, all_claims
from tests.papers.lcnet.made_sets import records
from tests.papers.runs import Fake, smoke_runs

artifacts = Functions("lcnet", "artifacts")
CLAIMS = [claim for claim in all_claims("lcnet") if claim.artifact in ("fig5_4", "fig5_5", "fig5_6")]
COUNT, EPOCHS, SHARES = 240, 20, (0.1, 0.5, 0.9)


class Quality(NamedTuple):
    """Errors of a method: their deviation early and late, that deviation over the stated one, and outliers early."""

    early: float
    late: float
    stated: float | None = 1.0
    outliers: bool = False


OVERCONFIDENT = 0.02
PUBLISHED = {
    "lcnet": Quality(1.0, 0.2),
    "bnn": Quality(4.0, 0.8),
    "forest": Quality(1.1, 0.22, OVERCONFIDENT),
    "lc_extrapolation": Quality(1.0, 0.05, outliers=True),
    "decaying_gp": Quality(3.0, 0.05),
    "last_seen_value": Quality(1.1, 0.22, None),
}
CONTRARY = {
    "lcnet": Quality(1.0, 0.2, OVERCONFIDENT),
    "bnn": Quality(0.2, 0.04),
    "forest": Quality(9.0, 2.0),
    "lc_extrapolation": Quality(0.2, 1.0),
    "decaying_gp": Quality(0.2, 1.0, OVERCONFIDENT),
    "last_seen_value": Quality(3.0, 0.6, None),
}
UNOBSERVED = {"lcnet": Quality(1.0, 1.0), "bnn": Quality(1.1, 1.1), "forest": Quality(4.0, 4.0)}
UNOBSERVED_CONTRARY = {"lcnet": Quality(1.0, 1.0), "bnn": Quality(4.0, 4.0), "forest": Quality(0.3, 0.3)}


def predictions(curves: np.ndarray, qualities: dict[str, Quality], observed: int, late: bool, epoch: int = EPOCHS):
    """Records of all methods about each curve after an epoch; a curve is as hard for one as for another."""
    unit, frames = np.random.default_rng(observed + epoch).normal(size=len(curves)), []
    for method, quality in qualities.items():
        sd = 0.01 * (quality.late if late else quality.early)
        error = sd * unit
        if quality.outliers and not late:
            error[: len(curves) // 10] = 10 * sd
        frame = pd.DataFrame({"number": range(len(curves)), "epoch": epoch, "mean": curves[:, epoch - 1] + error})
        variance = np.nan if quality.stated is None else (quality.stated * sd) ** 2
        frames.append(frame.assign(variance=variance, observed=observed, method=method, run=0))
    return pd.concat(frames)


def by_method(rows: pd.DataFrame, summary: Callable[[pd.DataFrame], pd.DataFrame]) -> pd.DataFrame:
    """Scores of each method on the authors' curves, as they are recorded."""
    parts = [summary(each).assign(method=method) for method, each in rows.groupby("method")]
    return pd.concat(parts, ignore_index=True).assign(benchmark=AUTHORS)


def world(partial: dict[str, Quality], unobserved: dict[str, Quality], constant: bool) -> Fake:
    rng, t = np.random.default_rng(5), np.linspace(0, 1, EPOCHS)
    sets, seen, unseen = [], [], []
    for name in SETS:
        curves = 0.2 + 0.5 * rng.random((COUNT, 1)) + 0.3 * np.exp(-4 * t)
        sets.append(records(name, curves, np.ones_like(curves)))
        parts = [predictions(curves, partial, round(share * EPOCHS), share > 0.5) for share in SHARES]
        shown = parts[0][parts[0]["method"] == "forest"].head(5)
        before = shown.assign(epoch=EPOCHS - 1, mean=shown["mean"] + (0.0 if constant else 0.1))
        new = predictions(curves, unobserved, 0, late=False).drop(columns="observed")
        if name == AUTHORS:
            seen.append(by_method(pd.concat(parts), lambda rows, curves=curves: summarized(rows, curves)))
            unseen.append(by_method(new, lambda rows, curves=curves: summarized_by_curve(rows, curves)))
        else:
            seen.append(pd.concat([*parts, before]).assign(benchmark=name))
            unseen.append(new.assign(benchmark=name))
    frames = [pd.concat(each, ignore_index=True) for each in (sets, seen, unseen)]
    return Fake(**dict(zip(("curves", "partial", "unobserved"), frames, strict=True)))


@pytest.fixture(scope="module")
def worlds():
    return {True: world(PUBLISHED, UNOBSERVED, True), False: world(CONTRARY, UNOBSERVED_CONTRARY, False)}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_holds_where_it_is_true_and_fails_where_it_is_not(claim, worlds):
    for published, outcome in ((True, "holds"), (False, "fails")):
        found = run_check(claim, worlds[published])
        assert found.holds == outcome
        assert found.reproduced is None if claim.artifact == "fig5_4" else found.reproduced.holds == outcome


def test_claims_are_judged_on_our_own_curves_where_the_authors_are_not_at_hand(worlds):
    names = [claim for claim in CLAIMS if claim.artifact == "fig5_5"]
    frames = {name: worlds[True].frame(name) for name in ("curves", "partial")}
    own, theirs = (
        Fake(**{name: frame[(frame["benchmark"] == AUTHORS) == authors] for name, frame in frames.items()})
        for authors in (False, True)
    )
    for claim in names:
        ours = run_check(claim, own)
        assert (ours.holds, ours.reproduced) == ("holds", None)
        only = run_check(claim, theirs)
        assert (only.holds, only.reproduced.holds) == ("not run", "holds")


def outcomes(names: set[str], partial: dict[str, Quality], unobserved: dict[str, Quality] = UNOBSERVED) -> list[str]:
    found = world(partial, unobserved, True)
    return [run_check(claim, found).holds for claim in CLAIMS if claim.id in names]


def test_a_layer_that_makes_errors_larger_does_not_help():
    assert outcomes({"layer_helps_little_on_new_curves"}, PUBLISHED, UNOBSERVED | {"lcnet": Quality(1.2, 1.2)}) == [
        "fails"
    ]


@pytest.mark.parametrize(("late", "expected"), [(0.22, "holds"), (1.0, "fails")])
def test_late_errors_count_as_much_as_early_ones(late, expected):
    """An error five times as large after nine tenths of the epochs is small beside those after one tenth."""
    worse = {"last_seen_value": Quality(1.1, late, None), "forest": Quality(1.1, 0.22, OVERCONFIDENT)}
    names = {"last_seen_value_is_competitive", "forest_matches_the_last_seen_value"}
    assert outcomes(names, PUBLISHED | worse) == [expected] * 2


def test_a_gaussian_process_that_errs_less_than_the_last_value_does_not_err_on_short_curves():
    worse = PUBLISHED | {"last_seen_value": Quality(9.0, 0.22, None)}
    assert outcomes({"gp_is_likely_but_errs_on_short_curves"}, worse) == ["fails"]


def test_a_prediction_that_diverges_is_an_outlier(worlds):
    (claim,) = (claim for claim in CLAIMS if claim.id == "extrapolation_has_early_outliers")
    partial = worlds[True].frame("partial").copy()
    outlier = (partial["method"] == "lc_extrapolation") & (partial["number"] < COUNT // 10)
    partial.loc[outlier & (partial["observed"] == partial["observed"].min()), "mean"] = np.inf
    found = run_check(claim, Fake(curves=worlds[True].frame("curves"), partial=partial))
    assert found.holds == "holds" and found.detail.count("share of the worst tenth: 100% [100%, 100%]") == len(LABELS)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_without_runs_is_not_run(claim):
    assert run_check(claim, Fake()).holds == "not run"


def test_errors_of_figure_5_5_are_of_the_curves_that_all_methods_predicted(worlds):
    results: Results = worlds[True]
    few = results.frame("partial").query("method != 'lcnet' or number < 30")
    figure = artifacts.fig5_5(Fake(curves=results.frame("curves"), partial=few), None)
    assert set(figure.data["method"]) == set(PUBLISHED) and "CNN (ours) 30 (1 run)" in figure.caption
    rows = few[(few["benchmark"] == "cnn") & (few["method"] == "bnn") & (few["number"] < 30)]
    truth = curve_set("cnn", results.frame("curves").query("benchmark == 'cnn'")).curves[rows["number"], -1]
    expected = ((rows["mean"] - truth) ** 2).groupby(rows["observed"]).mean()
    drawn = figure.data.query("benchmark == 'cnn' and method == 'bnn'").set_index("share")["squared"]
    np.testing.assert_allclose(drawn, expected, rtol=1e-6)


def test_figure_5_6_has_a_panel_for_each_method_and_set(worlds):
    figure = artifacts.fig5_6(worlds[True], None)
    assert set(figure.data["method"]) == set(UNOBSERVED) and set(figure.data["benchmark"]) == set(LABELS)


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    run = smoke_runs("lcnet", tmp_path_factory.mktemp("lcnet"))
    return run, run("curves/fcnet/random")


@pytest.mark.slow
def test_the_last_seen_value_is_that_of_the_last_observed_epoch(smoke):
    run, collected = smoke
    curves = curve_set("fcnet", collected).finished().curves
    found = run("partial_once/fcnet/last_seen_value")
    found = found[found["epoch"] == curves.shape[1]]
    assert set(found["observed"]) == {4, 8} and "variance" not in found  # 0.3 and 0.7 of 12 epochs
    np.testing.assert_allclose(found["mean"], curves[found["number"], found["observed"] - 1], rtol=1e-6)


@pytest.mark.slow
def test_each_curve_is_held_out_once(smoke):
    run, collected = smoke
    count = len(curve_set("fcnet", collected).finished().curves)
    found = run("unobserved/fcnet/forest")
    assert sorted(found["epoch"].unique()) == [4, 8, 12]
    assert (found.groupby("epoch")["number"].nunique() == count).all() and len(found) == 3 * count
    assert np.isfinite(found["mean"]).all() and (found["variance"] > 0).all()
