"""Scores of predictions: from records of every prediction, and from records that hold scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from core.report import NotRunError
from papers.lcnet.curves import AUTHORS
from papers.lcnet.runs import (
    by_curve,
    partial_predictions,
    partial_scores,
    run_scores,
    scored,
    summarized,
    summarized_by_curve,
    unobserved_predictions,
    unobserved_scores,
)
from tests.papers.lcnet.made_sets import records
from tests.papers.runs import Fake

COUNT, EPOCHS, SHARES = 12, 20, (0.1, 0.5)


def curves() -> np.ndarray:
    rng = np.random.default_rng(3)
    return 0.2 + 0.5 * rng.random((COUNT, 1)) + 0.3 * np.exp(-np.linspace(0, 4, EPOCHS))


def predictions(runs: range) -> pd.DataFrame:
    """Noisy predictions of the last value by each run."""
    parts = []
    for run in runs:
        for share in SHARES:
            rng = np.random.default_rng([run, round(10 * share)])
            mean, variance = curves()[:, -1] + 0.1 * rng.normal(size=COUNT), 0.01 * (0.5 + rng.random(COUNT))
            frame = pd.DataFrame({"number": range(COUNT), "epoch": EPOCHS, "mean": mean, "variance": variance})
            parts.append(frame.assign(run=run, observed=round(share * EPOCHS)))
    return pd.concat(parts, ignore_index=True)


def results(partial: pd.DataFrame) -> Fake:
    made = curves()
    collected = records("lr", made, np.ones_like(made))
    return Fake(curves=collected, partial=partial.assign(benchmark="lr", method="lcnet"))


def test_scores_are_those_of_a_gaussian():
    rows = scored(predictions(range(1)), curves())
    normal = stats.norm(rows["mean"], np.sqrt(rows["variance"]))
    np.testing.assert_allclose(rows["log_likelihood"], normal.logpdf(rows["truth"]))
    low, high = normal.interval(0.9)
    assert rows["covering"].tolist() == ((low <= rows["truth"]) & (rows["truth"] <= high)).tolist()
    without = scored(predictions(range(1)).drop(columns="variance"), curves())
    assert without["log_likelihood"].isna().all() and not without["covering"].any()


def test_recorded_scores_are_those_of_the_predictions():
    shards = [summarized(predictions(runs), curves()) for runs in (range(3), range(3, 5))]
    few, whole = results(pd.concat(shards, ignore_index=True)), results(predictions(range(5)))
    pairs = [dict(iter(partial_scores(each).groupby("share"))) for each in (few, whole)]
    for found, expected in ([each[share] for each in pairs] for share in SHARES):
        for column in ("squared", "log_likelihood"):
            pair = [by_curve(rows, "lcnet", column) for rows in (found, expected)]
            assert len(pair[0]) == COUNT
            np.testing.assert_allclose(*pair, rtol=1e-5)
    columns = ["share", "run", "squared", "log_likelihood", "curves"]
    found, expected = (run_scores(each).sort_values(["share", "run"])[columns] for each in (few, whole))
    np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=1e-5)
    assert len(partial_predictions(whole)) == 5 * 2 * COUNT
    with pytest.raises(NotRunError):
        partial_predictions(few)


def test_recorded_scores_of_whole_curves_are_those_of_the_predictions():
    every = pd.concat([predictions(range(2)).query("observed == 2").assign(epoch=epoch) for epoch in (7, EPOCHS)])
    few, whole = (
        Fake(curves=results(every).frame("curves"), unobserved=rows.assign(benchmark="lr", method="lcnet"))
        for rows in (summarized_by_curve(every, curves()), every)
    )
    assert len(unobserved_scores(few)) == COUNT and len(unobserved_predictions(whole)) == 4 * COUNT
    for column in ("squared", "log_likelihood"):
        pair = [by_curve(unobserved_scores(each), "lcnet", column) for each in (few, whole)]
        np.testing.assert_allclose(*pair, rtol=1e-5)
    with pytest.raises(NotRunError):
        unobserved_predictions(few)


def test_scores_of_the_authors_curves_do_not_need_the_curves():
    rows = summarized(predictions(range(2)), curves()).assign(benchmark=AUTHORS, method="lcnet")
    found = Fake(partial=rows)
    assert sorted(partial_scores(found)["share"].unique()) == pytest.approx(sorted(SHARES))
    assert len(run_scores(found)) == 2 * len(SHARES) and (run_scores(found)["curves"] == COUNT).all()
