"""Searches on one and on several budgets, compared by what they spend."""

from __future__ import annotations

import numpy as np
import pytest

from core.objectives.base import Evaluation, Fidelity, FunctionObjective
from core.objectives.counting_ones import CountingOnes
from core.study.methods import method_of
from core.study.own import OwnOptimizer
from core.study.simulated import Spending, losses_by_spending

SPACE = {"x": (0.0, 1.0)}


def biased(configuration, budget, generator):
    """On small budgets 1 - x looks good, on the largest x is."""
    return configuration["x"] if budget == 9 else 1 - configuration["x"]


class Listed:
    """Proposes the given values in order."""

    def __init__(self, values):
        self.values = list(values)

    def ask(self, n):
        return [{"x": self.values.pop(0)}]

    def tell(self, trial, evaluation):
        pass


def test_the_losses_of_a_search_on_one_budget_are_those_of_its_incumbents():
    objective = FunctionObjective(lambda c, b, g: c["x"], SPACE, 1.0)
    optimizer = OwnOptimizer(objective.space, Listed([0.5, 0.7, 0.2, 0.3, 0.1]))
    losses = losses_by_spending(optimizer, objective, 4, np.random.default_rng(0))
    assert losses.tolist() == [0.5, 0.5, 0.2, 0.2]


def test_what_is_held_on_a_small_budget_is_judged_on_the_largest():
    objective = FunctionObjective(biased, SPACE, 2.0, fidelity=Fidelity("epochs", 1, 9))
    optimizer = method_of("successive_halving").build(SPACE, 0, budgets=(1, 9))
    losses = losses_by_spending(optimizer, objective, 1, np.random.default_rng(0))
    # nine evaluations on a ninth of the budget: the largest x was held, which is bad on all of it
    twin = method_of("successive_halving").build(SPACE, 0, budgets=(1, 9))
    assert losses[0] == pytest.approx(max(trial.configuration["x"] for trial in twin.ask(9)))


@pytest.mark.parametrize("method", ["random", "hyperband", "bohb"])
def test_nobody_spends_more_than_the_others(method):
    function, spent, settings = CountingOnes(2, 2), [], method_of(method)

    class Counted:
        space, fidelity = function.space, function.fidelity
        optimum, worst_loss = function.optimum, function.worst_loss

        def evaluate(self, configurations, budget, generator):
            if budget is not None or not settings.needs_budgets:  # otherwise an incumbent is judged
                spent.append(function.fidelity.checked(budget) / function.fidelity.maximum)
            return function.evaluate(configurations, budget, generator)

    budgets = (function.fidelity.minimum, function.fidelity.maximum) if settings.needs_budgets else None
    optimizer = settings.build(function.space, 0, budgets)
    losses = losses_by_spending(optimizer, Counted(), 5, np.random.default_rng(0))
    assert 5 - 1e-6 <= sum(spent) <= 6 + 1e-6  # the last one may not have ended when the clock stops
    assert np.isfinite(losses).all() and losses.shape == (5,)


def test_before_the_first_success_there_is_no_loss():
    objective = FunctionObjective(lambda c, b, g: c["x"] if c["x"] < 0.5 else float("nan"), SPACE, 1.0)
    optimizer = OwnOptimizer(objective.space, Listed([0.9, 0.8, 0.2, 0.1]))
    losses = losses_by_spending(optimizer, objective, 3, np.random.default_rng(0))
    assert losses.tolist() == [np.inf, np.inf, 0.2]


def test_a_failure_costs_its_budget_not_the_seconds_until_it():
    def fails(configuration, budget, generator):
        raise ValueError("diverged")

    objective = Spending(FunctionObjective(fails, SPACE, 1.0, fidelity=Fidelity("epochs", 1, 4)))
    found: Evaluation = objective.evaluate([{"x": 0.5}], 1, np.random.default_rng(0))
    assert found.failed.all() and found.cost.tolist() == [0.25]
