"""Trials that were proposed elsewhere: every method that can learns from them as from its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.foundation.errors import UserError
from core.objectives.base import Evaluation
from core.optimizers.base import Trial
from core.optimizers.trial import Past
from core.spaces import CubeEncoding
from core.study.methods import method_of

SPACE = {"n": (1, 9), "m": (1, 4)}
GP = {"method": "gp", "maximizer": "random_search", "initial_design": 2}
METHODS = ["random", "tpe", "optuna_tpe", GP, "cmaes", "differential_evolution", "regularized_evolution", "reinforce"]
CONFIGURATIONS = [{"n": 1 + number % 9, "m": 1 + number % 4} for number in range(12)]


def built(method, seed=0, **given):
    return method_of(method).build(SPACE, seed, **given)


def adopt(optimizer, configurations=CONFIGURATIONS, loss=lambda each: abs(each["n"] - 3) + each["m"]):
    for configuration in configurations:
        trial = Trial(optimizer.asked, configuration)
        optimizer.adopt(trial)
        optimizer.tell(trial, float(loss(configuration)))
    return optimizer


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_numbers_go_on_and_pending_ones_are_told_once(method):
    optimizer = adopt(built(method))
    waiting = Trial(optimizer.asked, {"n": 9, "m": 4})
    optimizer.adopt(waiting)
    assert optimizer.asked == 13 and list(optimizer.pending) == [12]
    with pytest.raises(UserError, match="adopt: trial 12 is pending"):
        optimizer.adopt(waiting)
    optimizer.tell(waiting, 3.0)
    (trial,) = optimizer.ask()
    assert trial.number == 13 and not {"n", "m"} - set(trial.configuration)


@pytest.mark.parametrize(
    "method", [*METHODS, {"method": "regularized_evolution", "population": 5}, "entropy_search"], ids=str
)
def test_evaluations_taken_over_at_once_are_those_adopted_one_by_one(method):
    """Failures, violations and an optimizer that has a history already included."""
    one, many = adopt(built(method)), adopt(built(method))
    n = len(CONFIGURATIONS)
    failed = np.arange(n) % 3 == 2
    losses = np.array([float(abs(each["n"] - 3) + each["m"]) for each in CONFIGURATIONS])
    observed = np.where(np.arange(n) % 6 == 2, np.nan, losses)
    points = CubeEncoding(one.space).encode(CONFIGURATIONS)
    past = Past(CONFIGURATIONS, points, [None] * n, np.where(failed, 9.0, losses), np.ones(n), failed, observed)
    for place, configuration in enumerate(CONFIGURATIONS):
        trial = Trial(one.asked, configuration)
        one.adopt(trial)
        one.tell(trial, past.evaluation(place))
    many.take_over(past)
    assert one.asked == many.asked == 2 * n and not many.pending
    states = (each.state_dict() for each in (one, many))
    assert repr(next(states)) == repr(next(states))
    if method != "entropy_search":
        assert [each.configuration for each in one.ask(3)] == [each.configuration for each in many.ask(3)]


@pytest.mark.parametrize("method", ["fabolas", "mtbo"])
def test_budgets_and_costs_of_evaluations_taken_over_are_kept(method):
    one, many = (method_of(method).build(SPACE, 0, budgets=(1 / 16, 1.0)) for _ in range(2))
    configurations, budgets, costs = CONFIGURATIONS[:2], [0.25, None], np.array([2.0, 3.0])
    points = CubeEncoding(one.space).encode(configurations)
    past = Past(configurations, points, budgets, costs, costs, np.array([False, True]), np.array([2.0, np.nan]))
    for place, (configuration, budget) in enumerate(zip(configurations, budgets, strict=True)):
        trial = Trial(one.asked, configuration, budget)
        one.adopt(trial)
        one.tell(trial, past.evaluation(place))
    many.take_over(past)
    assert repr(one.state_dict()) == repr(many.state_dict())
    with pytest.raises(UserError, match=r"trial 2 cost 0.0"):
        many.take_over(replace(past, costs=np.zeros(2)))


@pytest.mark.parametrize("method", [each for each in METHODS if each != "random"], ids=str)
def test_a_configuration_outside_the_space_changes_nothing(method):
    optimizer = built(method)
    with pytest.raises(ValueError, match=r"n = 10 is not allowed|10"):
        optimizer.adopt(Trial(0, {"n": 10, "m": 1}))
    assert not optimizer.pending and optimizer.asked == 0


@pytest.mark.parametrize("method", ["cmaes", "optuna_tpe", "tpe", "differential_evolution"])
def test_a_state_with_adopted_trials_goes_on(method, tmp_path):
    first = adopt(built(method))
    first.save(tmp_path / "state")
    again = built(method)
    again.restore(tmp_path / "state")
    assert [trial.configuration for trial in first.ask(3)] == [trial.configuration for trial in again.ask(3)]


def test_the_good_configurations_of_tpe_are_those_with_small_losses():
    optimizer = adopt(built("tpe"))
    losses = [abs(each["n"] - 3) + each["m"] for each in CONFIGURATIONS]
    good, _ = optimizer.good()
    assert {losses[place] for place in good} == {min(losses)}


def test_evolution_puts_an_adopted_trial_in_its_members_place():
    optimizer = built({"method": "differential_evolution", "population": 4})
    adopt(optimizer, CONFIGURATIONS[:4])
    assert optimizer._losses.tolist() == [abs(each["n"] - 3) + each["m"] for each in CONFIGURATIONS[:4]]


def test_a_gaussian_process_that_is_told_where_the_minimum_is_proposes_near_it():
    space = {"x": (0.0, 1.0)}
    optimizer = method_of(GP).build(space, 0)
    for x in (0.0, 0.2, 0.4, 0.55, 0.65, 0.8, 1.0):
        trial = Trial(optimizer.asked, {"x": x})
        optimizer.adopt(trial)
        optimizer.tell(trial, (x - 0.6) ** 2)
    assert abs(optimizer.ask()[0].configuration["x"] - 0.6) < 0.1


def test_the_step_of_reinforce_does_not_depend_on_who_proposed():
    own, other = built("reinforce"), built("reinforce", seed=1)
    for loss in (3.0, 1.0, 2.0):
        (trial,) = own.ask()
        own.tell(trial, loss)
        other.adopt(trial)
        other.tell(trial, loss)
    np.testing.assert_allclose(own.logits, other.logits)


def test_cma_es_waits_for_a_generation_that_is_full():
    optimizer = built({"method": "cmaes", "population": 4})
    for configuration in CONFIGURATIONS[:4]:
        optimizer.adopt(Trial(optimizer.asked, configuration))
    assert optimizer.ask() == []
    with pytest.raises(UserError, match="CMAES cannot learn from trial 4"):
        optimizer.adopt(Trial(4, CONFIGURATIONS[4]))


@pytest.mark.parametrize("budget", [0.25, 1.0])
@pytest.mark.parametrize("method", ["fabolas", "mtbo"])
def test_the_budget_of_an_adopted_trial_is_kept(method, budget):
    optimizer = method_of(method).build(SPACE, 0, budgets=(1 / 16, 1.0))
    trial = Trial(0, {"n": 3, "m": 2}, budget)
    optimizer.adopt(trial)
    optimizer.tell(trial, Evaluation(np.array([1.0]), np.array([2.0]), ({},)))
    assert optimizer.encoding.budgets(optimizer.X.numpy()) == pytest.approx([budget])


def test_bandits_learn_from_their_own_brackets_alone():
    optimizer = method_of("hyperband").build(SPACE, 0, budgets=(1, 9))
    with pytest.raises(UserError, match="Hyperband cannot learn from trial 0"):
        optimizer.adopt(Trial(0, {"n": 3, "m": 2}))
