"""Searches for an agent's hyperparameters, the agents that they end with, and what is claimed of both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.experiment.catalogue import Catalogue
from core.experiment.context import Context
from core.experiment.selection import find_cells
from papers.bohamiann.artifacts.control import fig2_right, fig3
from papers.bohamiann.claims.control import fewer_episodes_found, fewer_training_episodes
from tests.papers.runs import Fake, smoke_runs


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    return smoke_runs("bohamiann", tmp_path_factory.mktemp("control"))


def test_searches_record_the_configurations_that_they_tried(smoke):
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
    (cell,) = find_cells(Catalogue(), f"bohamiann/control_agents/{task}/original", "paper")
    assert (cell.settings.most_episodes, cell.settings.most_units, cell.settings.tests) == (2000, 512, 100)
    settings = cell.settings.model_copy(update={"most_episodes": 4, "every": 2, "tests": 5})
    frame = Catalogue().function(cell)(Context(replace(cell, settings=settings), range(1)))
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
