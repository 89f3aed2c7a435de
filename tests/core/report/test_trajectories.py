"""Incumbents, regret and bands."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.report import NotRunError, style
from core.report.trajectories import SMALLEST, draw_regret, incumbent, log_regret, mean_and_sem, per_run

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


def test_missing_cells_are_not_run():
    with pytest.raises(NotRunError, match="branin/rf"):
        per_run(frame(np.ones((2, 3))), "regret", "branin", "rf")
    _, axes = style.subplots()
    with pytest.raises(NotRunError, match="branin"):
        draw_regret(axes, frame(np.ones((2, 3))), "branin", ["rf"])


def test_standard_errors_are_those_of_the_mean_and_zero_for_one_run():
    values = np.array([[1.0, 2.0], [3.0, 6.0], [5.0, 1.0]])
    mean, sem = mean_and_sem(values)
    np.testing.assert_allclose(mean, [3, 3])
    np.testing.assert_allclose(sem, [2 / np.sqrt(3), np.sqrt(7) / np.sqrt(3)])
    assert (mean_and_sem(values[:1])[1] == 0).all()


def test_rounding_below_the_optimum_stays_on_the_log_axis():
    assert (log_regret(np.array([0.0, -1e-16, 1e-30])) == np.log10(SMALLEST)).all()
    assert log_regret(np.array([0.01])) == -2


def test_what_is_drawn_is_returned():
    data = pd.concat([frame(np.array([[4.0, 1.0, 2.0]])), frame(np.array([[3.0, 3.0, 0.5]]), method="random")])
    _, axes = style.subplots()
    drawn = draw_regret(axes, data, "branin", ["gp", "rf", "random"])
    assert drawn.groupby("method")["mean"].apply(list).to_dict() == {"gp": [4, 1, 1], "random": [3, 3, 0.5]}
    assert [line.get_label() for line in axes.lines] == [style.label("gp"), style.label("random")]
