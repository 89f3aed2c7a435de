"""The networks of Table E.3 as an objective."""

import numpy as np
import pytest

from core.foundation.errors import UserError
from core.training.collector import classifier

GOOD = {"learning_rate": 1e-2, "batch_size": 8.4, "units_1": 63.7, "units_2": 32.0, "dropout_1": 0.0, "dropout_2": 0.1}


def test_a_good_configuration_learns_and_a_slow_one_does_not():
    benchmark = classifier("breast_cancer", epochs=5)
    found = benchmark.evaluate([GOOD, GOOD | {"learning_rate": 1e-6}], None, np.random.default_rng(0))
    assert found.loss[0] < 0.1 < found.loss[1] <= 1
    assert (found.cost > 0).all()
    again = benchmark.evaluate([GOOD], None, np.random.default_rng(0))
    assert again.loss[0] == found.loss[0]


def test_halves_have_no_row_in_common():
    halves = [classifier("breast_cancer", 100, 1, half).parts for half in (0, 1)]
    sizes = [sum(len(part.y) for part in (parts.train, parts.validation, parts.test)) for parts in halves]
    assert sizes == [50, 50]
    assert not np.allclose(halves[0].train.X[:10, :5], halves[1].train.X[:10, :5])


def test_sets_of_regression_and_budgets_are_refused():
    with pytest.raises(UserError, match="data set 'diabetes' is for regression; allowed: classification"):
        classifier("diabetes")
    with pytest.raises(UserError, match="budget 3"):
        classifier("breast_cancer", 60, 1).evaluate([GOOD], 3.0, np.random.default_rng(0))
