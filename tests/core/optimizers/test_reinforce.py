"""REINFORCE: its update by hand and against autograd, and that it learns."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from ConfigSpace import (
    Categorical,
    ConfigurationSpace,
    EqualsCondition,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    Integer,
    OrdinalHyperparameter,
)

from core.foundation.errors import UserError
from core.objectives.base import Evaluation
from core.optimizers.reinforce import Reinforce
from core.optimizers.settings import ReinforceSettings


@pytest.fixture
def space() -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(Categorical("kind", ["a", "b", "c"]), OrdinalHyperparameter("rate", [1, 2]), Integer("width", (3, 6)))
    return space


def tell(optimizer, trial, loss: float, failed: bool = False) -> None:
    optimizer.tell(trial, Evaluation(np.array([loss]), np.ones(1), ({"failure": "no"} if failed else {},)))


def test_the_first_policy_is_uniform(space):
    optimizer = Reinforce(space, np.random.default_rng(0))
    expected = {"kind": [1 / 3] * 3 + [0], "rate": [0.5, 0.5, 0, 0], "width": [0.25] * 4}
    names = [column.name for column in optimizer.encoding.columns]
    np.testing.assert_allclose(optimizer.probabilities(), [expected[name] for name in names])
    trials = optimizer.ask(3000)
    for name, values in (("kind", "abc"), ("rate", [1, 2]), ("width", [3, 4, 5, 6])):
        drawn = [trial.configuration[name] for trial in trials]
        assert all(drawn.count(value) / 3000 == pytest.approx(1 / len(values), abs=0.04) for value in values)


def test_the_update_is_the_gradient_of_the_log_probability(space):
    """The first reward is its own baseline; the second moves logits by 0.1 (r - b) grad log p, b including r."""
    optimizer = Reinforce(space, np.random.default_rng(0))
    (first,) = optimizer.ask()
    tell(optimizer, first, 2.0)
    assert optimizer.baseline == -2.0 and np.nanmax(optimizer.logits) == 0.0
    (second,) = optimizer.ask()
    tell(optimizer, second, 1.5)
    baseline = (0.9 * -2.0 + -1.5) / 1.9
    assert optimizer.baseline == pytest.approx(baseline)
    for row, column in zip(optimizer.logits, optimizer.encoding.columns):
        logits = torch.zeros(column.size, dtype=torch.float64, requires_grad=True)
        code = column.code(second.configuration[column.name]) - (0 if column.choices else 3)
        torch.log_softmax(logits, 0)[code].backward()
        np.testing.assert_allclose(row[: column.size], 0.1 * (-1.5 - baseline) * logits.grad.numpy())
    (third,) = optimizer.ask()
    before = optimizer.logits.copy()
    tell(optimizer, third, -baseline)  # an average that includes the average of the others is itself: nothing moves
    np.testing.assert_allclose(optimizer.logits, before, atol=1e-15)


def test_losses_that_are_too_large_change_nothing(space):
    optimizer = Reinforce(space, np.random.default_rng(0), ReinforceSettings(largest_loss=0.999))
    trials = optimizer.ask(4)
    tell(optimizer, trials[0], 0.5)
    before = optimizer.logits.copy()
    tell(optimizer, trials[1], 0.999)
    tell(optimizer, trials[3], 0.1, failed=True)
    np.testing.assert_array_equal(optimizer.logits, before)
    assert optimizer.baseline == -0.5
    tell(optimizer, trials[2], 0.998)
    assert optimizer.baseline < -0.5


def test_a_late_outcome_counts_with_the_probabilities_it_was_drawn_with(space):
    optimizer = Reinforce(space, np.random.default_rng(0))
    base, late, other = optimizer.ask(3)
    tell(optimizer, base, 1.0)
    tell(optimizer, other, -50.0)
    before = optimizer.logits.copy()
    tell(optimizer, late, 0.0)
    baseline = (0.9 * 50.0 + 0.81 * -1.0) / (1 + 0.9 + 0.81)
    moved = optimizer.logits - np.where(np.isfinite(before), before, 0)
    for row, column in zip(moved, optimizer.encoding.columns):
        code = column.code(late.configuration[column.name]) - (0 if column.choices else 3)
        expected = 0.1 * (0.0 - baseline) * (np.eye(column.size)[code] - 1 / column.size)
        np.testing.assert_allclose(row[: column.size], expected)


def test_inactive_hyperparameters_do_not_learn():
    space = ConfigurationSpace()
    kind, y = Categorical("kind", ["plain", "with"]), Integer("y", (1, 3))
    space.add(kind, y)
    space.add(EqualsCondition(y, kind, "with"))
    optimizer = Reinforce(space, np.random.default_rng(0))
    place = [column.name for column in optimizer.encoding.columns].index("y")
    for loss in range(30):
        (trial,) = optimizer.ask()
        before = optimizer.logits[place].copy()
        tell(optimizer, trial, float(loss))
        assert ("y" in trial.configuration and loss > 0) != np.array_equal(before, optimizer.logits[place])


def test_failures_count_as_the_worst_so_far_and_before_any_success_as_nothing(space):
    optimizer = Reinforce(space, np.random.default_rng(0))
    trials = optimizer.ask(4)
    tell(optimizer, trials[0], 1e6, failed=True)
    assert optimizer.baseline is None
    tell(optimizer, trials[1], 1.0)
    tell(optimizer, trials[2], 3.0)
    tell(optimizer, trials[3], 1e6, failed=True)
    assert optimizer.baseline == pytest.approx((0.81 * -1.0 + 0.9 * -3.0 + -3.0) / (1 + 0.9 + 0.81))


def test_it_learns_the_best_values(space):
    optimizer = Reinforce(space, np.random.default_rng(0))
    for _ in range(3000):
        (trial,) = optimizer.ask()
        tell(optimizer, trial, (trial.configuration["kind"] != "b") + abs(trial.configuration["width"] - 4))
    names = [column.name for column in optimizer.encoding.columns]
    assert optimizer.probabilities()[names.index("kind"), 1] > 0.9
    assert optimizer.probabilities()[names.index("width"), 1] > 0.9


def test_losses_of_any_size_leave_probabilities(space):
    optimizer = Reinforce(space, np.random.default_rng(0))
    largest = np.finfo(float).max
    for loss in (1e300, -1e300, 0.0, 1e-300, 1e200, *(1e308, -1e308) * 10, *(largest, -largest) * 10):
        (trial,) = optimizer.ask()
        tell(optimizer, trial, loss)
        np.testing.assert_allclose(optimizer.probabilities().sum(axis=1), 1.0)
        sizes = [column.size for column in optimizer.encoding.columns]
        assert [int(row.sum()) for row in np.isfinite(optimizer.logits)] == sizes and np.isfinite(optimizer.baseline)


def test_a_learning_rate_of_any_size_leaves_probabilities(space):
    optimizer = Reinforce(space, np.random.default_rng(0), ReinforceSettings(learning_rate=1e300))
    for loss in (0.0, 1e10, -1e10):
        (trial,) = optimizer.ask()
        tell(optimizer, trial, loss)
        np.testing.assert_allclose(optimizer.probabilities().sum(axis=1), 1.0)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_a_policy_that_settles_on_a_forbidden_combination_draws_at_random_and_goes_on(seed):
    """Each 1 by itself is good, both together are forbidden: steps of 100 settle on both."""
    space = ConfigurationSpace()
    a, b, c = (Categorical(name, [0, 1]) for name in "abc")
    space.add(a, b, c, EqualsCondition(c, a, 1))
    space.add(ForbiddenAndConjunction(ForbiddenEqualsClause(a, 1), ForbiddenEqualsClause(b, 1)))
    optimizer = Reinforce(space, np.random.default_rng(seed))
    optimizer.logits[[column.name in "ab" for column in optimizer.encoding.columns], 1] = 800.0
    origins = []
    for _ in range(12):
        (trial,) = optimizer.ask()
        chosen = trial.configuration
        assert chosen["a"] + chosen["b"] < 2 and ("c" in chosen) == (chosen["a"] == 1)
        origins.append(trial.info["origin"])
        rows, _ = optimizer._drawn[trial.number]
        for column, row in zip(optimizer.encoding.columns, rows):
            assert column.name not in chosen or chosen[column.name] == row
        tell(optimizer, trial, 1000.0 if chosen["a"] + chosen["b"] == 0 else 0.0)
    assert origins[0] == "random"


def test_rows_are_the_inverse_of_coordinates(space):
    optimizer = Reinforce(space, np.random.default_rng(0))
    for rows in np.ndindex(*optimizer._sizes):
        np.testing.assert_array_equal(optimizer._rows(optimizer._coordinates(np.array(rows))), rows)


@pytest.mark.parametrize(
    ("hyperparameter", "message"),
    [({"x": (0.0, 1.0)}, "'x' has any number of values"), ({"x": (1, 10**6)}, "'x' has 1000000 values")],
)
def test_hyperparameters_without_a_table_are_refused(hyperparameter, message):
    with pytest.raises(UserError, match=message):
        Reinforce(ConfigurationSpace(hyperparameter), np.random.default_rng(0))


@pytest.mark.parametrize(("setting", "value"), [("learning_rate", 0.0), ("momentum", 1.0), ("momentum", -0.1)])
def test_settings_out_of_range_are_refused(space, setting, value):
    with pytest.raises(UserError, match=f"{setting} = {value}: Input should be"):
        Reinforce(space, np.random.default_rng(0), ReinforceSettings(**{setting: value}))
