"""Evaluations on OpenML as earlier tasks, against the tables by pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

from core.data import DataUnavailableError, load_frame
from core.foundation.errors import UnknownNameError, UserError
from core.objectives import task_tables
from core.objectives.task_tables import COLUMNS, openml_space, task_table
from core.spaces import CubeEncoding

ACCURACY = {"openml_random_forest": "predictive_accuracy", "openml_adaboost": "predictive_accuracy", "openml_svm": "y"}
SIZES = {"openml_random_forest": (94, 500), "openml_adaboost": (100, 400), "openml_svm": (100, 250)}


def made(name: str) -> pd.DataFrame:
    """Seven configurations of each of three tasks, tasks mixed."""
    encoding = CubeEncoding(openml_space(name))
    configurations = encoding.decode(encoding.sample(21, np.random.default_rng(0)))
    frame = pd.DataFrame(configurations).rename(columns=COLUMNS[name])
    return frame.assign(task_id=[146607, 3, 11] * 7, **{ACCURACY[name]: np.linspace(0.2, 0.95, 21)})


@pytest.fixture(params=sorted(COLUMNS))
def name(request, monkeypatch) -> str:
    monkeypatch.setattr(task_tables, "load_frame", made)
    task_table.cache_clear()
    yield request.param
    task_table.cache_clear()


def test_a_task_has_its_own_evaluations(name):
    table, frame = task_table(name), made(name)
    assert table.names == ("3", "11", "146607")
    for number, task in enumerate((3, 11, 146607)):
        rows = frame[frame["task_id"] == task]
        configurations = table.encoding.decode(table.X[number])
        for configuration, row in zip(configurations, rows.to_dict("records"), strict=True):
            for ours, column in COLUMNS[name].items():
                same = isinstance(row[column], str) and configuration[ours] == row[column]
                assert same or configuration[ours] == pytest.approx(row[column], rel=1e-9)
        np.testing.assert_allclose(table.outputs[number][:, 0], 1 - rows[ACCURACY[name]], rtol=1e-12)


def test_it_is_known_to_a_search_as_an_earlier_task(name):
    table = task_table(name)
    task = table.earlier(1)
    assert task.name == "task 11" and task.X.shape == (1, 7, table.encoding.dimension) and task.y.shape == (1, 7)
    np.testing.assert_array_equal(task.X[0].numpy(), table.X[1])
    np.testing.assert_array_equal(task.y[0].numpy(), table.outputs[1][:, 0])


def test_searches_on_several_tasks_are_evaluated_together(name):
    table, tasks = task_table(name), [2, 0]
    points = torch.from_numpy(np.stack([table.X[task][:4] for task in tasks]))
    outcomes = table.objective(tasks)(points)
    assert outcomes.shape == (2, 4, 1)
    for task, found in zip(tasks, outcomes, strict=True):
        np.testing.assert_array_equal(found.numpy(), table.surrogate(task).predict(table.X[task][:4]))


def test_others_are_the_tasks_that_follow_each_with_rows_drawn_for_each_search(name):
    table = task_table(name)
    others = table.others(np.array([0, 2]), among=3, count=2, size=5, seeds=[8, 9])
    assert [other.X.shape for other in others] == [(2, 5, table.encoding.dimension)] * 2
    for step, other in enumerate(others, 1):
        for place, first in enumerate((0, 2)):
            task = (first + step) % 3
            known = {(*map(float, x), float(y[0])) for x, y in zip(table.X[task], table.outputs[task], strict=True)}
            found = [(*x, y) for x, y in zip(other.X[place].tolist(), other.y[place].tolist(), strict=True)]
            assert len(set(found)) == 5 and set(found) <= known
    assert table.others(np.array([0]), among=3, count=1, size=None, seeds=[8])[0].y.shape == (1, 7)
    (other,) = table.others(np.array([0, 1]), among=2, count=1, size=7, seeds=[8, 9])
    for place, task in enumerate((1, 0)):
        assert set(map(tuple, other.X[place].tolist())) == set(map(tuple, table.X[task].tolist()))


def test_a_configuration_of_another_space_is_named(monkeypatch):
    column = COLUMNS["openml_svm"]["kernel"]
    monkeypatch.setattr(task_tables, "load_frame", lambda name: made(name).assign(**{column: "linear"}))
    task_table.cache_clear()
    with pytest.raises(UserError, match=r"kernel.* 'linear'"):
        task_table("openml_svm")
    with pytest.raises(UnknownNameError, match="openml_sv"):
        task_table("openml_sv")
    with pytest.raises(UnknownNameError, match="algorithm on OpenML 'svm'"):
        openml_space("svm")
    task_table.cache_clear()


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_the_published_tables(name):
    try:
        frame = load_frame(name, download=False)
    except DataUnavailableError as error:
        pytest.skip(str(error))
    table = task_table(name)
    tasks, size = SIZES[name]
    assert len(table.names) == tasks and {len(X) for X in table.X} == {size}
    assert all((X >= 0).all() and (X <= 1).all() for X in table.X)
    task = table.names.index("3")
    rows = frame[frame["task_id"] == 3]
    np.testing.assert_allclose(table.outputs[task][:, 0], 1 - rows[ACCURACY[name]], rtol=1e-12)
    number, column = next((n, c) for n, c in COLUMNS[name].items() if rows[c].dtype == float)
    values = [found[number] for found in table.encoding.decode(table.X[task])]
    np.testing.assert_allclose(values, rows[column], rtol=1e-9)
