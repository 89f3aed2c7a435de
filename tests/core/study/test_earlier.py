"""A search that starts from earlier ones: what counts of them, and what is refused."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition, Float

from core import minimize
from core.foundation.errors import UserError
from core.objectives.base import FunctionObjective
from core.spaces import Column, CubeEncoding, as_space
from core.study.earlier import digest, searches_of, tasks_of
from core.study.evaluation import plain
from core.study.loop import run_serial
from core.study.methods import method_of
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
    searches = searches_of(kinds, ENCODING)
    assert len({digest([search]) for search in searches}) == 1 and digest(searches[:1]) != digest(searches)


def test_none_is_a_choice_where_the_space_says_so():
    space = {"k": [None, "b"], "x": (0.0, 1.0)}
    found = search(lambda configuration: configuration["x"], space)
    searches = searches_of([found, found.trace, found.history], CubeEncoding(space))
    assert len(set(map(digest, ([search] for search in searches)))) == 1
    assert searches[0].task.X[..., 0].unique().tolist() == [0.25, 0.75]


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
            lambda: [search().trace.assign(loss=float("nan"))],
            r"earlier\[0\]: row 0 has the loss nan and the status 'ok'",
        ),
        (lambda: [search().trace.assign(loss="low")], r"earlier\[0\]: row 0 has the loss 'low'"),
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


def limited(configuration):
    """Better the smaller x is, and allowed from 0.5 on."""
    return {"loss": configuration["x"], "memory": 0.5 - configuration["x"]}


UNIT = {"x": (0.0, 1.0)}


@pytest.mark.parametrize("form", ["result", "records", "trace", "frame"])
def test_what_is_infeasible_counts_as_bad_and_not_as_good(form):
    first = search(limited, UNIT, constraints=["memory"], evaluations=30)
    given = {"result": first, "records": first.records, "trace": first.trace, "frame": first.history}[form]
    (known,) = searches_of([given], CubeEncoding(UNIT))
    x = np.array([record.configuration["x"] for record in first.records])
    np.testing.assert_allclose(known.task.X[0, :, 0], x[x >= 0.5])
    np.testing.assert_allclose(known.bad[:, 0], x[x < 0.5])


def test_a_feasibility_model_learns_from_earlier_searches():
    """Of eight proposals without a single evaluation of its own, most keep to what an earlier search found allowed."""
    first = search(limited, UNIT, constraints=["memory"], evaluations=25)
    more = search(limited, UNIT, method="gp", constraints=["memory"], earlier=[first], evaluations=8)
    assert sum(record.configuration["x"] > 0.45 for record in more.records) >= 6
    assert more.best_loss <= first.best_loss + 0.01


def test_a_search_without_constraints_is_not_told_what_was_infeasible():
    first = search(limited, UNIT, constraints=["memory"], evaluations=25)
    learned = []

    class Known(type(method_of("tpe").build(UNIT, 0))):
        def learn(self, configuration, evaluation):
            learned.append(evaluation)
            super().learn(configuration, evaluation)

    from core.study import search as module

    def taught(constraints):
        learned.clear()
        objective = module.Judged(None, 1e100, constraints=constraints)
        earlier = searches_of([first], CubeEncoding(UNIT))
        given = [objective, CubeEncoding(UNIT).space, None, None, None, 0, earlier, [], None, 1, 10, None, False]
        module.Search(*given)._teach(Known(CubeEncoding(UNIT).space, np.random.default_rng(0)))
        return len(learned)

    feasible = sum(record.configuration["x"] >= 0.5 for record in first.records)
    assert (taught(()), taught(("memory",))) == (feasible, 25)


def test_pruned_and_failed_evaluations_are_no_observations():
    def curve(configuration, trial):
        if configuration["x"] > 0.9:
            raise RuntimeError("no")
        for step in range(1, 9):
            value = abs(configuration["x"] - 0.3) + 1 / step
            trial.report(value, step)
            if trial.should_prune():
                break
        return value

    found = search(curve, UNIT, evaluations=40, pruning="median")
    status = found.trace["status"]
    assert {"ok", "pruned", "failed"} == set(status)
    for given in (found, found.trace):
        (known,) = searches_of([given], CubeEncoding(UNIT))
        assert known.task.X.shape[1] == (status == "ok").sum() and len(known.bad) == (status == "failed").sum()


def test_a_search_in_which_nothing_counts_says_what_became_of_its_evaluations():
    first = search(lambda configuration: {"loss": 0.0, "memory": 1.0}, UNIT, constraints=["memory"], evaluations=3)
    with pytest.raises(UserError, match=r"earlier\[0\] has no evaluation that .* \(3 infeasible\)"):
        search(limited, UNIT, method="gp", earlier=[first])


def returned(tmp_path, choices, kinds=("json", "parquet")):
    """The configurations of a search and, of each, what is read back of them."""
    space = as_space({"k": choices, "x": (0.0, 1.0)})
    found = search(lambda configuration: configuration["x"], space, evaluations=30)
    own = [record.configuration for record in found.records]
    if "parquet" in kinds:
        found.trace.to_parquet(tmp_path / "trace.parquet")
        rows = pd.read_parquet(tmp_path / "trace.parquet")["configuration"]
        yield own, [CubeEncoding(space).from_table(row) for row in rows]
    stored = json.loads(json.dumps(plain(own)))
    yield own, [{name: Column.of(space[name]).from_json(row[name]) for name in row} for row in stored]
    yield own, [CubeEncoding(space).from_table(row) for row in found.trace["configuration"]]


@pytest.mark.parametrize(
    "choices",
    [
        [(64, 32), (32,)],
        [[1, 2], [3]],
        [(50,), None],
        [((1, 2), (3,)), ((4,),)],
        [1, None],
        [1, 2.5],
        [None, "None"],
        [True, None],
        ["nan", None],
        [{"a": 1}, {"b": 2}],
        [b"a", b"b"],
        [1.5, math.nan],
    ],
    ids=str,
)
def test_choices_read_back_are_the_space_s_own(tmp_path, choices):
    for own, read in returned(tmp_path, choices):
        assert [type(each["k"]) for each in read] == [type(each["k"]) for each in own]
        assert all(one["k"] is other["k"] or one["k"] == other["k"] for one, other in zip(read, own, strict=True))


@pytest.mark.parametrize(
    "choices", [[1, "1"], [True, "1", 2], [(1, 2), "(1, 2)"], [(1, 2), (1, "2")], [1, "a", None]], ids=str
)
def test_choices_that_no_column_of_parquet_holds_are_told_apart_in_json(tmp_path, choices):
    for own, read in returned(tmp_path, choices, ("json",)):
        assert [repr(each["k"]) for each in read] == [repr(each["k"]) for each in own]


@pytest.mark.parametrize("choices", [[(1, 2), [1, 2]], [None, math.nan], [b"a", "a"], [repr(len), len]], ids=str)
def test_choices_that_files_do_not_tell_apart_are_refused(choices):
    space = as_space({"k": choices, "x": (0.0, 1.0)})
    frame = search(lambda configuration: configuration["x"], space).trace
    with pytest.raises(UserError, match=r"^earlier\[0\]: k = .* stands for .* and .*, which files do not tell apart"):
        search(space=space, earlier=[frame], method="gp")


def test_a_journal_with_choices_that_json_does_not_tell_apart_is_refused(tmp_path):
    space, path = {"k": [(1, 2), [1, 2]], "x": (0.0, 1.0)}, tmp_path / "run.jsonl"
    search(lambda configuration: configuration["x"], space, evaluations=2, journal=path)
    with pytest.raises(UserError, match=r"run.jsonl: k = \[1, 2\] stands for \(1, 2\) and \[1, 2\]"):
        search(lambda configuration: configuration["x"], space, evaluations=3, journal=path)


def test_none_in_a_table_is_a_choice_where_it_is_active_and_nothing_elsewhere(tmp_path):
    space = ConfigurationSpace()
    space.add(Categorical("on", ["yes", "no"]), Categorical("k", [None, "b"]), Float("x", (0.0, 1.0)))
    space.add(EqualsCondition(space["k"], space["on"], "yes"), EqualsCondition(space["x"], space["k"], None))
    found = search(lambda configuration: configuration.get("x", 1.0), space, evaluations=30)
    found.trace.to_parquet(tmp_path / "trace.parquet")
    rows = pd.read_parquet(tmp_path / "trace.parquet")["configuration"]
    assert [CubeEncoding(space).from_table(row) for row in rows] == [record.configuration for record in found.records]
    assert {(each["on"], "k" in each, "x" in each) for each in map(CubeEncoding(space).from_table, rows)} == {
        ("yes", True, True),
        ("yes", True, False),
        ("no", False, False),
    }


def test_a_search_in_which_nothing_counts_shows_where_not_to_look():
    first = search(lambda configuration: {"loss": 0.0, "memory": 1.0}, UNIT, constraints=["memory"], evaluations=8)
    (known,) = searches_of([first], CubeEncoding(UNIT), avoiding=True)
    assert known.task is None and len(known.bad) == 8
    more = search(limited, UNIT, method="gp", constraints=["memory"], earlier=[first, first.trace], evaluations=2)
    assert len(more.records) == 2
