"""Optimizers and spaces that users bring along."""

from __future__ import annotations

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace

from core import minimize
from core.benchmarks.objective import FunctionObjective
from core.errors import UserError
from core.optimizers.base import Trial
from core.optimizers.random_search import RandomSearch
from core.spaces import CubeEncoding
from tests.core.study.bowl import SPACE, bowl, outcomes


class Halving:
    """An optimizer of one's own: looks between the two best, and knows nothing of states or trials."""

    def __init__(self):
        self.told = []

    def ask(self, n):
        best = sorted(self.told)[:2]
        return [{"x": sum(x for _, x in best) / 2 if len(best) == 2 else -4.0 + 8.0 * len(self.told)}]

    def tell(self, trial, evaluation):
        self.told.append((float(evaluation.loss[0]), trial.configuration["x"]))


def test_an_object_of_ones_own_needs_ask_and_tell_alone(tmp_path):
    calls = []

    def loss(configuration):
        calls.append(configuration["x"])
        if len(calls) == 5:
            raise KeyboardInterrupt
        return abs(configuration["x"] - 0.3)

    own, arguments = Halving(), {"space": {"x": (-5.0, 5.0)}, "evaluations": 12}
    with pytest.raises(KeyboardInterrupt):
        minimize(loss, method=own, journal=tmp_path / "run.jsonl", **arguments)
    resumed = Halving()
    result = minimize(loss, method=resumed, journal=tmp_path / "run.jsonl", **arguments)
    assert len(calls) == 13 and len(resumed.told) == 12
    assert outcomes(result) == outcomes(minimize(lambda c: abs(c["x"] - 0.3), method=Halving(), **arguments))


def test_an_object_of_ones_own_may_give_trials_with_budgets_and_end():
    class Three:
        def __init__(self):
            self.left, self.told = [3.0, 1.0, 9.0], []

        def ask(self, n):
            return [Trial(-1, {"x": 0.5}, self.left.pop(), {"origin": "mine"})] if self.left else []

        def tell(self, trial, evaluation):
            self.told.append((trial.number, trial.budget, evaluation.loss.tolist()))

    own = Three()
    result = minimize(lambda configuration, budget: budget, {"x": (0.0, 1.0)}, own, 10, budgets=(1, 9))
    assert [record.budget for record in result.records] == [9.0, 1.0, 3.0] and result.best_loss == 9.0
    assert own.told == [(-1, 9.0, [9.0]), (-1, 1.0, [1.0]), (-1, 3.0, [3.0])]
    assert set(result.trace["origin"]) == {"mine"}


def test_an_optimizer_object_is_taken_as_it_is():
    space = ConfigurationSpace(SPACE)
    result = minimize(bowl, space, RandomSearch(space, np.random.default_rng(3)), 5)
    expected = RandomSearch(space, np.random.default_rng(3)).ask(5)
    assert [record.configuration for record in result.records] == [trial.configuration for trial in expected]


@pytest.mark.parametrize(
    "make", [lambda space: CubeEncoding(space).space, lambda space: RandomSearch(space, None).space]
)
def test_a_dictionary_is_a_space_wherever_one_is_taken(make):
    assert make(SPACE) == ConfigurationSpace(SPACE)
    assert FunctionObjective(bowl, SPACE, 1.0).space == ConfigurationSpace(SPACE)
    with pytest.raises(UserError, match="space is 'x'"):
        make("x")
