"""The call for users: what it finds, how it goes on, and what it says where something is wrong."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from core import minimize
from core.benchmarks.objective import FunctionObjective
from core.errors import UserError
from core.optimizers.base import Trial
from core.optimizers.random_search import RandomSearch
from core.spaces import CubeEncoding
from core.study.bayesian import GPSettings
from core.study.methods import BOHBSettings

ROOT = Path(__file__).resolve().parents[3]
SPACE = {"x": (-5.0, 5.0), "n": (1, 9), "kind": ["a", "b"]}


def bowl(configuration):
    return (configuration["x"] - 1) ** 2 + abs(configuration["n"] - 3) + (configuration["kind"] == "b")


def curve(configuration, budget):
    """Falls with the budget towards the bowl."""
    return bowl(configuration) + 1 / budget


def outcomes(result):
    return [(record.number, dict(record.configuration), record.budget, record.loss) for record in result.records]


@pytest.mark.parametrize("method", ["random", "tpe", "differential_evolution", "regularized_evolution"])
def test_the_best_of_all_evaluations_is_returned(method):
    result = minimize(bowl, SPACE, method, evaluations=40)
    losses = [bowl(record.configuration) for record in result.records]
    assert len(losses) == 40 and result.best_loss == min(losses)
    assert bowl(result.best_configuration) == result.best_loss
    assert result.trace["loss"].tolist() == losses and result.trace["configuration"][0].keys() == SPACE.keys()


def test_a_model_finds_the_bottom():
    result = minimize(bowl, SPACE, GPSettings(), evaluations=20)
    assert result.best_loss < 0.5 and "policy" in set(result.trace["origin"])


def test_with_budgets_the_best_is_that_of_the_largest():
    def deceiving(configuration, budget):
        return bowl(configuration) * (1 if budget == 9 else 0.01)

    result = minimize(deceiving, SPACE, "bohb", evaluations=60, budgets=(1, 9))
    full = result.trace[result.trace["budget"] == 9]
    assert set(result.trace["budget"]) == {1.0, 3.0, 9.0}
    assert result.best.budget == 9 and result.best_loss == full["loss"].min() > result.trace["loss"].min()
    assert {"random", "promoted", "model"} == set(result.trace["origin"])


def test_a_function_that_asks_for_a_generator_gets_the_trials_own():
    def noisy(configuration, generator):
        return generator.random()

    first, again, other = (minimize(noisy, SPACE, "random", 5, seed=seed) for seed in (0, 0, 1))
    assert outcomes(first) == outcomes(again)
    assert {record.loss for record in first.records}.isdisjoint(record.loss for record in other.records)
    assert first.records[3].loss == np.random.default_rng([0, 3]).random()


@pytest.mark.parametrize(
    ("method", "budgets"), [("random", None), ("tpe", None), ("bohb", (1, 9)), ("cmaes", None), ("optuna_tpe", None)]
)
def test_an_interrupted_run_goes_on_as_if_it_had_not_been(tmp_path, capsys, method, budgets):
    calls = []

    def interrupting(configuration, *budget):
        calls.append(configuration)
        if len(calls) == 9:
            raise KeyboardInterrupt
        return bowl(configuration) + sum(budget)

    def call(journal):
        return minimize(interrupting, SPACE, method, 30, budgets, journal=journal)

    with pytest.raises(KeyboardInterrupt) as caught:
        call(tmp_path / "run.jsonl")
    assert len(caught.traceback) <= 3  # the test, its call, and `minimize`
    said = capsys.readouterr().err
    assert said == f"interrupted after 8 of 30 evaluations, which are kept in {tmp_path / 'run.jsonl'}; " + (
        "the same call resumes from there\n"
    )
    resumed = call(tmp_path / "run.jsonl")
    assert len(calls) == 9 + 22
    assert outcomes(resumed) == outcomes(call(None))


def test_without_a_journal_an_interruption_says_that_all_is_lost(capsys):
    def interrupting(configuration):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        minimize(interrupting, SPACE, "random", 5)
    assert "interrupted after 0 of 5 evaluations, which are lost; journal=" in capsys.readouterr().err


def test_models_have_one_thread_and_evaluations_all_of_them():
    found = {"proposing": set(), "evaluating": set()}

    class Looking(RandomSearch):
        def _propose(self):
            found["proposing"] |= {library["num_threads"] for library in threadpool_info()}
            return super()._propose()

    def loss(configuration):
        found["evaluating"] |= {library["num_threads"] for library in threadpool_info()}
        return configuration["x"]

    with threadpool_limits(2):
        minimize(loss, SPACE, Looking(SPACE, np.random.default_rng(0)), 3)
    assert found == {"proposing": {1}, "evaluating": {2}}


def test_a_model_that_was_interrupted_goes_on_with_the_same_proposals(tmp_path, monkeypatch):
    monkeypatch.setattr("core.study.replay.WORTH_SECONDS", 0.0)
    method, calls = GPSettings(initial_design=3), []

    def interrupting(configuration):
        calls.append(configuration)
        if len(calls) in (6, 9):
            raise KeyboardInterrupt
        return bowl(configuration)

    whole = minimize(bowl, SPACE, method, 10)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            minimize(interrupting, SPACE, method, 10, journal=tmp_path / "run.jsonl")
    assert outcomes(minimize(bowl, SPACE, method, 10, journal=tmp_path / "run.jsonl")) == outcomes(whole)


def test_a_finished_journal_is_read_without_a_model_and_without_evaluations(tmp_path, monkeypatch):
    whole = minimize(bowl, SPACE, "gp", 7, journal=tmp_path / "run.jsonl")
    monkeypatch.setattr(GPSettings, "_build", None)
    again = minimize(lambda configuration: 1 / 0, SPACE, "gp", 7, journal=tmp_path / "run.jsonl")
    assert outcomes(again) == outcomes(whole) and again.trace.equals(whole.trace)
    fewer = minimize(bowl, SPACE, "gp", 4, journal=tmp_path / "run.jsonl")
    assert outcomes(fewer) == outcomes(whole)[:4]


def test_a_method_that_ends_by_itself_is_finished(tmp_path):
    def call():
        return minimize(curve, SPACE, BOHBSettings(brackets=1), 500, (1, 9), journal=tmp_path / "run.jsonl")

    first = call()
    size = (tmp_path / "run.jsonl").stat().st_size
    assert len(first.records) == 9 + 3 + 1
    assert outcomes(call()) == outcomes(first) and (tmp_path / "run.jsonl").stat().st_size == size


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"method": "tpe"}, "with method"),
        ({"seed": 1}, "with seed 0; this run has 1"),
        ({"space": {**SPACE, "x": (-5.0, 6.0)}}, "with space"),
        ({"budgets": (1, 27), "method": "hyperband"}, "with method"),
        ({"worst_loss": 3.0}, "with worst_loss null; this run has 3.0"),
    ],
)
def test_the_journal_of_another_run_is_refused(tmp_path, changed, message):
    arguments = {"space": SPACE, "method": "random", "evaluations": 5, "journal": tmp_path / "run.jsonl"}
    minimize(bowl, **arguments)
    function = curve if "budgets" in changed else bowl
    with pytest.raises(UserError, match=f"is the journal of a run {message}"):
        minimize(function, **{**arguments, **changed})


def test_where_everything_failed_there_is_no_best():
    def failing(configuration):
        raise OSError("no such file")

    with pytest.warns(UserWarning, match="all 5 evaluations failed, the first with 'OSError: no such file'"):
        result = minimize(failing, SPACE, "gp", 5)
    assert result.best is None and result.trace["loss"].isna().all() and set(result.trace["status"]) == {"failed"}
    for name in ("best_configuration", "best_loss"):
        with pytest.raises(UserError, match="all 5 evaluations failed"):
            getattr(result, name)
    with pytest.raises(UserError, match="all 5 evaluations failed"):
        result.plot()


@pytest.mark.parametrize("method", ["rf", "cmaes", "differential_evolution", "tpe", "optuna_tpe", "random"])
def test_a_failed_evaluation_is_never_the_best(method):
    def capricious(configuration):
        """Succeeds with a loss above any that one would choose for failures."""
        return 1e6 + configuration["x"] if configuration["x"] > 0 else math.nan

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = minimize(capricious, {"x": (-1.0, 1.0)}, method, 20)
    failed = result.trace["status"] == "failed"
    assert failed.any() and not failed.all()
    assert result.best_loss == result.trace.loc[~failed, "loss"].min() > 1e6
    assert result.trace.loc[failed, "message"].str.contains("loss is nan").all()


def test_failures_of_a_model_run_stay_near_the_other_losses():
    """A worst-case loss of 1e100 would leave a model nothing but the failures to see."""

    def half(configuration):
        if configuration["x"] < 0:
            raise ValueError("left")
        return (configuration["x"] - 0.7) ** 2

    result = minimize(half, {"x": (-1.0, 1.0)}, "gp", 14)
    assert result.best_loss < 1e-3
    assert (result.trace["status"][7:] == "ok").mean() > 0.7


def test_neither_random_search_nor_a_finished_journal_imports_what_models_need(tmp_path):
    program = """
