"""Outcomes that must be at most 0, and failures, that models learn to avoid."""

from __future__ import annotations

import numpy as np
import pytest

from core import Pruned, minimize
from core.foundation.errors import UserError
from core.objectives.base import Evaluation
from core.optimizers.model_settings import GPSettings
from core.optimizers.trial import OBSERVED
from core.spaces import CubeEncoding
from core.study import method_of
from tests.core.study.bowl import outcomes

SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
BEST = 2 * 0.3**2  # at (0.5, 0.5), on the border of what is allowed
GP = GPSettings(initial_design=5)


def constrained(configuration):
    x, y = configuration["x"], configuration["y"]
    return {"loss": (x - 0.8) ** 2 + (y - 0.8) ** 2, "memory": x + y - 1.0, "epochs": 3}


def failing(configuration):
    if configuration["x"] + configuration["y"] > 1.0:
        raise MemoryError("too large")
    return constrained(configuration)["loss"]


@pytest.mark.parametrize("method", ["random", "tpe", "bohb", "differential_evolution"])
def test_what_violates_a_constraint_is_never_the_best(method):
    function = (lambda c, budget: constrained(c)) if method == "bohb" else constrained
    budgets = (1, 3) if method == "bohb" else None
    result = minimize(function, SPACE, method, 40, constraints=["memory"], budgets=budgets)
    frame = result.frame
    assert (frame["status"] == "infeasible").equals(frame["memory"] > 0) and (frame["memory"] > 0).any()
    assert set(frame.loc[frame["memory"] > 0, "message"]) == {"violates memory"}
    largest = frame if budgets is None else frame[frame["budget"] == 3]
    assert result.best_loss == largest.loc[largest["status"] == "ok", "loss"].min() >= BEST
    assert result.history.final()["loss"].item() == result.best_loss


@pytest.mark.parametrize("function, constraints", [(constrained, ["memory"]), (failing, ["failure"])])
def test_a_model_finds_the_best_on_the_border(function, constraints):
    losses = []
    for seed in range(2):
        result = minimize(function, SPACE, GP, 16, constraints=constraints, seed=seed)
        losses.append(result.best_loss - BEST)
    random = [minimize(constrained, SPACE, "random", 16, constraints=["memory"], seed=s).best_loss for s in range(20)]
    assert max(losses) < (np.median(random) - BEST) / 2


def test_a_model_learns_from_the_losses_of_what_violates_a_constraint():
    """With a state in between, which has them."""
    first, second = (method_of({"method": "gp", "initial_design": 3}).build(SPACE, 0) for _ in range(2))
    for optimizer in (first, second):
        optimizer.learn_constraints()
    for trial in first.ask(3):
        outcome = constrained(trial.configuration)
        info = {"failure": "violates memory", OBSERVED: outcome["loss"]} if outcome["memory"] > 0 else {}
        first.tell(trial, Evaluation(np.array([outcome["loss"] if not info else 1e9]), np.ones(1), (info,)))
    assert first.failed.any() and not first.failed.all()
    second.load_state_dict(first.state_dict())
    assert second.ask() == first.ask()
    known = first.state_dict()["own"]["observed"]
    points = CubeEncoding(SPACE).decode(first.X.numpy())
    assert known.tolist() == pytest.approx([constrained(point)["loss"] for point in points])


def test_as_long_as_nothing_is_allowed_the_search_goes_on():
    def hard(configuration):
        return {"loss": configuration["y"], "distance": abs(configuration["x"] - 0.3) - 0.02}

    with pytest.warns(UserWarning, match="of 3 evaluations 0 failed, 3 violate a constraint and 0 were pruned"):
        result = minimize(hard, SPACE, GPSettings(initial_design=2), 3, constraints=["distance"])
    assert result.best is None and result.records[-1].notes["origin"] == "policy"
    with pytest.raises(UserError, match="of 3 evaluations 0 failed, 3 violate a constraint"):
        _ = result.best_loss


