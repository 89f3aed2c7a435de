"""The chapter's experiments at the smoke scale, through the runner."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from core.objectives import objective
from core.objectives.svm_surrogate import timed_everywhere
from papers.fabolas.settings import LiveSearch, SubsamplingNoise, SubsetModels, SvmGrid


def test_the_grid_has_every_machine_on_every_subset_and_times_where_asked(smoke):
    frame = smoke("grid/digits/svm")
    assert len(frame) == 5 * 5 * 4 and sorted(set(frame["share"])) == [0.125, 0.25, 0.5, 1.0]
    assert not frame.duplicated(["C", "gamma", "share"]).any() and frame["valid_error"].between(0, 1).all()
    timed = frame["seconds"].notna()
    assert timed[frame["share"] == 0.125].all() and (timed.groupby(frame["share"]).sum().iloc[1:] == 4).all()
    assert (timed_everywhere(frame)["seconds"] > 0).all()
    assert frame.groupby("share")["valid_error"].min().iloc[-1] < 0.05


def test_a_tabulated_grid_is_the_benchmark_on_the_sizes_shown(smoke):
    frame, function = smoke("authors_grid/svm_surrogate/svm"), objective("svm_surrogate")
    assert sorted(set(frame["share"])) == [1 / 128, 1 / 16, 1 / 4, 1.0] and len(frame) == 4 * 400
    assert not frame.duplicated(["C", "gamma", "share"]).any()
    assert sorted(set(frame["points"])) == [100, 800, 3200, 12800]
    row = frame[frame["share"] == 1 / 16].iloc[123]
    found = function.evaluate([{"C": row["C"], "gamma": row["gamma"]}], 1 / 16, np.random.default_rng())
    np.testing.assert_allclose([row["valid_error"], row["seconds"]], [found.loss[0], found.cost[0]])


@pytest.mark.parametrize(("name", "sizes"), [("authors_subset_models", 10), ("authors_size_noise", 10)])
def test_models_are_also_fitted_to_a_benchmark_without_records(smoke, name, sizes):
    frame = smoke(f"{name}/svm_surrogate/gp")
    assert frame["share"].nunique() == sizes and frame["share"].max() == 1


def test_noise_has_each_chosen_machine_on_each_subset_of_each_repetition(smoke):
    frame = smoke("subsampling_noise/digits/svm")
    assert frame["run"].nunique() == 4 and len(frame) == 4 * 3 * 9 and frame["share"].max() == 0.5
    assert (frame.groupby(["C", "gamma", "share"]).size() == 4).all()
    best = frame[frame["valid_error"] < 0.3]
    assert best.groupby(["C", "gamma", "share"])["valid_error"].nunique().max() > 1  # subsets differ


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


@pytest.mark.parametrize(
    "name",
    [
        "surrogate/svm_surrogate/random",
        "surrogate/svm_surrogate/hyperband",
        pytest.param("surrogate/svm_surrogate/gp", marks=pytest.mark.slow),
    ],
)
def test_searches_record_errors_of_incumbents_on_all_of_the_data(smoke, name):
    frame, surrogate = smoke(name), objective("svm_surrogate")
    assert set(frame["run"]) == {0, 1} and (frame["budget"] == 1).all()
    np.testing.assert_allclose(frame["finished"], frame["evaluation_seconds"] + frame["proposal_seconds"])
    np.testing.assert_allclose(frame["regret"], frame["error"] - surrogate.optimum)
    assert (frame["regret"] > -1e-12).all() and (frame["proposal_seconds"] > 0).all()
    for _, run in frame.groupby("run"):
        assert (np.diff(run["finished"]) >= 0).all() and (np.diff(run["evaluation"]) >= 0).all()
        assert run["error"].iloc[-1] == run["error"].iloc[-2]


def test_fabolas_recommends_configurations_it_saw_on_any_share_of_the_data(smoke):
    frame = smoke("surrogate/svm_surrogate/fabolas")
    assert frame["budget"].between(1 / 512, 1).all() and frame.groupby("run")["evaluation"].max().tolist() == [6, 6]
    assert frame["error"].between(0, 1).all() and (frame["proposal_seconds"] > 0).all()


@pytest.mark.parametrize("name", ["random", "hyperband"])
def test_live_searches_train_machines_and_test_their_incumbents(smoke, name):
    frame = smoke(f"live/digits/{name}")
    assert (frame["points"] == 360).all() and frame["error"].between(0, 1).all() and (frame["budget"] == 1).all()
    assert (frame["evaluation_seconds"] > 0).all() and frame["error"].iloc[-1] == frame["error"].iloc[-2]


@pytest.mark.parametrize("name", ["random", pytest.param("hyperband", marks=pytest.mark.slow)])
def test_searches_train_networks_and_test_their_incumbents(smoke, name):
    frame = smoke(f"networks/digits/{name}")
    assert (frame["images"] == 300).all() and frame["error"].between(0, 1).all() and (frame["budget"] == 1).all()
    np.testing.assert_allclose(frame["finished"], frame["evaluation_seconds"] + frame["proposal_seconds"])
    assert frame["error"].iloc[-1] == frame["error"].iloc[-2]


@pytest.mark.parametrize(
    ("model", "given", "message"),
    [
        (SvmGrid, {"values": 5, "timed_C": [5]}, r"timed_C = \(5,\): allowed: indices below values = 5"),
        (SvmGrid, {"timed_share": 0.0}, "greater than 0"),
        (SvmGrid, {"sizes": 1}, "greater than or equal to 2"),
        (SubsamplingNoise, {"chosen": [3, 2]}, "Input should be increasing indices"),
        (SubsamplingNoise, {"values": 5, "chosen": [2, 5]}, "allowed: indices below values = 5"),
        (SubsetModels, {"smallest": 0.5, "largest": 0.25}, r"smallest = 0\.5: allowed: at most largest = 0\.25"),
        (LiveSearch, {"method": "gp", "evaluations": 5, "smallest_share": 2.0}, "less than or equal to 1"),
    ],
)
def test_settings_that_do_not_fit_are_refused(model, given, message):
    with pytest.raises(ValidationError, match=message):
        model(**given)


def test_shares_are_halves_of_each_other():
    assert SvmGrid().shares == tuple(2.0**power for power in range(-9, 1))
    assert SvmGrid(timed_share=0.25, timed_C=[1, 2], timed_gamma=[3]).timed(3, 0.5) == (1, 2)
    assert SvmGrid(timed_share=0.25, timed_C=[1, 2], timed_gamma=[3]).timed(4, 0.5) == ()
    assert len(SvmGrid(timed_share=0.25).timed(4, 0.25)) == 20
