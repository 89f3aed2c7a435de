"""Parallel searches for residual networks, the networks that they end with, and what is claimed of both."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.report.verdicts.checks import NotRunError
from papers.bohamiann.artifacts.residual import fig2_left
from papers.bohamiann.artifacts.residual import resnet as resnet_table
from papers.bohamiann.claims.residual import (
    good_network_early,
    test_error_of_baseline,
    validation_error_of_baseline,
)
from papers.bohamiann.residual_runs import evaluations_to_baseline
from tests.papers.runs import Fake, smoke_runs

test_error_of_baseline.__test__ = False  # a shape of a claim, not a test


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    return smoke_runs("bohamiann", tmp_path_factory.mktemp("residual"))


def test_searches_record_configurations_in_the_order_in_which_they_end(smoke):
    frame = smoke("resnet/digits/random")
    assert frame["evaluation"].tolist() == [1, 2, 3, 4, 5] and (np.diff(frame["finished"]) >= 0).all()
    assert frame["loss"].between(0, 1).all() and frame["blocks"].isin([1, 2]).all()
    assert frame["reduction"].isin(["stride", "max_pooling"]).all() and frame["shared"].nunique() == 5
    assert frame["finished"].max() < frame["cost"].sum()  # two of them ran side by side


def test_the_best_network_and_the_one_tuned_by_hand_are_trained_anew(smoke):
    searched = smoke("resnet/digits/random")
    smoke("resnet/digits/dngo")
    best = searched.loc[searched["loss"].idxmin()]
    original, found = (smoke(f"resnet_retrained/digits/{method}") for method in ("original", "dngo"))
    assert original["test_error"].between(0, 1).all() and original["validation_error"].between(0, 1).all()
    assert len(found) == 2 and "validation_error" not in found and found["learning_rate"].nunique() == 1
    assert set(found.columns) >= {"rate_factor", "blocks"} and best["loss"] <= searched["loss"].min()


def searches(errors: dict[str, list[float]], runs: int = 8) -> pd.DataFrame:
    rows = [
        {"benchmark": "cifar10", "method": method, "run": run, "evaluation": number, "finished": number, "loss": loss}
        for method, losses in errors.items()
        for run in range(runs)
        for number, loss in enumerate(losses, start=1)
    ]
    return pd.DataFrame(rows).assign(status="ok")


def networks(**errors: float) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frames = [
        pd.DataFrame({"method": name, "run": range(8), "test_error": error + 1e-3 * rng.normal(size=8)})
        for name, error in errors.items()
    ]
    frame = pd.concat(frames, ignore_index=True).assign(benchmark="cifar10", status="ok")
    return frame.assign(validation_error=np.where(frame["method"] == "original", 0.08, np.nan))


LOSSES = {"bohamiann": [0.3, 0.09, 0.1, 0.079, 0.2, 0.07], "random": [0.5, 0.5, 0.5, 0.5, 0.076, 0.5]}


def test_evaluations_until_the_networks_is_as_good_as_the_one_tuned_by_hand():
    frame, tuned = searches(LOSSES), networks(original=0.075)
    assert evaluations_to_baseline(frame, tuned, "bohamiann").tolist() == [4] * 8
    assert evaluations_to_baseline(frame, tuned, "random").tolist() == [5] * 8
    never = frame.assign(loss=0.5)
    assert evaluations_to_baseline(never, tuned, "random").tolist() == [6] * 8
    with pytest.raises(NotRunError, match="original"):
        evaluations_to_baseline(frame, networks(bohamiann=0.1), "random")


def test_a_good_network_is_found_within_a_third_of_the_evaluations():
    results = Fake(resnet=searches({"bohamiann": [0.3, 0.072, 0.5, 0.5, 0.5, 0.07], "random": LOSSES["random"]}))
    assert good_network_early(results, "bohamiann", seed=0).holds == "holds"
    assert good_network_early(results, "random", seed=0).holds == "fails"


def test_the_incumbent_reaches_the_network_tuned_by_hand():
    results = Fake(resnet=searches(LOSSES), resnet_retrained=networks(original=0.075))
    assert validation_error_of_baseline(results, "bohamiann", seed=0).holds == "holds"
    late = results.with_frames(resnet=searches({"bohamiann": [0.3, 0.2], "random": LOSSES["random"]}))
    assert validation_error_of_baseline(late, "bohamiann", seed=0).holds == "fails"


@pytest.mark.parametrize(("error", "holds"), [(0.076, "holds"), (0.06, "holds"), (0.09, "fails")])
def test_the_network_found_matches_the_one_tuned_by_hand(error, holds):
    results = Fake(resnet_retrained=networks(original=0.075, bohamiann=error))
    assert test_error_of_baseline(results, "bohamiann", seed=0).holds == holds


def test_numbers_of_reduced_runs_are_outside():
    results = Fake(resnet=searches(LOSSES), resnet_retrained=networks(original=0.3, bohamiann=0.31))
    from core.experiment.catalogue import Catalogue
    from core.report.verdicts.names import published_numbers

    table = resnet_table(results, published_numbers(Catalogue(), "bohamiann", "resnet"))
    cell = table.cells["bohamiann", "test_error"]
    assert cell.ours == pytest.approx(31, abs=0.1) and cell.published.value == 7.40
    assert cell.verdict.kind == "outside" and "smaller networks" in cell.verdict.note
    assert table.cells["bohamiann", "evaluations"].ours == 4


def test_the_figure_has_every_evaluation_and_the_smallest_so_far():
    data = fig2_left(Fake(resnet=searches(LOSSES)), None).data
    one = data[(data["method"] == "bohamiann") & (data["run"] == 0)]
    np.testing.assert_allclose(one["error"], LOSSES["bohamiann"])
    np.testing.assert_allclose(one["incumbent"], [0.3, 0.09, 0.09, 0.079, 0.079, 0.07])
