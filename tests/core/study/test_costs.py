"""What evaluations cost, for methods that weigh information against it."""

from __future__ import annotations

import numpy as np
import pytest

from core import minimize
from core.foundation.errors import UserError
from core.objectives.base import FAILURE, Evaluation
from core.spaces import as_space
from core.study.methods import method_of

SPACE = {"x": (-5.0, 5.0)}
SMALL = {"representers": 5, "candidates": 300, "hyperparameter_samples": 2, "burn_in": 3, "initial_design": 2}
BUDGETS = (1 / 4, 1)


def fabolas(**given):
    return method_of({"method": "fabolas", **SMALL, **given})


def outcome(trial, cost, failure=""):
    return Evaluation(np.array([trial.configuration["x"] ** 2]), np.array([cost]), ({FAILURE: failure},))


def told(costs, failed):
    """An optimizer after its initial design, whose trials cost and failed like this."""
    optimizer = fabolas().build(as_space(SPACE), 0, BUDGETS)
    for number, cost in enumerate(costs):
        (trial,) = optimizer.ask()
        optimizer.tell(trial, outcome(trial, cost, "died" if number in failed else ""))
    return optimizer


@pytest.mark.parametrize("failed", [{1}, {0, 5}, set(range(8))])
def test_what_a_failure_costs_makes_no_difference(failed):
    """An evaluation that raises costs the seconds until it did, which no run repeats."""
    proposals = []
    for seconds in (0.0, 1e-9, 1e9):
        optimizer = told([seconds if number in failed else 1.0 + number for number in range(8)], failed)
        proposals.append(optimizer.ask())
        assert proposals[-1][0].info["origin"] == "policy"
    assert proposals[0] == proposals[1] == proposals[2]


def test_what_a_success_costs_makes_one():
    rising = [10.0**number for number in range(8)]
    assert told(rising, ()).ask() != told(rising[::-1], ()).ask()


@pytest.mark.parametrize("name", ["fabolas", "mtbo"])
def test_an_evaluation_that_costs_nothing_has_failed_and_the_run_goes_on(tmp_path, name):
    def free(configuration, share):
        return configuration["x"] ** 2, 1.0 if configuration["x"] < 0 else 0.0

    arguments = {"evaluations": 6, "budgets": BUDGETS, "journal": tmp_path / "run.jsonl", "worst_loss": 99.0}
    result = minimize(free, SPACE, {"method": name, **SMALL}, **arguments)
    failed = [each for each in result.records if each.failure]
    assert 0 < len(failed) < 6 and all((each.configuration["x"] >= 0) == (each in failed) for each in result.records)
    assert {(each.loss, each.failure) for each in failed} == {
        (99.0, "cost is 0; allowed: positive numbers, such as seconds")
    }
    assert len(minimize(free, SPACE, {"method": name, **SMALL}, **{**arguments, "evaluations": 7}).records) == 7


def test_other_methods_take_evaluations_that_cost_nothing():
    assert not any(each.failure for each in minimize(lambda c: (c["x"], 0.0), SPACE, "random", 3).records)


def test_a_cost_that_is_refused_changes_nothing():
    optimizer = fabolas().build(as_space(SPACE), 0, BUDGETS)
    (trial,) = optimizer.ask()
    with pytest.raises(UserError, match=r"trial 0 cost 0\.0"):
        optimizer.tell(trial, outcome(trial, 0.0))
    assert list(optimizer.pending) == [0]
    optimizer.tell(trial, outcome(trial, 1.0))
    assert not optimizer.pending


def test_where_all_have_failed_a_model_of_log_losses_goes_on():
    optimizer = fabolas(log_loss=True).build(as_space(SPACE), 0, BUDGETS)
    for trial in optimizer.ask(8):
        optimizer.tell(trial, outcome(trial, 1.0, "died"))
    assert optimizer.ask()[0].info["origin"] == "policy"