import sys
from core import minimize
minimize(lambda configuration: configuration["x"], {"x": (0.0, 1.0)}, sys.argv[1], 5, journal=sys.argv[2])
print(sorted({"torch", "pandas", "numba", "distributed", "matplotlib"} & sys.modules.keys()))
"""
    minimize(lambda configuration: configuration["x"], {"x": (0.0, 1.0)}, "gp", 5, journal=tmp_path / "gp.jsonl")
    for method in ("random", "gp"):
        command = [sys.executable, "-c", program, method, str(tmp_path / f"{method}.jsonl")]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout == "[]\n"


class Halving:
    """An optimizer of one's own: looks between the two best, and knows nothing of states or trials."""

    def __init__(self):
        self.told = []

    def ask(self, n):
        best = sorted(self.told)[:2]
        return [{"x": sum(x for _, x in best) / 2 if len(best) == 2 else -4.0 + 8.0 * len(self.told)}]

    def tell(self, trial, evaluation):
        self.told.append((float(evaluation.loss[0]), trial.configuration["x"]))


def test_an_object_of_ones_own_needs_ask_and_tell_alone(tmp_path):
    calls = []

    def loss(configuration):
        calls.append(configuration["x"])
        if len(calls) == 5:
            raise KeyboardInterrupt
        return abs(configuration["x"] - 0.3)

    own, arguments = Halving(), {"space": {"x": (-5.0, 5.0)}, "evaluations": 12}
    with pytest.raises(KeyboardInterrupt):
        minimize(loss, method=own, journal=tmp_path / "run.jsonl", **arguments)
    resumed = Halving()
    result = minimize(loss, method=resumed, journal=tmp_path / "run.jsonl", **arguments)
    assert len(calls) == 13 and len(resumed.told) == 12
    assert outcomes(result) == outcomes(minimize(lambda c: abs(c["x"] - 0.3), method=Halving(), **arguments))


