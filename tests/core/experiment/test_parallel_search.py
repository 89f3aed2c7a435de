"""Searches on simulated workers: their rows, the best configuration of a run, and going on after an interruption."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from ConfigSpace import Categorical, ConfigurationSpace, Float, Integer

from core.experiment.image_tasks import Once, as_configuration, best_configuration, remembered, retrained
from core.experiment.search import search
from core.experiment.search_settings import Course, ParallelSearch
from core.foundation.errors import UserError
from core.foundation.progress import silent
from core.objectives.base import Evaluation, Fidelity, FunctionObjective
from core.objectives.image_classification import ImageClassification
from core.objectives.image_networks import Convolutional
from core.study.methods import METHODS
from core.vision import image_set

SPACE = ConfigurationSpace()
SPACE.add(Float("x", (0.0, 1.0)), Integer("n", (1, 9)), Categorical("kind", ("a", "b")))


class Context(SimpleNamespace):
    """What an experiment's context has that a search needs."""

    progress = staticmethod(silent)

    def progress_of(self, number):
        return silent

    def method_seeds(self, stream):
        return [run + 1 for run in self.runs]

    shared_seeds = method_seeds


@pytest.fixture
def context(tmp_path):
    cell = SimpleNamespace(path=lambda root: root / "cell.parquet", settings_hash="abc")
    return Context(runs=range(2), root=tmp_path, cell=cell, method="random", settings=settings(workers=3))


def settings(workers: int, evaluations: int = 6) -> ParallelSearch:
    return ParallelSearch(method="random", evaluations=evaluations, workers=workers)


def test_rows_are_in_the_order_in_which_evaluations_end(context):
    objective = FunctionObjective(lambda c, budget, rng: (c["x"], float(c["n"])), SPACE, 1.0)
    frame = search(context, objective).evaluations(configurations=True)
    assert frame.groupby("run")["evaluation"].apply(list).tolist() == [[1, 2, 3, 4, 5, 6]] * 2
    for _, rows in frame.groupby("run"):
        assert (np.diff(rows["finished"]) >= 0).all() and rows["finished"].max() < rows["cost"].sum()
        assert rows["finished"].max() >= rows["cost"].sum() / 3
    np.testing.assert_allclose(frame["loss"], frame["x"])
    np.testing.assert_allclose(frame["cost"], frame["n"])
    assert set(frame["kind"]) <= {"a", "b"} and "budget" not in frame


def test_budgets_are_recorded(context):
    def loss(configuration, budget, rng):
        return configuration["x"], budget

    objective = FunctionObjective(loss, SPACE, 1.0, fidelity=Fidelity("epochs", 1, 9))
    course = Course(None, workers=4)
    context.settings = SimpleNamespace(method=METHODS["hyperband"](brackets=1), course=lambda largest: course)
    frame = search(context, objective).evaluations(configurations=True)
    assert sorted(set(frame["budget"])) == [1, 3, 9] and frame.groupby("run").size().tolist() == [13, 13]


def records(**columns) -> pd.DataFrame:
    given = {"method": "bohb", "run": 0, "status": "ok", "x": 0.5, "n": 3.0, "kind": "a", **columns}
    return pd.DataFrame(given)


def test_the_best_configuration_is_that_of_the_largest_budget():
    frame = records(loss=[0.1, 0.3, 0.2, 0.05], budget=[1.0, 9.0, 9.0, 9.0], x=[0.1, 0.2, 0.3, 0.4])
    frame.loc[3, "status"] = "failed"
    best = best_configuration(frame, "bohb", 0, SPACE)
    assert best == {"x": 0.3, "n": 3, "kind": "a"} and isinstance(best["n"], int)


def test_runs_are_counted_again_after_the_last():
    frame = records(loss=[0.1, 0.2], run=[0, 1], x=[0.25, 0.75])
    assert [best_configuration(frame, "bohb", run, SPACE)["x"] for run in range(4)] == [0.25, 0.75, 0.25, 0.75]
    with pytest.raises(UserError, match="no evaluation succeeded"):
        best_configuration(frame, "random", 0, SPACE)


def test_inactive_hyperparameters_are_left_out():
    assert as_configuration({"x": np.nan, "n": 4.0, "kind": "b"}, SPACE) == {"n": 4, "kind": "b"}


def test_each_configuration_is_valued_once():
    calls = []
    value = Once(lambda configuration: calls.append(configuration) or configuration["x"])
    first, second = {"x": 0.5, "n": 1}, {"n": 1, "x": 0.5}
    np.testing.assert_allclose(value([first, second, {"x": 0.25, "n": 1}]), [0.5, 0.5, 0.25])
    assert len(calls) == 2


@pytest.fixture(scope="module")
def tuning():
    return ImageClassification(Convolutional(20, 64), image_set("digits", 16, 100, 50, 50), epochs=1)


def test_a_search_that_was_killed_goes_on_from_its_last_evaluation(context, tuning, monkeypatch):
    context.settings = settings(workers=2, evaluations=3)

    def searched():
        return search(context, remembered(context, tuning)).evaluations(configurations=True)

    whole = searched()
    (file,) = context.root.rglob("*.jsonl")  # until the shards are joined: the records may not find room
    file.unlink()
    made, inner = [], ImageClassification.evaluate

    def evaluate(self, *given) -> Evaluation:
        if len(made) == 4:
            raise KeyboardInterrupt
        made.append(1)
        return inner(self, *given)

    monkeypatch.setattr(ImageClassification, "evaluate", evaluate)
    with pytest.raises(KeyboardInterrupt):
        searched()
    monkeypatch.setattr(ImageClassification, "evaluate", lambda *given: made.append(1) or inner(*given))
    again = searched()
    assert len(made) == 6  # of six evaluations none was made twice
    names = list(tuning.space)
    same = (frame.sort_values(names)[names].reset_index(drop=True) for frame in (again, whole))
    pd.testing.assert_frame_equal(*same)


def test_networks_are_trained_anew_for_each_run(context, tuning):
    given = dict(tuning.space.get_default_configuration())
    frame = retrained(context, tuning, lambda run: given | {"units_1": 16 + run}, epochs=1)
    assert frame["run"].tolist() == [0, 1] and frame["units_1"].tolist() == [16, 17]
    assert frame["test_error"].between(0, 1).all()
