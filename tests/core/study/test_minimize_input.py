"""What is wrong with a call is said before any work."""

from __future__ import annotations

import math

import pytest

from core import minimize
from core.errors import UserError
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


def test_a_function_has_no_learning_curves():
    with pytest.raises(UserError, match="'hyperband_lcnet' needs learning curves, which a function does not return"):
        minimize(lambda configuration, budget: 0.0, {"x": (0.0, 1.0)}, "hyperband_lcnet", budgets=(1, 9))
