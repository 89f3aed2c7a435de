"""Step functions of runs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.study.curves import at_times, time_to, value_of_incumbent

LOSSES = arrays(float, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=st.floats(-1e6, 1e6))


@settings(deadline=None)
@given(LOSSES)
def test_a_value_of_the_incumbent_is_that_of_the_first_best_so_far(losses):
    values = np.arange(losses.size, dtype=float).reshape(losses.shape)
    found = value_of_incumbent(losses, values)
    for run, row in enumerate(losses):
        expected = [values[run, int(np.argmin(row[: n + 1]))] for n in range(len(row))]
        assert found[run].tolist() == expected


def test_failures_are_no_incumbents_unless_nothing_else_is():
    losses = np.array([np.nan, 3.0, np.nan, 2.0, 2.0])
    assert value_of_incumbent(losses, np.array([0.0, 1, 2, 3, 4])).tolist() == [0, 1, 1, 3, 3]


def test_test_errors_of_incumbents_can_rise():
    found = value_of_incumbent(np.array([[3.0, 2.0, 1.0]]), np.array([[0.2, 0.1, 0.3]]))
    assert found.tolist() == [[0.2, 0.1, 0.3]]


def test_a_step_function_has_the_value_of_the_last_finished_evaluation():
    found = at_times(np.array([1.0, 2.5, 2.5, 4.0]), np.array([9.0, 8.0, 7.0, 6.0]), np.array([0.5, 1, 2, 2.5, 3, 99]))
    np.testing.assert_array_equal(found, [np.nan, 9, 9, 7, 7, 6])


def test_before_anything_has_finished_nothing_is_known():
    assert np.isnan(at_times(np.empty(0), np.empty(0), np.array([0.0, 9.0]))).all()
    assert time_to(np.empty((2, 0)), np.empty(0), 1.0).tolist() == [np.inf, np.inf]


def test_a_level_is_reached_at_the_first_time_at_or_below_it_but_for_rounding():
    values, times = np.array([[3.0, 2.0, 1.0], [3.0, 3.0, 3.0]]), np.array([1.0, 2.0, 4.0])
    assert time_to(values, times, 2.0).tolist() == [2.0, np.inf]
    assert time_to(values, times, np.array([1.0 - 1e-12, 3.0])).tolist() == [4.0, 1.0]
