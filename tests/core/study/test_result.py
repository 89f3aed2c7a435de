"""What a result shows: a table, importances, figures, and a study of Optuna."""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition, Float

from core import minimize
from core.foundation.errors import UserError
from core.study import Record, Result
from core.study.importance import importances_of
from tests.core.study.bowl import SPACE, bowl, curve, outcomes

CUBE = {"a": (0.0, 1.0), "b": (0.0, 1.0), "c": (0.0, 1.0)}


def accuracy(configuration):
    if configuration["kind"] == "b":
        raise ValueError("no b")
    return {"value": -bowl(configuration), "memory": configuration["x"], "epochs": 3, "x": 7, "curve": [1, 2]}


@pytest.fixture(scope="module")
def maximized():
    return minimize(accuracy, SPACE, "random", 40, maximize=True, constraints=["memory"], progress=False)


def test_the_table_has_a_column_for_each_hyperparameter_and_what_came_of_it(maximized):
    frame = maximized.frame
    expected = ["trial", "kind", "n", "x", "value", "cost", "memory", "epochs", "x (returned)", "status", "message"]
    assert list(frame) == [*expected, "origin"]
    ok = frame[frame["status"] != "failed"]
    values = [-bowl(row) for row in ok[["x", "n", "kind"]].to_dict("records")]
    assert ok["value"].tolist() == values and frame.loc[frame["kind"] == "b", "value"].isna().all()
    assert set(frame["status"]) == {"ok", "failed", "infeasible"} and set(ok["epochs"]) == {3}
    best = frame.loc[frame["status"] == "ok", "value"].max()
    assert maximized.best_value == best == -maximized.best_loss and f"best value {best:.6g}" in repr(maximized)


def test_the_table_of_a_conditional_space_with_budgets():
    space = ConfigurationSpace()
    space.add(Categorical("kind", ["a", "b"]), Float("x", (0.0, 1.0)))
    space.add(EqualsCondition(space["x"], space["kind"], "a"))
    frame = minimize(lambda c, budget: c.get("x", 2.0), space, "hyperband", 20, budgets=(1, 9)).frame
    assert (frame["x"].isna() == (frame["kind"] == "b")).all() and set(frame["budget"]) == {1.0, 3.0, 9.0}


def test_maximizing_is_minimizing_the_negative():
    first = minimize(lambda c: -bowl(c), SPACE, "tpe", 25, maximize=True, worst_loss=-99.0)
    second = minimize(bowl, SPACE, "tpe", 25, worst_loss=99.0)
    assert outcomes(first) == outcomes(second)
    failing = minimize(
        lambda c: float("nan") if c["x"] < 0 else 1.0, SPACE, "random", 9, maximize=True, worst_loss=-9.0
    )
    assert {record.loss for record in failing.records} == {9.0, -1.0}


def test_progress_shows_what_is_maximized(monkeypatch, capsys):
    monkeypatch.setattr("core.study.progress.LINE_SECONDS", 0.0)
    result = minimize(lambda c: -bowl(c), SPACE, "random", 4, maximize=True)
    assert f"best {result.best_value:.5g}" in capsys.readouterr().err.splitlines()[-1]
    minimize(bowl, SPACE, "random", seconds=0.05)
    assert all(" of " not in line and "left" not in line for line in capsys.readouterr().err.splitlines())


