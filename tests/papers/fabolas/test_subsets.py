"""Gaussian processes across subset sizes: the experiments at the smoke scale, figures and claims on made-up runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from papers.fabolas.settings import SubsetModels
from tests.papers.fabolas.conftest import SHARES
from tests.papers.functions import Functions
from tests.papers.runs import Fake

claims = Functions("fabolas", "claims")
artifacts = Functions("fabolas", "artifacts")


def test_models_are_trained_on_small_subsets_and_predict_all(smoke):
    frame, grid = smoke("subset_models/digits/gp"), smoke("grid/digits/svm")
    assert set(frame["run"]) == {0, 1} and (frame.groupby(["run", "quantity"])["machine"].nunique() == 8).all()
    assert (frame["trained"] == (frame["share"] <= 0.25)).all() and (frame["sd"] > 0).all()
    errors = frame[frame["quantity"] == "error"].merge(grid, on=["C", "gamma", "share"])
    assert len(errors) == 2 * 8 * 4 and (errors["actual"] == errors["valid_error"]).all()
    assert (errors["mean"] - errors["actual"])[errors["trained"]].abs().mean() < 0.1
    times = frame[frame["quantity"] == "log seconds"]
    assert (times.groupby("run")["share"].agg(lambda shares: (shares == 1).sum()) == 4).all(), "all that were timed"
    merged = times.merge(grid, on=["C", "gamma", "share"])
    np.testing.assert_allclose(np.exp(merged["actual"]), merged["seconds"])


def test_each_size_has_its_estimates_of_the_noise(smoke):
    frame = smoke("size_noise/digits/gp")
    assert sorted(set(frame["share"])) == [0.125, 0.25, 0.5, 1.0] and (frame.groupby("share").size() == 10).all()
    variance = smoke("grid/digits/svm").groupby("share")["valid_error"].var(ddof=0)
    assert (frame["noise"] > 0).all() and (frame.groupby("share")["noise"].min() < variance).all()


def test_a_range_of_training_that_is_empty_is_refused():
    with pytest.raises(ValidationError, match=r"smallest = 0\.5: allowed: at most largest = 0\.25"):
        SubsetModels(smallest=0.5, largest=0.25)


def test_kernels_have_an_extremum_at_all_of_the_data_and_are_linear():
    data = artifacts.fig4_2(Fake(), None).data
    loss, cost = (
        rows.pivot(index="s", columns="other", values="value") for _, rows in data.groupby("kernel", sort=False)
    )
    s, other = np.meshgrid(loss.index, loss.columns, indexing="ij")
    np.testing.assert_allclose(loss, 1 + (1 - s) ** 2 * (1 - other) ** 2, atol=1e-12)
    np.testing.assert_allclose(cost, 1 + s * other, atol=1e-12)


def made_models(wrong: float) -> pd.DataFrame:
    """Machines whose values fall by 0.3 from s = 1/8, the largest trained on, to 1; predictions miss by `wrong`."""
    machine, share = (axis.ravel() for axis in np.meshgrid(np.arange(10), SHARES, indexing="ij"))
    actual = 0.1 * machine - 0.1 * np.log2(share)
    mean = actual + wrong * np.random.default_rng(0).choice([-1, 1], len(actual))
    columns = {"run": 0, "machine": machine, "share": share, "trained": share <= 1 / 8, "actual": actual, "mean": mean}
    frames = [pd.DataFrame({**columns, "quantity": name, "sd": 0.01}) for name in ("error", "log seconds")]
    return pd.concat(frames).assign(benchmark="mnist", method="gp")


def made_noise(estimate: float) -> dict[str, pd.DataFrame]:
    """Variances of about 1e-4 by subsampling, and estimates of `estimate`."""
    run, machine, share = (axis.ravel() for axis in np.meshgrid(range(10), range(25), SHARES[:-1], indexing="ij"))
    errors = 0.3 + 0.01 * np.random.default_rng(0).normal(size=len(run))
    columns = {"run": run, "C": machine.astype(float), "gamma": 1.0, "share": share, "points": 8192 * share}
    sizes = pd.DataFrame(
        {"run": 0, "share": np.repeat(SHARES, 2), "noise": estimate * np.tile([0.9, 1.1], len(SHARES))}
    )
    names = {"benchmark": "mnist", "method": "svm"}
    noise = pd.DataFrame(columns).assign(valid_error=errors, **names)
    return {"subsampling_noise": noise, "size_noise": sizes.assign(**names)}


@pytest.mark.parametrize(("wrong", "holds"), [(0.01, "holds"), (0.5, "fails")])
def test_extrapolation_is_judged_against_the_last_value(wrong, holds):
    for name in ("loss_is_extrapolated", "cost_is_extrapolated"):
        assert getattr(claims, name)(Fake(subset_models=made_models(wrong))).holds == holds


@pytest.mark.parametrize(("estimate", "holds"), [(1e-3, "holds"), (1e-5, "fails")])
def test_estimates_are_above_the_noise_of_subsampling_or_not(estimate, holds):
    check = claims.model_noise_above_subsampling(Fake(**made_noise(estimate)))
    assert (check.holds, check.part) == ("outside", holds)


def test_figures_show_machines_of_all_kinds_and_both_noises():
    both = Fake(subset_models=made_models(0.01), authors_subset_models=made_models(0.1))
    assert artifacts.fig4_3(both, None).data["grid"].nunique() == 2
    data = artifacts.fig4_3(Fake(subset_models=made_models(0.01)), None).data
    assert list(data.groupby("quantity")["machine"].unique().map(sorted)) == [[0, 3, 6, 9]] * 2
    figure = artifacts.fig4_4(Fake(**made_noise(1e-3)), None)
    assert list(figure.data["noise"].value_counts(sort=False)) == [9, 10] and "25 machines over 10" in figure.caption
