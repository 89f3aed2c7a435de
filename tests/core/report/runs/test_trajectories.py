"""Incumbents, regret and bands.

Curves of runs over time at other times.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.experiment.search import improvements
from core.report import NotRunError
from core.report.runs.trajectories import (
    SMALLEST,
    common_ends,
    continued,
    incumbent,
    log_regret,
    mean_and_sem,
    median_and_quartiles,
    over_time,
    per_run,
    regret_over_time,
    split_runs,
)

LOSSES = arrays(float, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=st.floats(-1e6, 1e6))


def frame(values: np.ndarray, benchmark="branin", method="gp") -> pd.DataFrame:
    runs, n = values.shape
    rows = pd.DataFrame(
        {"run": np.repeat(range(runs), n), "evaluation": np.tile(range(1, n + 1), runs), "regret": values.ravel()}
    )
    return rows.assign(benchmark=benchmark, method=method).sample(frac=1, random_state=0)


@given(LOSSES)
def test_the_incumbent_never_rises_and_is_the_best_so_far(losses):
    best = incumbent(losses)
    assert (np.diff(best, axis=1) <= 0).all() and (best[:, -1] == losses.min(1)).all() and (best <= losses).all()


@given(LOSSES)
def test_rows_in_any_order_are_read_by_run_and_evaluation(losses):
    np.testing.assert_array_equal(per_run(frame(losses), "regret", "branin", "gp"), losses)


@given(LOSSES)
def test_improvements_alone_give_the_same_incumbents(losses):
    rows = frame(losses).sort_values(["run", "evaluation"]).assign(status="ok", loss=lambda rows: rows["regret"])
    fewer = improvements(rows)
    steps = (np.diff(incumbent(losses), axis=1) < 0).sum() + len(losses)
    assert steps <= len(fewer) <= steps + len(losses)
    np.testing.assert_array_equal(incumbent(per_run(fewer, "regret", "branin", "gp")), incumbent(losses))


def test_a_run_that_ends_early_has_no_later_values():
    rows = frame(np.array([[3.0, 4.0, 1.0], [5.0, 2.0, 6.0]])).query("not (run == 1 and evaluation == 3)")
    np.testing.assert_array_equal(per_run(rows, "regret", "branin", "gp"), [[3, 4, 1], [5, 2, np.nan]])


def test_missing_cells_are_not_run():
    with pytest.raises(NotRunError, match="branin/rf"):
        per_run(frame(np.ones((2, 3))), "regret", "branin", "rf")


def test_standard_errors_are_those_of_the_mean_and_zero_for_one_run():
    values = np.array([[1.0, 2.0], [3.0, 6.0], [5.0, 1.0]])
    mean, sem = mean_and_sem(values)
    np.testing.assert_allclose(mean, [3, 3])
    np.testing.assert_allclose(sem, [2 / np.sqrt(3), np.sqrt(7) / np.sqrt(3)])
    assert (mean_and_sem(values[:1])[1] == 0).all()


def test_rounding_below_the_optimum_stays_on_the_log_axis():
    assert (log_regret(np.array([0.0, -1e-16, 1e-30])) == np.log10(SMALLEST)).all()
    assert log_regret(np.array([0.01])) == pytest.approx(-2)


def test_regret_over_seconds_of_runs_of_different_lengths():
    rows = pd.DataFrame(
        {
            "run": [0, 0, 1, 0],
            "finished": [2.0, 3.0, 5.0, 6.0],
            "regret": [0.4, 0.5, 0.15, 0.2],
            "benchmark": "protein",
            "method": "random",
        }
    )
    found = regret_over_time(rows, "protein", "random", np.array([1.0, 2.0, 4.0, 6.0]))
    np.testing.assert_allclose(found, [[np.nan, 0.4, 0.5, 0.2], [np.nan, np.nan, np.nan, 0.15]])
    with pytest.raises(NotRunError, match="protein/bohb"):
        regret_over_time(rows, "protein", "bohb", np.array([1.0]))


def test_quartiles_are_over_the_runs():
    values = np.array([[1.0, np.nan], [2.0, 1.0], [3.0, 1.0], [4.0, 1.0], [5.0, 1.0]])
    low, median, high = median_and_quartiles(values)
    assert (low[0], median[0], high[0]) == (2, 3, 4)
    assert np.isnan([low[1], median[1], high[1]]).all()


def test_rows_of_several_runs_are_taken_apart():
    """Runs of different lengths, their rows mixed: each keeps its own in their order."""
    rows = pd.DataFrame({"run": [7, 2, 7, 2, 2], "time": [1, 2, 3, 4, 5], "loss": [0.5, 0.4, np.nan, 0.2, 0.1]})
    found = [[column.tolist() for column in run] for run in split_runs(rows, "time", "loss")]
    assert found == [[[2, 4, 5], [0.4, 0.2, 0.1]], [[1, 3], [0.5, pytest.approx(np.nan, nan_ok=True)]]]


def test_cells_of_different_length_are_compared_where_both_have_values():
    """Three runs of four evaluations and two of three: the first two runs after three evaluations."""
    whole = np.array([[4.0, 3.0, 5.0, 1.0], [6.0, 7.0, 5.0, 2.0], [9.0, 8.0, 7.0, 3.0]])
    reduced = np.array([[2.0, 5.0, 6.0], [5.0, 4.0, 1.0]])
    frames = [
        pd.DataFrame(
            {"benchmark": "levy", "method": name, "run": run, "evaluation": n + 1, "status": "ok", "regret": value}
            for run, row in enumerate(values)
            for n, value in enumerate(row)
        )
        for name, values in (("random", whole), ("gp", reduced))
    ]
    random, gp = common_ends(pd.concat(frames), "regret", "levy", ("random", "gp"))
    assert random == pytest.approx([3.0, 5.0]) and gp == pytest.approx([2.0, 1.0])


def test_budgets_that_sum_up_to_a_time_but_for_rounding_count():
    rows = pd.DataFrame({"run": 0, "finished": [0.5, 1.0000000000000002], "evaluation": [1, 2], "regret": [0.3, 0.1]})
    assert over_time(rows, np.array([1.0])).item() == 0.1


def test_a_run_of_failures_so_far_has_the_worst_loss():
    columns = {"run": [0, 0, 1], "finished": [3.0, 5.0, 1.0], "evaluation": [3, 5, 1], "loss": [0.4, 0.2, 0.7]}
    rows = pd.DataFrame({**columns, "regret": columns["loss"], "worst_loss": 9.0})
    assert over_time(rows, np.array([0.5, 2.0, 4.0]), "loss").tolist() == [[9.0, 9.0, 0.4], [0.7, 0.7, 0.7]]
    assert over_time(rows, np.array([2.0])).tolist() == [[0.4], [0.7]]


def test_runs_that_end_early_keep_their_incumbent():
    columns = {"method": ["a", "a", "a", "b"], "run": [0, 0, 1, 0], "finished": [1.0, 9.0, 4.0, 2.0]}
    frame = pd.DataFrame({**columns, "error": [0.5, 0.1, 0.3, 0.2]}).assign(benchmark="x")
    found = continued(frame)
    rows = [tuple(row) for row in found[["method", "run", "finished", "error"]].to_numpy().tolist()]
    ends = [("a", 0, 9.0, 0.1), ("a", 1, 9.0, 0.3), ("b", 0, 2.0, 0.2)]
    assert sorted(rows) == sorted([*zip(*(frame[name] for name in ("method", "run", "finished", "error"))), *ends])
    assert found.groupby(["method", "run"])["finished"].is_monotonic_increasing.all()
