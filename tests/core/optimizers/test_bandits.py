"""Successive halving and Hyperband: what they evaluate on which budget, and how one pool of workers shares brackets."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace, Constant, Float, NotEqualsCondition

from core.foundation.errors import UserError
from core.objectives.base import Evaluation, Fidelity, FunctionObjective
from core.optimizers.bohb import BOHB
from core.optimizers.hyperband import Hyperband, SuccessiveHalving
from core.optimizers.settings import BOHBSettings, HyperbandSettings, SuccessiveHalvingSettings
from core.study import simulate
from core.study.record import incumbent

SETTINGS = {Hyperband: HyperbandSettings, SuccessiveHalving: SuccessiveHalvingSettings, BOHB: BOHBSettings}


@pytest.fixture
def space() -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(Float("x", (0.0, 1.0)))
    return space


class Line:
    """Loss x on every budget, at the cost of the budget."""

    def __init__(self, space: ConfigurationSpace) -> None:
        self.space, self.fidelity, self.optimum, self.worst_loss = space, Fidelity("budget", 1, 81), 0.0, 1.0

    def evaluate(self, configurations, budget, generator) -> Evaluation:
        loss = np.array([configuration["x"] for configuration in configurations])
        return Evaluation(loss, np.full(len(loss), budget), tuple({} for _ in configurations))


def told(trial, loss: float) -> Evaluation:
    return Evaluation(np.array([loss]), np.ones(1), ({},))


def test_hyperband_spends_on_each_bracket_what_the_thesis_says(space):
    """Sizes by hand from Algorithms 6 and 8; the sum over a bracket is at most (s_max + 1) b_max = 405."""
    optimizer = Hyperband(space, np.random.default_rng(0), 1, 81, HyperbandSettings(eta=3, brackets=10))
    records = simulate(optimizer, Line(space), 1, np.random.default_rng(1))
    assert optimizer.finished
    sizes = Counter((record.notes["bracket"], record.budget) for record in records)
    expected = [
        {1: 81, 3: 27, 9: 9, 27: 3, 81: 1},
        {3: 34, 9: 11, 27: 3, 81: 1},
        {9: 15, 27: 5, 81: 1},
        {27: 8, 81: 2},
        {81: 5},
    ]
    totals = [405, 363, 351, 378, 405]
    for bracket in range(10):
        found = {budget: count for (number, budget), count in sizes.items() if number == bracket}
        assert found == expected[bracket % 5]
        assert sum(record.cost for record in records if record.notes["bracket"] == bracket) == totals[bracket % 5]


def test_each_rung_goes_on_with_the_best_of_the_one_before(space):
    optimizer = Hyperband(space, np.random.default_rng(0), 1, 27, HyperbandSettings(brackets=4))
    records = simulate(optimizer, Line(space), 1, np.random.default_rng(1))
    for bracket in range(4):
        rungs = sorted({record.notes["rung"] for record in records if record.notes["bracket"] == bracket})
        for above, below in zip(rungs[1:], rungs):
            here, before = (
                {r.notes["configuration"]: r.loss for r in records if (r.notes["bracket"], r.notes["rung"]) == place}
                for place in ((bracket, above), (bracket, below))
            )
            assert set(here) == set(sorted(before, key=before.get)[: len(before) // 3])
    assert incumbent(records).loss == min(record.loss for record in records)


def test_with_one_worker_brackets_follow_one_another(space):
    optimizer = Hyperband(space, np.random.default_rng(0), 1, 9, HyperbandSettings(brackets=5))
    records = simulate(optimizer, Line(space), 1, np.random.default_rng(1))
    brackets = [record.notes["bracket"] for record in records]
    assert brackets == sorted(brackets)
    rungs = [(record.notes["bracket"], record.notes["rung"]) for record in records]
    assert rungs == sorted(rungs)


@pytest.mark.parametrize(("oldest", "last"), [(False, [(3, 1)] * 2), (True, [(0, 9), (3, 1)])])
def test_free_workers_begin_the_next_bracket_and_prefer_small_budgets_or_old_brackets(space, oldest, last):
    """eta = 3 and R = 9: brackets of 9, 5 and 3 configurations on budgets 1, 3 and 9."""
    optimizer = BOHB(space, np.random.default_rng(0), 1, 9, BOHBSettings(random_fraction=1, oldest_first=oldest))
    first = optimizer.ask(9)
    assert {(trial.info["bracket"], trial.budget) for trial in first} == {(0, 1)}
    early = optimizer.ask(2)  # all of bracket 0 is under way: bracket 1 begins
    assert [(trial.info["bracket"], trial.budget) for trial in early] == [(1, 3)] * 2
    for trial in first[:8]:
        optimizer.tell(trial, told(trial, trial.configuration["x"]))
    assert optimizer.ask()[0].info["bracket"] == 1  # still waiting for the ninth
    optimizer.tell(first[8], told(first[8], 0.0))
    next_five = optimizer.ask(5)  # equal budgets: the promoted ones of bracket 0 first, then the rest of bracket 1
    assert [(trial.info["bracket"], trial.info["origin"]) for trial in next_five] == [(0, "promoted")] * 3 + [
        (1, "random")
    ] * 2
    assert next_five[0].configuration == first[8].configuration
    third = optimizer.ask(4)  # nothing waits: bracket 2 with the largest budget, then bracket 3 from the smallest
    assert [(trial.info["bracket"], trial.budget) for trial in third] == [(2, 9)] * 3 + [(3, 1)]
    for trial in early + next_five:
        optimizer.tell(trial, told(trial, 0.5))
    # Bracket 0 has promoted one configuration to a budget of 9, bracket 3 is still on its smallest.
    assert [(t.info["bracket"], t.budget) for t in optimizer.ask(2)] == last


@pytest.mark.parametrize(("floored", "sizes"), [(False, [81, 34, 15, 8, 5]), (True, [81, 27, 9, 6, 5])])
def test_brackets_begin_with_the_sizes_of_the_text_or_of_the_code(space, floored, sizes):
    optimizer = Hyperband(space, np.random.default_rng(0), 1, 81, HyperbandSettings(brackets=5, floored_sizes=floored))
    records = simulate(optimizer, Line(space), 1, np.random.default_rng(1))
    begun = Counter(record.notes["bracket"] for record in records if record.notes["origin"] == "random")
    assert [begun[number] for number in range(5)] == sizes


@pytest.mark.parametrize("workers", [2, 7, 32])
def test_many_workers_evaluate_the_same_brackets_and_leave_nobody_idle(space, workers):
    optimizer = Hyperband(space, np.random.default_rng(0), 1, 27, HyperbandSettings(brackets=40))
    records = simulate(optimizer, Line(space), workers, np.random.default_rng(1))
    alone = simulate(
        Hyperband(space, np.random.default_rng(0), 1, 27, HyperbandSettings(brackets=40)),
        Line(space),
        1,
        np.random.default_rng(1),
    )
    count = lambda runs: Counter((r.notes["bracket"], r.budget) for r in runs)  # noqa: E731
    assert count(records) == count(alone)
    total = sum(record.cost for record in records)
    assert max(record.finished for record in records) < total / workers + 4 * 27


def test_successive_halving_is_algorithm_8(space):
    optimizer = SuccessiveHalving(
        space, np.random.default_rng(0), 1, 9, SuccessiveHalvingSettings(eta=3, configurations=20, brackets=1)
    )
    records = simulate(optimizer, Line(space), 3, np.random.default_rng(1))
    assert Counter(record.budget for record in records) == {1: 20, 3: 6, 9: 2}
    assert optimizer.finished and optimizer.ask() == []
    losses = sorted(record.loss for record in records if record.budget == 1)
    assert sorted(record.loss for record in records if record.budget == 9) == losses[:2]


def test_successive_halving_by_default_begins_with_as_many_as_leave_one(space):
    optimizer = SuccessiveHalving(space, np.random.default_rng(0), 1, 16, SuccessiveHalvingSettings(eta=2, brackets=2))
    records = simulate(optimizer, Line(space), 1, np.random.default_rng(1))
    assert Counter(record.budget for record in records) == {1: 32, 2: 16, 4: 8, 8: 4, 16: 2}


@pytest.mark.parametrize(("eta", "largest", "size"), [(10**0.5, 10, 10), (10**0.5, 1000, 1000), (2.2, 2.2**4, 24)])
def test_rounding_adds_no_configuration(space, eta, largest, size):
    """2.2^4 = 23.4; the square root of 10 as a float is a little too large."""
    assert (
        SuccessiveHalving(
            space, np.random.default_rng(0), 1, largest, SuccessiveHalvingSettings(eta=eta, brackets=1)
        ).configurations
        == size
    )


def test_numpys_numbers_are_settings_too(space):
    optimizer = Hyperband(
        space, np.random.default_rng(0), np.float32(1), np.int64(9), HyperbandSettings(eta=3, brackets=np.int64(2))
    )
    assert optimizer.budgets == (1.0, 3.0, 9.0) and type(optimizer.settings.brackets) is int
    assert {type(budget) for budget in optimizer.budgets} == {float}


@pytest.mark.parametrize("method", [Hyperband, SuccessiveHalving])
def test_a_benchmark_that_fails_on_low_budgets_is_optimized_all_the_same(space, method):
    def function(configuration, budget, generator):
        return configuration["x"] if budget > 3 else float("nan")

    objective = FunctionObjective(function, space, worst_loss=5.0, fidelity=Fidelity("epochs", 1, 27))
    optimizer = method(space, np.random.default_rng(0), 1, 27, SETTINGS[method](brackets=8))
    records = simulate(optimizer, objective, 4, np.random.default_rng(1), evaluations=2000)
    assert optimizer.finished
    assert all(bool(record.failure) == (record.budget <= 3) for record in records)
    best = incumbent(records)
    assert best.budget == 27 and best.loss == min(r.loss for r in records if r.budget == 27)


@pytest.mark.parametrize(("method", "evaluations"), [(Hyperband, 69), (SuccessiveHalving, 160), (BOHB, 69)])
def test_where_all_trials_fail_there_is_one_clear_error(space, method, evaluations):
    objective = FunctionObjective(lambda c, b, g: float("nan"), space, 5.0, fidelity=Fidelity("epochs", 1, 27))
    optimizer = method(space, np.random.default_rng(0), 1, 27, SETTINGS[method](brackets=4))
    records = simulate(optimizer, objective, 1, np.random.default_rng(1))
    with pytest.raises(UserError, match=f"all {evaluations} evaluations failed, the first with 'loss is nan'"):
        incumbent(records)


@pytest.mark.parametrize("optimizer", SETTINGS)
def test_bad_settings_are_refused(space, optimizer):
    generator = np.random.default_rng(0)
    with pytest.raises(UserError, match="budgets from 9 to 3; allowed: 0 < minimum_budget <= maximum_budget"):
        optimizer(space, generator, 9, 3)
    for eta in (1, 1.99, -3):
        with pytest.raises(UserError, match=f"eta = {eta}: Input should be greater than or equal to 2"):
            SETTINGS[optimizer](eta=eta)
    with pytest.raises(UserError, match="brackets = 0: Input should be greater than 0"):
        SETTINGS[optimizer](brackets=0)
    with pytest.raises(UserError, match="no hyperparameters"):
        optimizer(ConfigurationSpace(), generator, 1, 9)
    single = ConfigurationSpace()
    single.add(Constant("x", 1))
    with pytest.raises(UserError, match="single configuration"):
        optimizer(single, generator, 1, 9)
    single.add(Float("y", (0.0, 1.0)))
    single.add(NotEqualsCondition(single["y"], single["x"], 1))
    with pytest.raises(UserError, match="no hyperparameter that is ever active"):
        optimizer(single, generator, 1, 9)


def test_successive_halving_of_no_configurations_is_refused(space):
    with pytest.raises(UserError, match="configurations = 0: Input should be"):
        SuccessiveHalving(
            space, np.random.default_rng(0), 1, 9, SuccessiveHalvingSettings(configurations=0, brackets=1)
        )
