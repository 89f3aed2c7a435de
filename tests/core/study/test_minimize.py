"""The call for users: what it finds, what failures do to it, and what it shows."""

from __future__ import annotations

import math
import re
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from core import minimize
from core.foundation.errors import UserError
from core.optimizers.model_settings import GPSettings
from core.optimizers.random_search import RandomSearch
from core.study.methods import method_of
from tests.core.study.bowl import SPACE, bowl, curve, outcomes


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


@given(st.lists(st.one_of(st.just(math.nan), st.floats(-1e9, 1e9)), min_size=1, max_size=12), st.integers(0, 5))
def test_whatever_the_losses_the_best_is_their_smallest(losses, seed):
    left = iter(losses)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = minimize(lambda configuration: next(left), SPACE, "tpe", len(losses), seed=seed)
    finite = [loss for loss in losses if not math.isnan(loss)]
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


class TestLargestBudget:
    """Hyperband's first bracket has 81, 27, 9, 3 and 1 configurations on the budgets 1 to 81: 121 evaluations."""

    @pytest.mark.parametrize("method", ["bohb", "hyperband", "successive_halving"])
    def test_the_default_number_of_evaluations_reaches_it(self, method):
        result = minimize(curve, SPACE, method, budgets=(1, 81), progress=False)
        assert len(result.records) == 121 and result.best.budget == 81

    @pytest.mark.parametrize("budgets", [(1, 9), (2, 25), (1, 1)])
    @pytest.mark.parametrize(
        "method",
        [
            *({"method": name, "eta": eta} for name in ("hyperband", "successive_halving") for eta in (2, 3, 4.5)),
            {"method": "hyperband", "floored_sizes": True},
            {"method": "successive_halving", "configurations": 7},
        ],
    )
    def test_it_is_reached_with_so_many_and_not_with_fewer(self, method, budgets):
        needed = method_of(method).build(SPACE, 0, budgets).evaluations_to_largest
        result = minimize(curve, SPACE, method, needed, budgets=budgets, progress=False)
        assert [record.budget == budgets[1] for record in result.records] == [False] * (needed - 1) + [True]

    def test_fewer_are_warned_of_before_any_work(self):
        with pytest.warns(UserWarning, match="100 evaluations are too few .* budget, 81: that takes 121"):
            minimize(curve, SPACE, "bohb", 100, budgets=(1, 81), progress=False)

    def test_an_end_before_it_is_warned_of_afterwards(self):
        with pytest.warns(UserWarning, match="nothing was evaluated on the largest budget, 9, but at most on 1"):
            minimize(curve, SPACE, "bohb", 20, budgets=(1, 9), callback=lambda result: True, progress=False)

    def test_methods_that_choose_any_budget_are_not_warned_of(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            minimize(lambda c: bowl(c), SPACE, "random", 2, progress=False)
            minimize(curve, SPACE, "hyperband", 13, budgets=(1, 9), progress=False)
