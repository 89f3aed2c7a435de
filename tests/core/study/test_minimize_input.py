"""What is wrong with a call is said before any work."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core import minimize
from core.foundation.errors import UserError
from core.optimizers.random_search import RandomSearch
from tests.core.study.bowl import SPACE, bowl, curve


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
        ({"function": curve, "method": "fabolas", "budgets": (1, 1)}, "allowed: a smallest above 0 and a larger one"),
        ({"method": "hyperband_lcnet"}, "needs learning curves, which a function does not return"),
        ({"function": 3}, "function is 3"),
        ({"space": 5}, "space is 5; allowed: a ConfigurationSpace, or a dictionary such as"),
        (
            {"space": {"x": (5.0, 1.0)}},
            r"space: 'x' is \(5.0, 1.0\); its low end is not below the high one; allowed: \(low, high\)",
        ),
        ({"space": {"x": (0, 1, 2)}}, "space: 'x' is"),
        ({"space": {"x": {"a"}}}, "space: 'x' is"),
        ({"space": {}}, "has no hyperparameters"),
        ({"space": {"x": 3}}, "has a single configuration"),
        ({"evaluations": 0}, "evaluations is 0"),
        ({"evaluations": 2.5}, "evaluations is 2.5"),
        ({"seed": -1}, "seed is -1"),
        ({"workers": 0}, "workers is 0"),
        ({"worst_loss": math.nan}, "worst_loss is nan; allowed: a finite number"),
        ({"worst_loss": 10**400}, "worst_loss is 1000.*; allowed: a finite number"),
        ({"worst_loss": True}, "worst_loss is True"),
        ({"method": object()}, "method is <object"),
        ({"method": RandomSearch}, "method is <class .*an object that asks and tells"),
        ({"method": "gp", "seed": 2**64}, f"seed is {2**64}; allowed: whole numbers below"),
        ({"journal": ""}, "journal is ''; allowed: the path of a file"),
        ({"journal": "/"}, "journal is '/'"),
        ({"journal": 5}, "journal is 5"),
        ({"journal": b"x"}, "journal is b'x'"),
        ({"method": "reinforce"}, "'x' has any number of values"),
        ({"journal": "/dev/null/run.jsonl"}, "Not a directory"),
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


def test_a_function_has_no_learning_curves():
    with pytest.raises(UserError, match="'hyperband_lcnet' needs learning curves, which a function does not return"):
        minimize(lambda configuration, budget: 0.0, {"x": (0.0, 1.0)}, "hyperband_lcnet", budgets=(1, 9))


@pytest.mark.filterwarnings("ignore:all 2 evaluations failed")
def test_numbers_of_numpy_are_losses_of_failures(tmp_path):
    for number in (np.float32(7), np.int64(7), 7):  # the same run
        result = minimize(lambda c: math.nan, SPACE, "random", 2, worst_loss=number, journal=tmp_path / "run.jsonl")
        assert [record.loss for record in result.records] == [7.0, 7.0]
