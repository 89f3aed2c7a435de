"""A search that starts from earlier ones: what counts of them, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core import minimize
from core.benchmarks.base import FunctionObjective
from core.errors import UserError
from core.spaces import CubeEncoding
from core.study.earlier import digest, tasks_of
from core.study.methods import method_of
from core.study.serial import run_serial
from core.study.trace import Trace

SPACE = {"x": (-5.0, 5.0), "kind": ["a", "b"]}
ENCODING = CubeEncoding(SPACE)


def bowl(configuration):
    return (configuration["x"] - 1) ** 2 + (configuration["kind"] == "b")


def search(function=bowl, space=SPACE, **given):
    return minimize(function, space, **{"method": "random", "evaluations": 12, "progress": False, **given})


def test_result_records_and_traces_are_the_same_task(tmp_path):
    found = search()
    path = tmp_path / "trace.parquet"
    found.trace.to_parquet(path)
    kinds = [found, found.records, found.trace, Trace.of([found.records]), pd.read_parquet(path)]
    tasks = tasks_of(kinds, ENCODING)
    assert tasks[0].X.shape == (1, 12, 2) and tasks[4].name == "earlier[4]"
    np.testing.assert_allclose(tasks[0].y[0], [record.loss for record in found.records])
    assert len({digest([task]) for task in tasks}) == 1 and digest(tasks[:1]) != digest(tasks)


def test_none_is_a_choice_where_the_space_says_so():
    space = {"k": [None, "b"], "x": (0.0, 1.0)}
    found = search(lambda configuration: configuration["x"], space)
    tasks = tasks_of([found, found.trace, found.history], CubeEncoding(space))
    assert len({digest([task]) for task in tasks}) == 1 and tasks[0].X[..., 0].unique().tolist() == [0.25, 0.75]


def test_only_successes_on_the_largest_budget_count():
    def half(configuration, budget):
        if configuration["kind"] == "b":
            raise RuntimeError("no")
        return bowl(configuration) + budget

    found = search(half, method="hyperband", budgets=(1, 9), evaluations=30)
    (task,) = tasks_of([found], ENCODING)
    expected = [record.loss for record in found.records if record.budget == 9 and not record.failure]
    np.testing.assert_allclose(task.y[0], expected)


def test_a_search_starts_from_the_tasks():
    """Its proposals are those of an optimizer that was built with them, and not those without."""
    settings = method_of({"method": "ablr", "initial_design": 3, "widths": (8,), "iterations": 10})
    earlier = [search(), search(lambda configuration: 5 * bowl(configuration) + 7, seed=1)]
    found = search(method=settings, evaluations=5, earlier=earlier).records
    for tasks, same in ((tasks_of(earlier, ENCODING), True), ((), False)):
        again = run_serial(settings.build(ENCODING.space, 0, earlier=tasks), objective(), 5, seed=0)
        points = [ENCODING.encode([record.configuration for record in records]) for records in (found, again)]
        np.testing.assert_allclose(points[0][:3], points[1][:3])
        assert np.allclose(points[0], points[1]) == same


def objective():
    return FunctionObjective(lambda configuration, budget, generator: bowl(configuration), ENCODING.space, 1e3)


def test_a_journal_knows_the_earlier_searches(tmp_path):
    earlier, path = [search()], tmp_path / "run.jsonl"
    method = {"method": "ablr", "widths": (5,), "iterations": 3, "initial_design": 1}
    first = search(method=method, earlier=earlier, journal=path, evaluations=3)
    again = search(method=method, earlier=[earlier[0].trace], journal=path, evaluations=3)
    assert [record.loss for record in again.records] == [record.loss for record in first.records]
    with pytest.raises(UserError, match="journal"):
        search(method=method, journal=path, evaluations=3)


@pytest.mark.parametrize(
    ("earlier", "message"),
    [
        (lambda: search(), "earlier is of type Result; allowed: a list of results"),
        (lambda: search().records, "earlier is of type list; allowed: a list of results"),
        (lambda: [3], r"earlier\[0\] is of type int; allowed: results of minimize, their traces or records"),
        (
            lambda: [search().trace.assign(configuration="{'x': 1.0}")],
            r"earlier\[0\]: configuration is .*; allowed: dictionaries, which a trace written by to_parquet keeps",
        ),
        (lambda: [search(), search().trace.drop(columns="status")], r"earlier\[1\] has no column 'status'"),
        (
            lambda: [search(lambda c: c["z"], {"z": (0.0, 1.0)})],
            r"earlier\[0\] is of another space: unknown hyperparameter 'z'",
        ),
        (
            lambda: [search(lambda c: c["x"], {"x": (0.0, 1.0)})],
            r"earlier\[0\] is of another space: configuration 0: 'kind' is missing",
        ),
        (
            lambda: [search(bowl, {"x": (90.0, 99.0), "kind": ["a", "b"]})],
            r"earlier\[0\] is of another space: x = 9.* is not allowed; allowed: float from -5.0 to 5.0",
        ),
    ],
)
def test_what_is_no_earlier_search_is_one_line(earlier, message):
    with pytest.raises(UserError, match=message) as caught:
        search(method="ablr", earlier=earlier())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "method",
    [
        {"method": "ablr", "widths": (8,), "iterations": 5},
        {"method": "mt_gp", "hyperparameter_samples": 2, "burn_in": 2},
        {"method": "mt_bohamiann", "most_steps": 300, "samples": 10},
    ],
)
def test_odd_earlier_searches_do_not_stop_a_model(method):
    """One observation, a constant, and losses of another scale: every proposal is still the model's."""
    earlier = [search(evaluations=1), search(lambda c: 3.0), search(lambda c: 1e9 * bowl(c) + 1e12), search()]
    for tasks in (earlier, earlier[:1], earlier[1:2]):
        found = search(method=method_of({**method, "initial_design": 2}), evaluations=5, earlier=tasks).records
        assert [record.notes["origin"] for record in found] == ["initial design"] * 2 + ["policy"] * 3


def test_a_search_in_which_nothing_succeeded_is_refused():
    with pytest.warns(UserWarning, match="all 12 evaluations failed"):
        nothing = search(lambda c: float("nan"))
    with pytest.raises(UserError, match=r"earlier\[0\] has no evaluation that succeeded"):
        search(method="ablr", earlier=[nothing])


@pytest.mark.parametrize("method", ["random"])
def test_methods_that_learn_from_nothing_else_refuse_them(method):
    with pytest.raises(UserError, match=r"earlier: .* learns only from configurations that it has proposed"):
        search(method=method, earlier=[search()])


def test_an_optimizer_of_ones_own_takes_no_earlier_searches():
    class Mine:
        def ask(self, n):
            return [{"x": 0.0, "kind": "a"}]

        def tell(self, trial, evaluation):
            pass

    with pytest.raises(UserError, match="object of one's own"):
        search(method=Mine(), earlier=[search()])