class TestImportance:
    def test_shares_of_a_sum_and_a_product(self):
        """a has variance 1/12 and so has b; 2a + b: 4/5 and 1/5. Of (a - 1/2)(b - 1/2) all is the pair's."""
        rng = np.random.default_rng(0)
        points = rng.random((600, 3))

        def found(losses):
            records = [
                Record(i, dict(zip("abc", map(float, x))), None, float(y), 1.0, "", 0.0, 0.0, 0)
                for i, (x, y) in enumerate(zip(points, losses))
            ]
            frame = Result(records, space=minimize(lambda c: 0.0, CUBE, "random", 1).space).importance()
            return frame.set_index("hyperparameters")["importance"]

        total = found(2 * points[:, 0] + points[:, 1])
        assert total["a"] == pytest.approx(0.8, abs=0.06) and total["b"] == pytest.approx(0.2, abs=0.06)
        assert total["c"] < 0.01 and total.index[0] == "a" and total.sum() == pytest.approx(1.0, abs=0.02)
        pair = found((points[:, 0] - 0.5) * (points[:, 1] - 0.5))
        assert pair.index[0] == "a x b" and pair["a x b"] > 0.6

    @pytest.mark.parametrize("scale", [2.0**-40, 2.0**1000])
    def test_the_scale_of_the_losses_does_not_matter(self, scale):
        """Squares of such losses vanish beside scikit-learn's smallest variance, or overflow."""

        def found(factor):
            return minimize(lambda c: factor * (c["a"] + 0.5 * c["b"]), CUBE, "random", 40, progress=False).importance()

        pd.testing.assert_frame_equal(found(scale), found(1.0), rtol=1e-6)

    def test_exact_for_trees(self):
        """One tree that splits a at 1/2 and, on the right, b at 1/4: by hand."""
        from core.study.importance import _shares

        corners = np.array([[[0, 0], [0.5, 1]], [[0.5, 0], [1, 0.25]], [[0.5, 0.25], [1, 1]]])
        means = np.array([0.0, 4.0, 8.0])
        variance = 0.5 * 3.5**2 + 0.125 * 0.5**2 + 0.375 * 4.5**2
        shares = _shares((corners, means), 2)
        of_a, of_b = 3.5**2, 0.25 * 1.5**2 + 0.75 * 0.5**2
        assert shares[0,] == pytest.approx(of_a / variance) and shares[1,] == pytest.approx(of_b / variance)
        assert sum(shares.values()) == pytest.approx(1.0)

    def test_only_what_counts_on_the_largest_budget(self):
        def loss(configuration, budget):
            return configuration["a"] if budget == 9 else 100 * configuration["b"]

        result = minimize(loss, CUBE, {"method": "successive_halving", "brackets": None}, 300, budgets=(1, 9))
        assert result.importance(order=1)["hyperparameters"][0] == "a"

    def test_the_largest_budget_with_enough_evaluations_where_the_largest_has_few(self):
        result = minimize(lambda c, budget: c["a"] if budget < 9 else 0.0, CUBE, "hyperband", 130, budgets=(1, 81))
        count = Counter(record.budget for record in result.records)
        assert 0 < count[81.0] < 10 and min(count[9.0], count[3.0]) >= 9
        with pytest.warns(UserWarning, match=r"taken from budget 3, since 1 evaluations on budget 81 have 1 .*, 9 "):
            assert result.importance(order=1)["hyperparameters"][0] == "a"
        little = minimize(lambda c, budget: c["a"], CUBE, "bohb", 13, budgets=(1, 9))
        with pytest.raises(UserError, match=r"1 evaluations on budget 9 .*, 9 evaluations on budget 1 .* larger"):
            little.importance()

    def test_what_is_too_little(self):
        few = minimize(bowl, SPACE, "random", 5)
        with pytest.raises(UserError, match=r"importance: 5 evaluations .* allowed: at least 10 evaluations"):
            few.importance()
        with pytest.raises(UserError, match="1 different losses"):
            minimize(lambda c: 1.0, SPACE, "random", 20).importance()
        with pytest.raises(UserError, match="order is 3"):
            importances_of(few.records, few.space, 3)
        with pytest.raises(UserError, match="this result has no space"):
            Result(few.records).importance()