def test_an_object_of_ones_own_may_give_trials_with_budgets_and_end():
    class Three:
        def __init__(self):
            self.left, self.told = [3.0, 1.0, 9.0], []

        def ask(self, n):
            return [Trial(-1, {"x": 0.5}, self.left.pop(), {"origin": "mine"})] if self.left else []

        def tell(self, trial, evaluation):
            self.told.append((trial.number, trial.budget, evaluation.loss.tolist()))

    own = Three()
    result = minimize(lambda configuration, budget: budget, {"x": (0.0, 1.0)}, own, 10, budgets=(1, 9))
    assert [record.budget for record in result.records] == [9.0, 1.0, 3.0] and result.best_loss == 9.0
    assert own.told == [(-1, 9.0, [9.0]), (-1, 1.0, [1.0]), (-1, 3.0, [3.0])]
    assert set(result.trace["origin"]) == {"mine"}


def test_an_optimizer_object_is_taken_as_it_is():
    space = ConfigurationSpace(SPACE)
    result = minimize(bowl, space, RandomSearch(space, np.random.default_rng(3)), 5)
    expected = RandomSearch(space, np.random.default_rng(3)).ask(5)
    assert [record.configuration for record in result.records] == [trial.configuration for trial in expected]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "bobh"}, "unknown method 'bobh'; did you mean 'bohb'"),
        ({"method": "bohb"}, "method 'bohb' needs budgets"),
        ({"function": curve, "budgets": (1, 9)}, "method 'random' evaluates on one budget"),
        ({"function": curve, "budgets": (9, 1), "method": "bohb"}, "budgets from 9 to 1"),
        ({"function": curve, "budgets": 9, "method": "bohb"}, "budgets is 9"),
        ({"function": curve, "budgets": ("a", "b"), "method": "bohb"}, "minimum_budget is 'a'"),
        (
            {"budgets": (1, 9), "method": "bohb"},
            "function bowl.* cannot be called as bowl.configuration, budget.*too many",
        ),
        ({"function": curve}, "function curve.* cannot be called as curve.configuration.*missing.*'budget'"),
        ({"function": 3}, "function is 3"),
        ({"space": 5}, "space is 5; allowed: a ConfigurationSpace, or a dictionary such as"),
        ({"space": {"x": (5.0, 1.0)}}, r"space: 'x' is \(5.0, 1.0\); allowed: \(low, high\)"),
        ({"space": {"x": (0, 1, 2)}}, "space: 'x' is"),
        ({"space": {"x": {"a"}}}, "space: 'x' is"),
        ({"space": {}}, "has no hyperparameters"),
        ({"space": {"x": 3}}, "has a single configuration"),
        ({"evaluations": 0}, "evaluations is 0"),
        ({"evaluations": 2.5}, "evaluations is 2.5"),
        ({"seed": -1}, "seed is -1"),
        ({"workers": 0}, "workers is 0"),
        ({"worst_loss": math.nan}, "worst_loss nan"),
        ({"method": object()}, "method is <object"),
        ({"method": "reinforce"}, "'x' has any number of values"),
        ({"journal": "/dev/null/run.jsonl"}, "cannot be"),
    ],
)
def test_what_is_not_allowed_is_said_before_any_work(tmp_path, arguments, message):
    called = []

    def function(configuration):
        called.append(configuration)

    given = {"function": bowl, "space": SPACE, "method": "random", "evaluations": 3, **arguments}
    if given["function"] is bowl and "budgets" not in given:
        given["function"] = function
    with pytest.raises(UserError, match=message) as caught:
        minimize(**given)
    assert not called and "\n" not in str(caught.value)


