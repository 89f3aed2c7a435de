"""ABLR's experiments at the smoke scale, through the runner, and what they are made of."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch
from pydantic import ValidationError

from core.foundation.errors import UnknownNameError
from core.models.ablr import ABLR
from core.models.multitask_gp import StackedGP
from core.models.tasks import Fourier, Task
from core.objectives import task_tables
from core.objectives.task_tables import task_table
from core.training import Parts
from core.training.networks import Part
from papers.ablr.experiments import Known, contexts, minimum, model, outcomes_of, quadratic
from papers.ablr.settings import Quadratics, Search


def made_table(columns: tuple[str, ...], tasks: int = 3, rows: int = 40) -> pd.DataFrame:
    """Bowls of two hyperparameters, one a task, each 10 times as deep as the last; signals fall with the loss."""
    generator, parts = np.random.default_rng(0), []
    for task in range(tasks):
        x = generator.random((rows, 2))
        loss = 10.0**task * (1 + ((x - 0.3) ** 2).sum(1))
        signals = {name: loss * (1 + place) for place, name in enumerate(columns)}
        parts.append(pd.DataFrame({"hp_b": 5 * x[:, 0] - 2, "hp_a": x[:, 1], **signals, "task": f"task {task}"}))
    return pd.concat(parts, ignore_index=True)


@pytest.fixture
def made_tables(monkeypatch):
    """Every table of tasks is a made one."""
    columns = {source.table: source.columns for source in task_tables.SOURCES.values()}
    monkeypatch.setattr(task_tables, "load_frame", lambda name: made_table(columns[name]))
    task_table.cache_clear()
    yield
    task_table.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["gp_transfer", "ablr_nn_context", "ablr_rks"])
def test_searches_on_quadratics_begin_alike_and_know_their_regret(smoke, method):
    frame, other = smoke(f"quadratics/quadratics/{method}"), smoke("quadratics/quadratics/gp")
    assert len(frame) == 2 * 7 and frame["task"].tolist() == [0] * 7 + [1] * 7
    begun = frame["evaluation"] <= 5
    np.testing.assert_allclose(frame.loc[begun, "loss"], other.loc[begun, "loss"])
    lowest = minimum(contexts(4, 0)).numpy()[frame["task"]]
    np.testing.assert_allclose(frame["regret"], frame["loss"] - lowest)
    assert (frame["regret"] > -1e-9).all()


def test_the_smallest_value_of_a_quadratic_is_its_minimum():
    given = contexts(5, 1)
    grid = torch.cartesian_prod(*[torch.linspace(0, 1, 41, dtype=torch.float64)] * 3)
    values = quadratic(given, grid.expand(5, -1, -1))
    lowest = minimum(given)
    assert (values >= lowest[:, None] - 1e-9).all()
    spread = values.amax(1) - values.amin(1)
    assert (values.amin(1) - lowest < 0.01 * spread).all()


@pytest.mark.slow
def test_searches_on_tables_know_where_their_surrogate_is_smallest(smoke, made_tables):
    frame = smoke("transfer/xgboost/ablr_nn")
    table = task_table("xgboost")
    surrogate = table.surrogate(1)
    assert table.encoding.dimension == 2 and table.names == ("task 0", "task 1", "task 2")
    rows = frame[frame["task"] == 1]
    expected = (rows["loss"] - surrogate.smallest) / (surrogate.typical - surrogate.smallest)
    np.testing.assert_allclose(rows["regret"], expected)
    deepar = smoke("signals/deepar/ablr_signals")
    assert len(deepar) == 2 * 7 and deepar["loss"].between(-0.1, 2).all()  # logarithms of 1 to 20


def test_points_of_a_table_are_those_of_its_encoding(made_tables):
    table = task_table("deepar")
    configurations = table.encoding.decode(table.X[0])
    assert [column.name for column in table.encoding.columns] == ["hp_a", "hp_b"]
    found = np.array([[each["hp_a"], (each["hp_b"] + 2) / 5] for each in configurations])
    low, high = np.concatenate(table.X).min(0), np.concatenate(table.X).max(0)
    np.testing.assert_allclose([low, high], [[0, 0], [1, 1]], atol=1e-12)
    losses = table.outputs[0][:, 0]
    np.testing.assert_allclose(losses, np.log10(1 + ((found[:, ::-1] - 0.3) ** 2).sum(1)), atol=1e-9)


def test_an_unknown_table_is_named():
    with pytest.raises(UnknownNameError, match="unknown table of tasks 'xgbost'; did you mean 'xgboost'"):
        task_table("xgbost")


def test_searches_of_networks_record_signals(smoke):
    frame = smoke("networks/breast_cancer/ablr_signals")
    assert len(frame) == 2 * 7 and frame["loss"].between(0, 1).all() and frame["train_error"].between(0, 1).all()
    assert (frame["cost"] > 0).all()


def test_a_network_that_diverges_has_the_largest_error():
    X = np.ones((20, 2), np.float32)
    part = Part(X, np.arange(20, dtype=np.float32) % 2)
    configuration = {"layers": 1, "units": 4, "dropout": 0.0, "learning_rate": 1e38, "epochs": 3}
    outcomes = outcomes_of([configuration], Parts(part, part, part, 2), [0])
    assert outcomes[0, :2].tolist() == [1.0, 1.0] and np.isfinite(outcomes).all()


def test_times_of_suggestions_are_measured(smoke):
    frame = smoke("suggestion_time/hartmann3/ablr_rks")
    assert sorted(set(frame["observations"])) == [20, 40] and (frame["cpu_seconds"] > 0).all()


def test_settings_choose_the_model():
    own = torch.tensor([[1.0], [2.0]])
    fitted = model(
        Search(method={"method": "gp", "restarts": 1, "iterations": 5}), Known(), torch.zeros(2, 4, 0), "cpu"
    )
    assert (fitted.restarts, fitted.iterations) == (1, 5)
    known = Known([Task(torch.rand(2, 3, 3), torch.rand(2, 3), own)], own)
    side = torch.zeros(2, 4, 1)
    stacked = model(Search(method="gp", transfer=True, context=True), known, side, "cpu")
    assert isinstance(stacked, StackedGP) and stacked.earlier[0].context is own
    fourier = {"method": "ablr", "representation": "fourier", "features": 7}
    plain = model(Search(method=fourier), known, side, "cpu")
    assert isinstance(plain, ABLR) and not plain.earlier and plain.side is None and plain.context is None
    assert isinstance(plain.representation, Fourier) and plain.representation.width == 7
    warm = model(Search(method="ablr", transfer=True), known, side, "cpu")
    assert len(warm.earlier) == 1 and warm.earlier[0].context is None
    assert model(Search(method="ablr", signals=True), known, side, "cpu").side is side


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "ablr", "context": True}, "only with transfer"),
        ({"method": "gp", "transfer": True}, "stacks tasks by context"),
        ({"method": "gp", "signals": True}, "only with ABLR"),
        ({"method": "ablr", "evaluations": 5}, "initial_design = 5: allowed: below evaluations = 5"),
        ({"method": "ablr", "tasks": 1}, "greater than or equal to 2"),
        ({"method": {"method": "gp", "widths": [8]}}, "method 'gp' has acquisition, .*, restarts, iterations"),
        ({"method": "rf"}, "method is 'rf'; allowed: gp, ablr"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(given, message):
    with pytest.raises(ValidationError, match=message):
        Quadratics(**given)


@pytest.mark.slow
def test_searches_may_be_limited_to_the_first_tasks_of_a_table(smoke, made_tables):
    frame = smoke("openml/deepar/ablr_nn")
    assert len(frame) == 2 * 7 and set(frame["task"]) == {0, 1}
