"""Counting ones against its formula, its noise's moments and the thesis' numbers."""

from __future__ import annotations

import numpy as np
import pytest

from core.foundation.errors import UserError
from core.objectives.counting_ones import CountingOnes
from core.optimizers.brackets import rung_budgets


def configuration(problem: CountingOnes, ones: float, share: float) -> dict[str, float]:
    return {name: ones if name.startswith("choice") else share for name in problem.space}


@pytest.mark.parametrize(("half", "smallest"), [(4, 144), (8, 72), (16, 36), (32, 18)])
def test_budgets_are_those_of_the_thesis(half, smallest):
    """The smallest rung of eta = 3 is 1152 / d; the thesis prints 144 and 11664 for d = 8."""
    problem = CountingOnes(half, half)
    assert (problem.fidelity.minimum, problem.fidelity.maximum) == (288 / half, 46656 / half)
    budgets = rung_budgets(problem.fidelity.minimum, problem.fidelity.maximum, 3)
    assert budgets[0] == smallest and len(budgets) == 5


def test_the_optimum_is_without_noise_at_all_ones_and_zero_the_worst():
    problem, generator = CountingOnes(3, 5), np.random.default_rng(0)
    best, worst = configuration(problem, 1, 1.0), configuration(problem, 0, 0.0)
    evaluation = problem.evaluate([best, worst], 72, generator)
    np.testing.assert_array_equal(evaluation.loss, [problem.optimum, problem.worst_loss])
    assert problem.optimum == -8
    np.testing.assert_array_equal(evaluation.cost, [72, 72])
    np.testing.assert_array_equal(problem.regret([best, worst]), [0, 1])


def test_noise_is_that_of_means_of_bernoulli_draws():
    problem, generator = CountingOnes(2, 6), np.random.default_rng(1)
    x = configuration(problem, 1, 0.3)
    for budget in (72, 1296):
        loss = problem.evaluate([x] * 20000, budget, generator).loss
        variance = 6 * 0.3 * 0.7 / budget
        assert loss.mean() == pytest.approx(problem.noise_free([x])[0], abs=5 * (variance / 20000) ** 0.5)
        assert loss.var() == pytest.approx(variance, rel=0.05)
        np.testing.assert_allclose((loss + 2) * budget, np.rint((loss + 2) * budget), atol=1e-6)
    assert problem.noise_free([x])[0] == pytest.approx(-(2 + 6 * 0.3))


def test_only_choices_or_only_numbers_will_do():
    for problem in (CountingOnes(4, 0), CountingOnes(0, 4)):
        assert problem.evaluate([configuration(problem, 1, 1.0)], None, np.random.default_rng(0)).loss == -4


@pytest.mark.parametrize(("categorical", "continuous"), [(0, 0), (-1, 3), (2.5, 1), (600, 600), (True, 1)])
def test_impossible_sizes_are_refused(categorical, continuous):
    with pytest.raises(UserError, match="allowed"):
        CountingOnes(categorical, continuous)


@pytest.mark.parametrize("budget", [71, 11665])
def test_a_budget_outside_is_refused(budget):
    problem = CountingOnes(4, 4)
    with pytest.raises(UserError, match="draws"):
        problem.evaluate([configuration(problem, 1, 1.0)], budget, np.random.default_rng(0))