def test_a_run_with_constraints_that_is_killed_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("core.study.replay.WORTH_SECONDS", 0.0)
    calls = []

    def interrupting(configuration):
        calls.append(configuration)
        if len(calls) in (4, 7):
            raise KeyboardInterrupt
        return constrained(configuration)

    given = {"method": GPSettings(initial_design=3), "evaluations": 8, "constraints": ["memory"]}
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            minimize(interrupting, SPACE, journal=tmp_path / "run.jsonl", **given)
    resumed = minimize(constrained, SPACE, journal=tmp_path / "run.jsonl", **given)
    assert outcomes(resumed) == outcomes(minimize(constrained, SPACE, **given))
    assert "infeasible" in set(resumed.trace["status"])
    with pytest.raises(UserError, match="is the journal of a run with constraints"):
        minimize(constrained, SPACE, given["method"], 8, journal=tmp_path / "run.jsonl")


def test_constraints_hold_where_values_are_maximized():
    def accuracy(configuration):
        return {"value": -constrained(configuration)["loss"], "memory": constrained(configuration)["memory"]}

    found, other = (
        minimize(function, SPACE, "tpe", 30, constraints=["memory"], maximize=function is accuracy)
        for function in (accuracy, constrained)
    )
    assert outcomes(found) == outcomes(other) and found.best_value == -other.best_loss


@pytest.mark.parametrize(
    "returned, message",
    [
        ({"loss": 1.0}, "returned no 'memory' among .*allowed: a dictionary with the loss and all constraints"),
        (1.0, "returned no 'memory'"),
        (
            {"loss": 1.0, "memory": "much"},
            "for the constraint 'memory' the function returned 'much' of type str",
        ),
        (
            {"loss": 1.0, "memory": True},
            "returned 'memory' True, but it is a constraint; allowed: a number",
        ),
        ({"loss": 1.0, "memory": np.False_}, "returned 'memory' False, but it is a constraint; allowed: a number"),
        ({"loss": 1.0, "memory": [1.0, 2.0]}, "for the constraint 'memory' the function returned 2 numbers"),
    ],
)
def test_what_is_missing_stops_the_search(returned, message):
    with pytest.raises(UserError, match=message):
        minimize(lambda configuration: returned, SPACE, "random", 3, constraints=["memory"])


@pytest.mark.filterwarnings("ignore:all 2 evaluations failed")
def test_a_constraint_that_is_not_known_is_a_failure():
    result = minimize(lambda c: {"loss": 1.0, "memory": np.nan}, SPACE, "random", 2, constraints=["memory"])
    assert {record.failure for record in result.records} == {"memory is nan"}


def test_an_outcome_named_failure_is_no_constraint():
    with pytest.raises(UserError, match=r"an outcome 'failure', 0\.1, but the constraint 'failure' is"):
        minimize(lambda c: {"loss": 1.0, "failure": 0.1}, SPACE, "random", 3, constraints=["failure"])


def test_what_was_given_up_needs_no_constraints():
    def loss(configuration, trial):
        trial.report(configuration["x"], 1)
        if trial.should_prune():
            raise Pruned
        return {"loss": configuration["x"], "memory": -1.0}

    result = minimize(loss, SPACE, "random", 20, constraints=["memory"], pruning="median")
    assert set(result.trace["status"]) == {"ok", "pruned"}


def test_an_optimizer_is_told_constraints_by_their_names():
    told = []

    class Mine:
        def ask(self, n):
            return [{"x": 0.2, "y": 0.2 * len(told)}]

        def tell(self, trial, evaluation):
            told.append((evaluation.info[0].get("memory"), evaluation.info[0].get("failure")))

    minimize(lambda c: {"loss": 1.0, "memory": c["y"] - 0.5}, SPACE, Mine(), 4, constraints=["memory"])
    assert told == [(pytest.approx(0.2 * n - 0.5), "violates memory" if n == 3 else None) for n in range(4)]


def test_an_acquisition_without_improvement_has_no_constraints():
    with pytest.raises(UserError, match="constraints are given, but the acquisition is 'lcb'; allowed: 'ei' or 'pi'"):
        minimize(constrained, SPACE, GPSettings(acquisition="lcb"), 3, constraints=["memory"])


def test_a_constraint_that_is_there_twice_is_refused():
    with pytest.raises(UserError, match="constraints: 'memory' is there twice; allowed: each name once"):
        minimize(constrained, SPACE, "random", 2, constraints=["memory", "memory"])
