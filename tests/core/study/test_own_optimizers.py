"""Optimizers and spaces that users bring along."""

from __future__ import annotations

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace

from core import minimize
from core.foundation.errors import UserError
from core.objectives.base import FunctionObjective
from core.optimizers.base import Trial
from core.optimizers.bohb import BOHB
from core.optimizers.random_search import RandomSearch
from core.spaces import CubeEncoding, as_space
from core.study.methods import method_of
from core.study.own import OwnOptimizer
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


class Numbering:
    """Counts its trials from 100."""

    def __init__(self):
        self.number, self.told = 99, []

    def ask(self, n):
        self.number += 1
        return [Trial(self.number, {"x": float(self.number % 5)}, None, {"origin": "mine", "even": self.number % 2})]

    def tell(self, trial, evaluation):
        self.number = max(self.number, trial.number)
        self.told.append((trial.number, dict(trial.info)))


def test_trials_of_ones_own_keep_their_numbers_and_notes_when_a_run_is_resumed(tmp_path):
    whole, part, resumed = Numbering(), Numbering(), Numbering()
    arguments = {"function": lambda c: c["x"], "space": {"x": (0.0, 9.0)}}
    minimize(method=whole, evaluations=5, **arguments)
    for own, evaluations in ((part, 3), (resumed, 5)):
        minimize(method=own, evaluations=evaluations, journal=tmp_path / "run.jsonl", **arguments)
    assert whole.told[0] == (100, {"origin": "mine", "even": 0})
    assert part.told == whole.told[:3] and resumed.told == whole.told


def test_a_trial_without_a_budget_counts_as_one_on_the_largest():
    class Two(Numbering):
        def ask(self, n):
            return [Trial(0, {"x": 1.0 + self.number % 2}, None if self.told else 1.0)]

    result = minimize(lambda c, budget: c["x"] + 10 * budget, {"x": (0.0, 9.0)}, Two(), 2, budgets=(1, 9))
    assert [record.budget for record in result.records] == [1.0, 9.0] and result.best.number == 1


def proposing(returned):
    class Mine(Numbering):
        def ask(self, n):
            return returned

    return Mine()


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (
            [{"x": 99.0, "n": 3, "kind": "a"}],
            r"Mine.ask\(1\) proposed .*: x = 99.0 is not allowed; allowed: float from",
        ),
        ([{"z": 9}], r"Mine.ask\(1\) proposed \{'z': 9\}: unknown hyperparameter 'z'"),
        ([Trial(0, {"x": 1.0})], "proposed .*'kind' is missing"),
        ({"x": 1.0, "n": 3}, r"Mine.ask\(1\) returned \{'x': 1.0, 'n': 3\}; allowed: a list of at most one"),
        (5, r"returned 5; allowed"),
        ([5], r"returned \[5\]; allowed"),
        ([Trial(0, 5)], r"returned \[Trial"),
        ([{}, {}], r"returned \[\{\}, \{\}\]"),
    ],
)
def test_what_is_no_configuration_of_the_space_is_refused(returned, message):
    called = []
    with pytest.raises(UserError, match=message):
        minimize(called.append, SPACE, proposing(returned), 2)
    assert not called


@pytest.mark.parametrize(
    ("make", "budgets", "message"),
    [
        (
            lambda: RandomSearch({"y": (0.0, 1.0)}, rng()),
            None,
            "method is a RandomSearch of the space .*'?y.*but space",
        ),
        (lambda: BOHB(as_space(SPACE), rng(), 1, 81), (1, 9), "on budgets from 1 to 81, but budgets is .1.0, 9.0."),
        (lambda: BOHB(as_space(SPACE), rng(), 1, 9), None, "on budgets from 1 to 9, but budgets is None"),
        (lambda: made("fabolas", (0.1, 1)), (0.2, 1), "on budgets from 0.1 to 1, but budgets is .0.2, 1.0."),
        (lambda: made("mtbo", (0.1, 1)), (0.1, 0.9), "on budgets from 0.25 to 1, but budgets is .0.1, 0.9."),
    ],
)
def test_an_optimizer_for_another_space_or_other_budgets_is_refused(make, budgets, message):
    called, space = [], {"x": (0.0, 1.0)} if budgets and budgets[1] <= 1 else SPACE
    with pytest.raises(UserError, match=message):
        minimize(lambda *arguments: called.append(arguments), space, make(), 3, budgets=budgets)
    assert not called


def rng():
    return np.random.default_rng(0)


def made(name, budgets):
    return method_of(name).build(as_space({"x": (0.0, 1.0)}), 0, budgets)


def test_an_optimizer_for_the_same_budgets_is_taken():
    for optimizer, budgets in ((BOHB(as_space(SPACE), rng(), 1, 9), (1, 9)), (RandomSearch(SPACE, rng()), (1, 9))):
        assert len(minimize(lambda c, b: b, SPACE, optimizer, 2, budgets=budgets).records) == 2
    for name in ("fabolas", "mtbo"):
        result = minimize(lambda c, share: share, {"x": (0.0, 1.0)}, made(name, (0.1, 1)), 1, budgets=(0.1, 1))
        assert len(result.records) == 1


def test_an_object_is_told_an_evaluation_whatever_was_told():
    class Hearing(Numbering):
        def tell(self, trial, evaluation):
            self.told.append((evaluation.loss[0], evaluation.cost[0], evaluation.info))

    own = Hearing()
    optimizer = OwnOptimizer({"x": (0.0, 9.0)}, own)
    for told in (0.5, (0.5, 3.0)):
        optimizer.tell(optimizer.ask()[0], told)
    assert own.told == [(0.5, 1.0, ({},)), (0.5, 3.0, ({},))]
