"""Failures are data: whatever a user's objective does, an evaluation comes back, and only the culprit is marked."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import torch
from ConfigSpace import ConfigurationSpace, Float

from core.foundation.errors import UserError
from core.objectives.base import Evaluation, Fidelity, FunctionObjective, check_budget, failure_of
from core.objectives.guard import guarded_evaluate

SPACE = ConfigurationSpace({"x": (0.0, 1.0)})
CONFIGURATIONS = [{"x": 0.1}, {"x": 0.5}, {"x": 0.9}]
EPOCHS = Fidelity("epochs", 1.0, 9.0)


def generator() -> np.random.Generator:
    return np.random.default_rng(0)


def objective(returned: Any, **settings: Any) -> FunctionObjective:
    """x, but for x = 0.5, where it returns `returned` or, if that is an exception, raises it."""

    def function(configuration, budget, generator):
        if configuration["x"] == 0.5:
            if isinstance(returned, BaseException):
                raise returned
            return returned
        return configuration["x"]

    return FunctionObjective(function, SPACE, worst_loss=7.0, **settings)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (math.nan, "loss is nan"),
        (math.inf, "loss is inf"),
        (-math.inf, "loss is -inf"),
        ("0.3", "WrongReturnError: the function returned '0.3' of type str, not a number"),
        (None, "WrongReturnError: the function returned None, as a function without `return` does"),
        (True, "WrongReturnError: the function returned True of type bool, not a number"),
        (1 + 2j, "WrongReturnError: the function returned (1+2j) of type complex, not a number"),
        ([0.1, 0.2], "WrongReturnError: the function returned 2 numbers of shape (2,), not one"),
        (np.empty((0, 3)), "WrongReturnError: the function returned 0 numbers of shape (0, 3), not one"),
        ([[1.0], [2.0, 3.0]], "ValueError: "),
        (RuntimeError("out of memory"), "RuntimeError: out of memory"),
        (AssertionError(), "AssertionError: "),
        (StopIteration("early"), "StopIteration: early"),
    ],
    ids=repr,
)
def test_one_failure_of_three_is_recorded_and_the_others_count(returned, message):
    evaluation = guarded_evaluate(objective(returned), CONFIGURATIONS, None, generator())
    assert evaluation.loss.tolist() == [0.1, 7.0, 0.9]
    assert evaluation.failed.tolist() == [False, True, False]
    assert evaluation.info[1]["failure"].startswith(message)
    assert np.isfinite(evaluation.cost).all() and (evaluation.cost >= 0).all() and evaluation.cost.shape == (3,)


@pytest.mark.parametrize(
    "returned", [0.25, np.float32(0.25), np.array([0.25]), torch.tensor(0.25, requires_grad=True), [[0.25]]]
)
def test_single_numbers_of_every_kind_count(returned):
    evaluation = guarded_evaluate(objective(returned), CONFIGURATIONS, None, generator())
    assert evaluation.loss.tolist() == [0.1, 0.25, 0.9] and not evaluation.failed.any()
    assert evaluation.loss.dtype == np.float64


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_interrupts_pass(interrupt):
    with pytest.raises(interrupt):
        guarded_evaluate(objective(interrupt()), CONFIGURATIONS, None, generator())


@dataclass
class Returns:
    """An objective whose `evaluate` returns what it is given, for batches and for single configurations."""

    batch: Any
    single: Any
    space: ConfigurationSpace = field(default_factory=lambda: SPACE)
    fidelity: Fidelity | None = None
    optimum: float | None = None
    worst_loss: float = 7.0
    calls: list[int] = field(default_factory=list)

    def evaluate(self, configurations, budget, generator):
        self.calls.append(len(configurations))
        return self.batch if len(configurations) > 1 else self.single


GOOD = Evaluation(np.array([0.5]), np.array([2.0]), ({"epochs": 3},))


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        [0.1, 0.2, 0.3],
        Evaluation(np.zeros(2), np.ones(3), ({}, {}, {})),
        Evaluation(np.zeros((3, 1)), np.ones(3), ({}, {}, {})),
        Evaluation(np.zeros(3), np.ones(1), ({}, {}, {})),
        Evaluation(np.zeros(3), np.ones(3), ({},)),
        Evaluation(np.array(["a", "b", "c"]), np.ones(3), ({}, {}, {})),
        Evaluation(np.array([0.1, None, 0.2], dtype=object), np.ones(3), ({}, {}, {})),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_a_batch_that_fails_as_a_whole_is_evaluated_one_by_one(wrong):
    stub = Returns(wrong, GOOD)
    evaluation = guarded_evaluate(stub, CONFIGURATIONS, None, generator())
    assert stub.calls == [3, 1, 1, 1]
    assert evaluation.loss.tolist() == [0.5] * 3 and evaluation.cost.tolist() == [2.0] * 3
    assert evaluation.info == ({"epochs": 3},) * 3


def test_a_single_result_of_the_wrong_form_says_what_is_wrong():
    for single, message in (
        ("text", "TypeError: evaluate returned str, not an Evaluation"),
        (Evaluation(np.zeros(2), np.ones(2), ({}, {})), "ValueError: evaluate returned a loss of shape (2,), not (1,)"),
        (
            Evaluation(np.array(["a"]), np.ones(1), ({},)),
            "TypeError: evaluate returned a loss of type <U1, not of numbers",
        ),
        (Evaluation(np.zeros(1), np.ones(1), ()), "ValueError: evaluate returned 0 entries of info, not 1"),
    ):
        evaluation = guarded_evaluate(Returns(None, single), CONFIGURATIONS[:1], None, generator())
        assert evaluation.loss.tolist() == [7.0] and evaluation.info[0]["failure"] == message


def test_a_cost_that_is_not_finite_is_a_failure_too_and_info_is_kept():
    batch = Evaluation(np.array([1.0, 2.0]), np.array([np.nan, 3.0]), ({"epochs": 3}, {}))
    evaluation = guarded_evaluate(Returns(batch, None), CONFIGURATIONS[:2], None, generator())
    assert evaluation.loss.tolist() == [7.0, 2.0] and evaluation.cost[1] == 3.0 and np.isfinite(evaluation.cost[0])
    assert evaluation.info == ({"epochs": 3, "failure": "cost is nan"}, {})


def test_failures_that_an_objective_records_itself_keep_their_message():
    batch = Evaluation(np.array([np.nan, 2.0]), np.ones(2), ({"failure": "diverged"}, {}))
    evaluation = guarded_evaluate(Returns(batch, None), CONFIGURATIONS[:2], None, generator())
    assert evaluation.info[0] == {"failure": "diverged"} and evaluation.loss.tolist() == [7.0, 2.0]


@pytest.mark.parametrize("nothing", ["", None, False])
def test_a_message_that_says_nothing_is_no_failure(nothing):
    batch = Evaluation(np.array([0.5, np.nan]), np.ones(2), ({"failure": nothing, "epochs": 3}, {"failure": nothing}))
    assert not batch.failed.any() and failure_of(batch.info[0]) == ""
    evaluation = guarded_evaluate(Returns(batch, None), CONFIGURATIONS[:2], None, generator())
    assert evaluation.loss.tolist() == [0.5, 7.0] and evaluation.failed.tolist() == [False, True]
    assert evaluation.info == ({"epochs": 3}, {"failure": "loss is nan"})


def test_a_failure_without_words_is_one_all_the_same():
    batch = Evaluation(np.zeros(1), np.ones(1), ({"failure": ValueError()},))
    evaluation = guarded_evaluate(Returns(None, batch), CONFIGURATIONS[:1], None, generator())
    assert evaluation.loss.tolist() == [7.0] and evaluation.info == ({"failure": "ValueError()"},)


def test_info_that_is_no_mapping_is_a_failure():
    evaluation = guarded_evaluate(
        Returns(None, Evaluation(np.zeros(1), np.ones(1), (None,))), CONFIGURATIONS[:1], None, generator()
    )
    assert evaluation.failed.all() and "not a mapping" in evaluation.info[0]["failure"]


def test_no_configurations():
    stub = Returns(None, None)
    evaluation = guarded_evaluate(stub, [], None, generator())
    assert evaluation.loss.shape == evaluation.cost.shape == (0,) and evaluation.info == () and stub.calls == []


def test_budgets_reach_the_function_and_wrong_ones_are_the_callers_mistake():
    seen = []

    def function(configuration, budget, generator):
        seen.append(budget)
        return 0.0

    with_epochs = FunctionObjective(function, SPACE, worst_loss=1.0, fidelity=EPOCHS)
    for budget in (None, 1.0, 3):
        guarded_evaluate(with_epochs, CONFIGURATIONS[:1], budget, generator())
    assert seen == [9.0, 1.0, 3]
    for budget in (0.5, 10.0, math.nan):
        with pytest.raises(UserError, match=r"allowed: epochs from 1.0 to 9.0"):
            guarded_evaluate(with_epochs, CONFIGURATIONS, budget, generator())
    with pytest.raises(UserError, match="no fidelity"):
        check_budget(None, 1.0)


def test_the_generator_is_the_callers():
    noisy = FunctionObjective(lambda configuration, budget, generator: generator.normal(), SPACE, worst_loss=9.0)
    first, again = (guarded_evaluate(noisy, CONFIGURATIONS, None, generator()).loss for _ in range(2))
    np.testing.assert_array_equal(first, generator().normal(size=3))
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("worst", [math.nan, math.inf, "large", None])
def test_the_worst_loss_must_be_a_number(worst):
    with pytest.raises(UserError, match=r"worst_loss .*; allowed: a finite number"):
        FunctionObjective(lambda *_: 0.0, ConfigurationSpace(space=[Float("x", (0.0, 1.0))]), worst_loss=worst)


@pytest.mark.parametrize("whole", [False, True])
def test_what_is_masked_is_not_known(whole):
    batch = Evaluation(np.ma.array([0, 2], mask=[True, False]), np.ma.array([1.0, 1.0], mask=[False, whole]), ({}, {}))
    evaluation = guarded_evaluate(Returns(batch, None), CONFIGURATIONS[:2], None, generator())
    assert evaluation.loss.tolist() == [7.0, 7.0 if whole else 2.0]
    assert [entry.get("failure") for entry in evaluation.info] == ["loss is nan", "cost is nan" if whole else None]


def test_tensors_of_any_precision_are_numbers():
    batch = Evaluation(torch.tensor([0.5], dtype=torch.bfloat16), torch.ones(1, dtype=torch.float16), ({},))
    evaluation = guarded_evaluate(Returns(None, batch), CONFIGURATIONS[:1], None, generator())
    assert evaluation.loss.tolist() == [0.5] and evaluation.loss.dtype == np.float64 and evaluation.info == ({},)


def test_a_failure_without_words_is_one():
    class Silent:
        def __str__(self):
            raise RuntimeError

    batch = Evaluation(np.zeros(1), np.ones(1), ({"failure": Silent()},))
    evaluation = guarded_evaluate(Returns(None, batch), CONFIGURATIONS[:1], None, generator())
    assert evaluation.loss.tolist() == [7.0] and evaluation.info == ({"failure": "<Silent>"},)
