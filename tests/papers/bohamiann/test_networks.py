"""Searches for residual networks and for hyperparameters of agents, what they end with, and what is claimed of both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.report.runs.frames import NotRunError
from core.report.verdicts.names import published_numbers
from papers.bohamiann.checks.networks import (
    fewer_episodes_found,
    fewer_training_episodes,
    good_network_early,
    test_error_of_baseline,
    validation_error_of_baseline,
)
from papers.bohamiann.figures import fig2_left, fig2_right, fig3
from papers.bohamiann.tables import evaluations_to_baseline
from papers.bohamiann.tables import resnet as resnet_table
from tests.papers.runs import Fake

test_error_of_baseline.__test__ = False  # a shape of a claim, not a test


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


def network_searches(errors: dict[str, list[float]], runs: int = 8) -> pd.DataFrame:
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
    frame, tuned = network_searches(LOSSES), networks(original=0.075)
    assert evaluations_to_baseline(frame, tuned, "bohamiann").tolist() == [4] * 8
    assert evaluations_to_baseline(frame, tuned, "random").tolist() == [5] * 8
    never = frame.assign(loss=0.5)
    assert evaluations_to_baseline(never, tuned, "random").tolist() == [6] * 8
    with pytest.raises(NotRunError, match="original"):
        evaluations_to_baseline(frame, networks(bohamiann=0.1), "random")


def test_a_good_network_is_found_within_a_third_of_the_evaluations():
    results = Fake(
        resnet=network_searches({"bohamiann": [0.3, 0.072, 0.5, 0.5, 0.5, 0.07], "random": LOSSES["random"]})
    )
    assert good_network_early(results, "bohamiann", seed=0).holds == "holds"
    assert good_network_early(results, "random", seed=0).holds == "fails"


def test_the_incumbent_reaches_the_network_tuned_by_hand():
    results = Fake(resnet=network_searches(LOSSES), resnet_retrained=networks(original=0.075))
    assert validation_error_of_baseline(results, "bohamiann", seed=0).holds == "holds"
    late = results.with_frames(resnet=network_searches({"bohamiann": [0.3, 0.2], "random": LOSSES["random"]}))
    assert validation_error_of_baseline(late, "bohamiann", seed=0).holds == "fails"


@pytest.mark.parametrize(("error", "holds"), [(0.076, "holds"), (0.06, "holds"), (0.09, "fails")])
def test_the_network_found_matches_the_one_tuned_by_hand(error, holds):
    results = Fake(resnet_retrained=networks(original=0.075, bohamiann=error))
    assert test_error_of_baseline(results, "bohamiann", seed=0).holds == holds


def test_numbers_of_reduced_runs_are_outside():
    results = Fake(resnet=network_searches(LOSSES), resnet_retrained=networks(original=0.3, bohamiann=0.31))
    table = resnet_table(results, published_numbers(Papers().paper("bohamiann").artifact("resnet")))
    cell = table.cells["bohamiann", "test_error"]
    assert cell.ours == pytest.approx(31, abs=0.1) and cell.published.value == 7.40
    assert cell.verdict.kind == "outside" and "smaller networks" in cell.verdict.note
    assert table.cells["bohamiann", "evaluations"].ours == 4


def test_the_figure_has_every_evaluation_and_the_smallest_so_far():
    data = fig2_left(Fake(resnet=network_searches(LOSSES)), None).data
    one = data[(data["method"] == "bohamiann") & (data["run"] == 0)]
    np.testing.assert_allclose(one["error"], LOSSES["bohamiann"])
    np.testing.assert_allclose(one["incumbent"], [0.3, 0.09, 0.09, 0.079, 0.079, 0.07])


def test_searches_for_agents_record_the_configurations_that_they_tried(smoke):
    frame = smoke("control/swing_up/random")
    assert frame.groupby("run")["evaluation"].apply(list).tolist() == [[1, 2, 3, 4, 5]] * 2
    assert frame["loss"].between(1, 20).all() and frame["units_1"].between(16, 20).all()
    assert frame["actor_rate"].between(1e-4, 1e-2).all() and frame["memory"].nunique() > 5


def test_agents_have_learning_curves(smoke):
    smoke("control/swing_up/dngo")
    for method in ("original", "dngo"):
        frame = smoke(f"control_agents/swing_up/{method}")
        assert frame.groupby("run")["episode"].apply(list).tolist() == [[10, 20]] * 2
        assert frame["reward"].between(-4, 0).all() and (frame["episodes"] == 20).all() and not frame["learned"].any()


@pytest.mark.slow
@pytest.mark.parametrize("task", ["swing_up", "reaching"])
def test_an_agent_at_the_papers_scale_trains_for_a_few_episodes(task):
    (cell,) = find_cells(Papers(), f"bohamiann/control_agents/{task}/original", "paper")
    assert (cell.settings.most_episodes, cell.settings.most_units, cell.settings.tests) == (2000, 512, 100)
    settings = cell.settings.model_copy(update={"most_episodes": 4, "every": 2, "tests": 5})
    frame = Papers().function(cell)(Context(replace(cell, settings=settings), range(1)))
    assert frame["episode"].tolist() == [2, 4] and np.isfinite(frame["reward"]).all()


def agents(episodes: dict[str, list[int]]) -> pd.DataFrame:
    rows = [
        {"benchmark": "swing_up", "method": method, "run": run, "episode": episode, "reward": -3.0, "episodes": count}
        for method, counts in episodes.items()
        for run, count in enumerate(counts)
        for episode in (25, 50)
    ]
    return pd.DataFrame(rows)


def test_what_table_2_prints_is_marked_in_the_figures():
    found = fig3(Fake(control_agents=agents({"original": [300, 310], "bohamiann": [100, 110]})), None).figure.axes[0]
    shown = {(line.get_marker(), float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in marks(found)}
    assert shown == {("v", 470, 1), ("v", 405, 1), ("<", 1, -1.18), ("<", 1, -1.46)}
    losses = [{"run": 0, "evaluation": number, "loss": 900.0, "status": "ok"} for number in (1, 2)]
    searches = pd.DataFrame(losses).assign(benchmark="swing_up", method="bohamiann")
    drawn = fig2_right(Fake(control=searches), None)
    (panel,) = drawn.figure.axes
    assert {float(line.get_ydata()[0]) for line in marks(panel)} == {507, 405} and "Not run: Two-link" in drawn.caption


def marks(axes):
    """The marks in a panel, without those that the legend has."""
    return [line for line in axes.lines if line.get_marker() in "<v" and len(line.get_xdata())]


@pytest.mark.parametrize("factor, holds", [(1.0, "holds"), (2.0, "holds"), (4.0, "fails")])
def test_agents_that_learn_in_a_third_of_the_episodes(factor, holds):
    frame = agents({"bohamiann": [100, 110, 105, 95] * 3, "original": [300, 310, 320, 290] * 3})
    results = Fake(control_agents=frame)
    check = fewer_training_episodes(results, "swing_up", "bohamiann", "original", seed=0, factor=factor)
    assert check.holds == holds and 10**check.ours == pytest.approx(1 / 3, rel=0.05)


def test_incumbents_are_the_smallest_losses_of_their_runs():
    rows = [
        {"benchmark": "swing_up", "method": method, "run": run, "evaluation": evaluation, "loss": loss}
        for method, best in (("bohamiann", 200.0), ("dngo", 800.0))
        for run in range(8)
        for evaluation, loss in enumerate((1500.0, best + run, 1500.0), start=1)
    ]
    results = Fake(control=pd.DataFrame(rows))
    assert fewer_episodes_found(results, "swing_up", "bohamiann", "dngo", seed=0).holds == "holds"
    assert fewer_episodes_found(results, "swing_up", "dngo", "bohamiann", seed=0).holds == "fails"
