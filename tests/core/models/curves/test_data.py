"""Curves as given: nan at the end, lists of different lengths, and one error for everything that cannot be meant."""

import warnings

import numpy as np
import pytest

from core.foundation.errors import UserError
from core.models.curves.data import check_configurations, check_times, observed_curves, without_outliers

X = np.arange(6.0).reshape(3, 2)
NAN = np.nan


def test_padded_and_ragged_curves_are_the_same():
    padded = observed_curves(X, [[1, 2, 3], [4, NAN, NAN], [5, 6, NAN]])
    ragged = observed_curves(X, [[1, 2, 3], (4,), np.array([5, 6])])
    for curves in (padded, ragged):
        np.testing.assert_array_equal(curves.lengths, [3, 1, 2])
        np.testing.assert_array_equal(curves.values, [[1, 2, 3], [4, NAN, NAN], [5, 6, NAN]])
        np.testing.assert_array_equal(curves.last, [3, 4, 6])
    np.testing.assert_allclose(padded.times, [1 / 3, 2 / 3, 1])
    inputs, values = padded.points()
    np.testing.assert_array_equal(values, [1, 2, 3, 4, 5, 6])
    np.testing.assert_allclose(inputs[3], [2, 3, 1 / 3])


def test_epochs_lengthen_curves_and_drop_unobserved_columns():
    assert observed_curves(X, [[1, 2], [3], [4]], epochs=10).values.shape == (3, 10)
    short = observed_curves(X, [[1, NAN, NAN], [3, 2, NAN], [4, NAN, NAN]], epochs=2)
    assert short.values.shape == (3, 2)


@pytest.mark.parametrize(
    "configurations, curves, epochs, message",
    [
        (X, [[1, NAN, 3], [1, 2, 3], [1, 2, 3]], None, r"curves\[0\]\[1\] is nan before an observed value"),
        (X, [[1, 2], [NAN, NAN], [1, 2]], None, r"curves\[1\]: no epoch is observed"),
        (X, [[1, 2], [], [1, 2]], None, r"curves\[1\]: no epoch is observed"),
        (X, [[1, 2], [1, np.inf], [1, 2]], None, r"curves\[1\]\[1\] is inf"),
        (X, [[1, 2], [1, 2]], None, "curves: 2 for 3 configurations"),
        (X, [1, 2, 3], None, r"curves\[0\]: has shape \(\)"),
        (X, np.zeros(3), None, r"curves: have shape \(3,\)"),
        (X, np.zeros((3, 0)), None, r"curves: have shape \(3, 0\)"),
        (X, "abc", None, "curves: a str"),
        (X, [["a"], [1], [1]], None, r"curves\[0\]: not an array of numbers"),
        (X, np.zeros((3, 5)), 4, r"curves\[0\]: 5 epochs are observed; allowed: at most epochs = 4"),
        (X, np.zeros((3, 5)), 0, "epochs is 0"),
        (X, np.zeros((3, 5)), 5.5, "epochs is 5.5"),
        (X[:, 0], np.zeros((3, 5)), None, r"configurations: have shape \(3,\)"),
        (X * NAN, np.zeros((3, 5)), None, r"configurations\[0, 0\] is nan"),
    ],
)
def test_bad_curves_give_one_error(configurations, curves, epochs, message):
    with pytest.raises(UserError, match=message):
        observed_curves(configurations, curves, epochs)


@pytest.mark.parametrize("t", [0, -0.5, 1.01, NAN, [0.5, 2], [[0.5]], [], "late"])
def test_bad_times_give_one_error(t):
    with pytest.raises(UserError, match=r"^t"):
        check_times(t)


def test_configurations_must_be_like_those_fitted():
    with pytest.raises(UserError, match=r"shape \(3, 2\); allowed: \(m, 4\)"):
        check_configurations(X, 4)
    with pytest.raises(UserError, match="not finite"):
        check_configurations(np.full((3, 2), np.inf), 2)


@pytest.mark.parametrize("far", [1e4, -1e10, 1e308])
def test_a_value_that_would_hide_all_others_is_clipped_with_a_warning(far):
    """The median of all values is 0.5, from which three quarters of the curves stay within 0.5."""
    rows = [[1.0, 0.5, 0.0, NAN], [1.0, 0.5, 0.0, NAN], [1.0, 0.5, far, NAN], [1.0, 0.5, 0.0, NAN]]
    given = observed_curves(np.arange(4.0)[:, None], rows)
    with pytest.warns(UserWarning, match=r"LCNet: curves\[2\]\[2\] is .*1 values beyond 100 times.* to -0.5 or 1.5"):
        clipped = without_outliers(given, "LCNet")
    expected = given.values.copy()
    expected[2, 2] = 1.5 if far > 0 else -0.5
    np.testing.assert_array_equal(clipped.values, expected)
    np.testing.assert_array_equal(clipped.lengths, given.lengths)


@pytest.mark.parametrize(
    "rows", [[[1.0, 2.0]], [[1.0, 1.0], [1.0, 1.0], [1.0, 9.0]], [[0.0, 1.0], [0.1, 50.0], [0.0, 1.0]]]
)
def test_curves_that_differ_by_less_are_taken_as_they_are(rows):
    given = observed_curves(np.arange(float(len(rows)))[:, None], rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert without_outliers(given, "LCNet") is given
