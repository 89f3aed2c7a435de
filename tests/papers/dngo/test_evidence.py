"""Section 3.1.2: what both experiments record, and claims on records with known answers."""

import numpy as np
import pandas as pd
import pytest

from core.experiment.catalogue import Catalogue
from core.experiment.context import Context
from core.experiment.selection import find_cells
from core.report.figures import style
from tests.papers.functions import Functions

SETS = ("branin", "hartmann6", "boston", "concrete", "yacht")
artifacts = Functions("dngo", "artifacts")
claims = Functions("dngo", "claims")
experiments = Functions("dngo", "experiments")


@pytest.mark.parametrize("method", ["map", "evidence"])
def test_held_out_scores_are_in_units_of_the_targets(method):
    overrides = {"epochs": 2, "test_points": 50}
    cell = find_cells(Catalogue(), f"dngo/features/branin/{method}", "smoke", overrides=overrides)[0]
    frame = experiments.features(Context(cell, range(2)))
    assert frame["run"].tolist() == [0, 1] and frame["updates"].tolist() == [8, 8]
    assert frame["rmse"].between(1e-6, 2).all() and (frame["seconds"] >= 0).all()


def test_a_data_set_is_split():
    cell = find_cells(Catalogue(), "dngo/features/diabetes/evidence", "smoke", overrides={"epochs": 1})[0]
    assert np.isfinite(experiments.features(Context(cell, range(1)))[["rmse", "log_likelihood"]]).all(axis=None)


def test_searches_share_their_initial_designs():
    losses = []
    for method in ("map", "evidence"):
        overrides = {"evaluations": 6, "epochs": 2}
        cell = find_cells(Catalogue(), f"dngo/feature_search/branin/{method}", "smoke", overrides=overrides)[0]
        frame = experiments.feature_search(Context(cell, range(2)))
        assert frame.groupby("run").size().tolist() == [6, 6] and (frame["regret"] >= 0).all()
        assert frame.groupby("origin").size().to_dict() == {"initial design": 10, "policy": 2}
        losses.append(frame.loc[frame["evaluation"] <= 5, "loss"])
    np.testing.assert_array_equal(*losses)


def scores(ratio: float, seconds: float) -> pd.DataFrame:
    """Ten repetitions; errors of MAP are `ratio` times those of evidence, seconds 1 to `seconds`."""
    methods = {"map": (ratio, 1.0), "evidence": (1.0, seconds)}
    return pd.DataFrame(
        {"benchmark": name, "method": method, "run": run, "status": "ok", "rmse": error * (1 + 0.01 * run)}
        | {"log_likelihood": -1.0, "seconds": taken, "updates": 10}
        for name in SETS
        for method, (error, taken) in methods.items()
        for run in range(10)
    )


def regrets(factor: float) -> pd.DataFrame:
    return pd.DataFrame(
        {"benchmark": name, "method": method, "run": run, "evaluation": n, "status": "ok"}
        | {"regret": (factor if method == "map" else 1.0) * (1 + 0.01 * run) / n}
        for name in ("branin", "hartmann6")
        for method in ("map", "evidence")
        for run in range(10)
        for n in (1, 2, 3)
    )


def test_similar_is_told_from_different(fake):
    same, other = (fake(features=scores(r, 5), feature_search=regrets(f)) for r, f in ((1.05, 1.5), (2, 10)))
    assert claims.map_predicts_as_well(same).ours == "5 of 5"
    assert claims.map_optimises_as_well(same).ours == "2 of 2"
    assert claims.map_is_as_likely(same).ours == "5 of 5"
    assert claims.map_predicts_as_well(other).holds == claims.map_optimises_as_well(other).holds == "fails"


def test_certainty_is_compared(fake):
    frame = scores(1, 5)
    frame.loc[(frame["method"] == "evidence") & (frame["benchmark"] == "yacht"), "log_likelihood"] = -9.0
    check = claims.map_is_as_likely(fake(features=frame))
    assert check.ours == "4 of 5" and check.holds == "fails" and "yacht: +8" in check.detail


@pytest.mark.parametrize(("slower", "ours"), [(5, "5 of 5"), (0.5, "0 of 5")])
def test_slower_is_by_update_and_not_of_equal_work(fake, slower, ours):
    check = claims.map_is_faster(fake(features=scores(1, slower)))
    assert check.ours == ours and check.holds == "outside"
    few = scores(1, slower)
    few["updates"] = np.where(few["method"] == "evidence", 1, 10)
    assert claims.map_is_faster(fake(features=few)).ours == "5 of 5"


def test_figure_draws(fake):
    with style.context():
        data = artifacts.evidence(fake(features=scores(1.1, 5), feature_search=regrets(1.0)), None).data
    assert len(data) == 10