class TestFigures:
    @pytest.fixture(autouse=True)
    def pyplot(self):
        pyplot = pytest.importorskip("matplotlib.pyplot")
        pyplot.switch_backend("agg")
        yield pyplot
        pyplot.close("all")

    def test_parallel_coordinates_have_a_line_for_each_evaluation(self, maximized):
        (axes,) = maximized.plot_parallel().axes
        ok = (maximized.frame["status"] == "ok").sum()
        lines = [line for line in axes.lines if len(line.get_xdata()) == 4]
        assert len(lines) == ok and [text.get_text() for text in axes.get_xticklabels()] == ["kind", "n", "x", "value"]
        assert max(line.get_ydata()[-1] for line in lines) == 1.0

    def test_slices_have_a_part_for_each_hyperparameter(self, maximized):
        figure = maximized.plot_slices()
        assert [axes.get_xlabel() for axes in figure.axes] == ["kind", "n", "x"]
        offsets = figure.axes[2].collections[0].get_offsets()
        ok = maximized.frame[maximized.frame["status"] == "ok"]
        assert sorted(offsets[:, 0]) == sorted(ok["x"]) and sorted(offsets[:, 1]) == sorted(ok["value"])

    def test_importances_are_bars(self):
        result = minimize(bowl, SPACE, "random", 40)
        (axes,) = result.plot_importance().axes
        assert [text.get_text() for text in axes.get_yticklabels()] == result.importance()["hyperparameters"].tolist()

    def test_the_history_has_the_values(self, maximized):
        (axes,) = maximized.plot().axes
        assert axes.get_ylabel() == "value" and axes.lines[-1].get_ydata()[-1] == maximized.best_value

    def test_nothing_to_draw(self):
        with pytest.warns(UserWarning, match="there is no best"):
            failed = minimize(lambda c: float("nan"), SPACE, "random", 3)
        for draw in (failed.plot, failed.plot_parallel, failed.plot_slices):
            with pytest.raises(UserError, match="all 3 evaluations failed"):
                draw()


class TestOptuna:
    def test_it_has_the_same_trials_and_the_same_best(self, maximized):
        optuna = pytest.importorskip("optuna")
        study = maximized.to_optuna()
        states = [trial.state.name for trial in study.trials]
        assert states == [{"failed": "FAIL"}.get(each, "COMPLETE") for each in maximized.trace["status"]]
        assert study.direction.name == "MAXIMIZE"
        assert study.best_trial.params == maximized.best_configuration and study.best_value == maximized.best_value
        assert study.trials[0].distributions["x"] == optuna.distributions.FloatDistribution(-5.0, 5.0)

    def test_what_is_smaller_or_pruned_is_never_its_best(self):
        pytest.importorskip("optuna")
        result = minimize(curve, SPACE, "hyperband", 40, budgets=(1, 9))
        study = result.to_optuna()
        assert study.best_value == result.best_loss and study.best_trial.user_attrs["budget"] == 9.0
        pruned = [trial for trial in study.trials if trial.state.name == "PRUNED"]
        assert len(pruned) == (result.trace["budget"] < 9).sum() and {s for t in pruned for s in t.intermediate_values}

    def test_constraints_have_their_names_and_decide_about_its_best(self):
        pytest.importorskip("optuna")
        result = minimize(lambda c: {"loss": c["x"], "size": -c["x"]}, SPACE, "random", 12, constraints=["size"])
        study = result.to_optuna()
        assert [trial.constraints for trial in study.trials] == [{"size": -trial.value} for trial in study.trials]
        assert study.best_trial.params == result.best_configuration and study.best_value == result.best_loss >= 0
        assert min(trial.value for trial in study.trials) < 0

    def test_a_range_of_many_steps_is_one_in_optuna(self):
        pytest.importorskip("optuna")
        result = minimize(lambda c: c["n"], {"n": range(10**7, 0, -5), "x": (0.0, 1.0)}, "random", 3)
        study = result.to_optuna()
        distribution = study.trials[0].distributions["n"]
        assert (distribution.low, distribution.high, distribution.step) == (5, 10**7, 5)
        assert [trial.params["n"] for trial in study.trials] == [each.configuration["n"] for each in result.records]

    def test_choices_that_it_cannot_store_become_text(self):
        pytest.importorskip("optuna")
        result = minimize(lambda c: c["x"], {"x": ("log", 1e-3, 1.0), "widths": [(5,), (5, 5)]}, "random", 6)
        study = result.to_optuna()
        assert {trial.params["widths"] for trial in study.trials} == {"(5,)", "(5, 5)"}
        assert study.trials[0].distributions["x"].log

    def test_without_it_the_error_says_so(self, maximized, monkeypatch):
        monkeypatch.setitem(sys.modules, "optuna", None)
        with pytest.raises(UserError, match=r"result.to_optuna\(\) needs the Python package .optuna.: pip install"):
            maximized.to_optuna()
