"""Benchmarks of this repository, and other objects with `evaluate` and `space`, in the place of a function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from core import minimize
from core.foundation.errors import UserError
from core.objectives.base import Evaluation, FunctionObjective
from core.objectives.counting_ones import CountingOnes
from core.objectives.synthetic import FUNCTIONS
from tests.core.study.bowl import SPACE, bowl, outcomes


@dataclass(frozen=True)
class Least:
    """No more than has to be there; its representation is long."""

    space: dict
    padding: str = "x" * 10_000

    def evaluate(self, configurations, budget, generator):
        losses = np.array([bowl(configuration) for configuration in configurations])
        return Evaluation(losses, np.full(len(losses), 2.0), tuple({"drawn": generator.random()} for _ in losses))


def test_an_object_is_evaluated_as_its_function_is():
    found = minimize(Least(SPACE), method="random", evaluations=6)
    assert outcomes(found) == outcomes(minimize(bowl, SPACE, "random", 6))
    assert found.trace["cost"].tolist() == [2.0] * 6 and 0 < found.records[0].info["drawn"] < 1
    assert outcomes(minimize(Least(SPACE), SPACE, "random", 6)) == outcomes(found), "its own space may be given"


def test_a_synthetic_function_of_the_papers():
    branin = FUNCTIONS["branin"]
    found = minimize(branin, method="random", evaluations=5)
    values = branin.evaluate([record.configuration for record in found.records], None, np.random.default_rng(0)).loss
    assert [record.loss for record in found.records] == pytest.approx(values.tolist())


def test_budgets_are_those_of_the_fidelity():
    ones = CountingOnes(2, 2)
    found = minimize(ones, method="bohb", evaluations=150)
    budgets = found.trace["budget"]
    assert budgets.min() >= ones.fidelity.minimum and budgets.max() == ones.fidelity.maximum
    assert found.trace["cost"].tolist() == budgets.tolist()
    fewer = minimize(ones, method="hyperband", budgets=(200, 1800), evaluations=10)
    assert set(fewer.trace["budget"]) <= {200.0, 600.0, 1800.0}
    assert set(minimize(ones, method="random", evaluations=2).trace["budget"]) == {ones.fidelity.maximum}


def test_failures_have_the_worst_loss_of_the_benchmark(tmp_path):
    def broken(configuration, budget, generator):
        raise ValueError("never")

    objective, path = FunctionObjective(broken, SPACE, worst_loss=7.0), tmp_path / "run.jsonl"
    with pytest.warns(UserWarning, match="all 3 evaluations failed, the first with 'ValueError: never'"):
        found = minimize(objective, method="tpe", evaluations=3, journal=path)
    assert [record.loss for record in found.records] == [7.0] * 3
    with pytest.raises(UserError, match=r"with worst_loss 7\.0; this run has 8\.0"):
        minimize(objective, method="tpe", evaluations=3, worst_loss=8.0, journal=path)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"space": {"x": (0.0, 1.0)}}, r"^space is .*, but Least\(.* has .*; allowed: None$"),
        ({"budgets": (1, 9), "method": "bohb"}, "this objective has no fidelity"),
        ({"method": "bohb"}, "method 'bohb' needs budgets"),
        ({"function": Least}, "function is the class Least; allowed: an object of it"),
        (
            {"function": CountingOnes(2, 2), "method": "bohb", "budgets": (1, 9)},
            r"budget 1\.0; allowed: draws from 144",
        ),
        ({"function": bowl}, "space is None; allowed: a ConfigurationSpace"),
        ({"function": list(range(10_000)), "space": SPACE}, r"function is \[0, 1, .* \.\.\.; allowed: a callable"),
    ],
)
def test_what_does_not_fit_is_said_in_a_line(arguments, message):
    with pytest.raises(UserError, match=message) as caught:
        minimize(**{"function": Least(SPACE), "method": "random", "evaluations": 2, **arguments})
    assert len(str(caught.value)) < 700