def test_a_run_that_never_began_leaves_no_claim_on_its_journal(tmp_path):
    with pytest.raises(UserError, match="any number of values"):
        minimize(bowl, SPACE, "reinforce", 3, journal=tmp_path / "run.jsonl")
    assert len(minimize(bowl, SPACE, "random", 3, journal=tmp_path / "run.jsonl").records) == 3


@given(st.lists(st.one_of(st.none(), st.floats(-1e9, 1e9)), min_size=1, max_size=12), st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_whatever_the_losses_the_best_is_their_smallest(losses, seed):
    left = iter(losses)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = minimize(lambda configuration: next(left), SPACE, "tpe", len(losses), seed=seed)
    finite = [loss for loss in losses if loss is not None]
    assert (result.best is None) == (not finite)
    assert not finite or result.best_loss == min(finite)


def test_the_plot_has_the_incumbent_and_all_successes():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    result = minimize(curve, SPACE, "hyperband", 40, budgets=(1, 9))
    figure = result.plot()
    (axes,) = figure.axes
    points = sum(len(line.get_xdata()) for line in axes.lines[:-1])
    assert points == 40 and axes.get_xlabel() == "evaluations"
    assert axes.lines[-1].get_ydata()[-1] == result.best_loss
    pyplot.close(figure)


def test_progress_is_a_line_now_and_then_where_there_is_no_terminal(monkeypatch, capsys):
    monkeypatch.setattr("core.study.progress.LINE_SECONDS", 0.0)
    minimize(bowl, SPACE, "random", 3)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3 and re.fullmatch(r"3 of 3 evaluations, best \S+, about 0 s left", lines[-1])
    minimize(bowl, SPACE, "random", 3, progress=False)
    assert capsys.readouterr().err == ""


def test_progress_is_a_bar_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    minimize(bowl, SPACE, "random", 3)
    said = capsys.readouterr().err
    assert "3/3" in said and "best" in said


@pytest.mark.parametrize(
    "make", [lambda space: CubeEncoding(space).space, lambda space: RandomSearch(space, None).space]
)
def test_a_dictionary_is_a_space_wherever_one_is_taken(make):
    assert make(SPACE) == ConfigurationSpace(SPACE)
    assert FunctionObjective(bowl, SPACE, 1.0).space == ConfigurationSpace(SPACE)
    with pytest.raises(UserError, match="space is 'x'"):
        make("x")


def test_a_function_has_no_learning_curves():
    with pytest.raises(UserError, match="'hyperband_lcnet' needs learning curves, which a function does not return"):
        minimize(lambda configuration, budget: 0.0, {"x": (0.0, 1.0)}, "hyperband_lcnet", budgets=(1, 9))
