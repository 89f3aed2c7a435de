"""Evaluations that were proposed elsewhere: on budgets, by generations and by policies."""

from __future__ import annotations

import numpy as np
import pytest

from core.benchmarks.base import Evaluation
from core.errors import UserError
from core.study.methods import method_of

SPACE = {"n": (1, 9), "m": (1, 4)}
CONFIGURATIONS = [{"n": 1 + number % 9, "m": 1 + number % 4} for number in range(12)]


def built(method, seed=0, **given):
    return method_of(method).build(SPACE, seed, **given)


@pytest.mark.parametrize("budget", [0.25, 1.0, None])
@pytest.mark.parametrize("method", ["fabolas", "mtbo"])
def test_the_budget_of_an_evaluation_is_kept(method, budget):
    optimizer = built(method, budgets=(1 / 16, 1.0))
    optimizer.learn(CONFIGURATIONS[2], Evaluation(np.array([1.0]), np.array([2.0]), ({},)), budget)
    assert optimizer.encoding.budgets(optimizer.X.numpy()) == pytest.approx([budget or 1.0])


def test_bohbs_models_are_of_the_budgets_that_evaluations_had():
    """On the smaller budget large n are good, on the largest small ones; the largest with enough of them counts."""
    optimizer = built({"method": "bohb", "random_fraction": 0.0}, budgets=(1, 9))
    for configuration in CONFIGURATIONS:
        optimizer.learn(configuration, -float(configuration["n"]), 1)
    assert np.mean([optimizer.choose()["n"] for _ in range(30)]) > 5.5
    for configuration in CONFIGURATIONS:
        optimizer.learn(configuration, float(configuration["n"]))
    assert np.mean([optimizer.choose()["n"] for _ in range(30)]) < 4.5
    assert optimizer.asked == 0 and not optimizer.pending


def test_a_method_of_one_budget_has_none():
    with pytest.raises(UserError, match=r"learn: budget is 0\.5, but TreeParzen has no budgets; allowed: None"):
        built("tpe").learn(CONFIGURATIONS[0], 1.0, 0.5)


def test_generations_of_cma_es_are_of_what_it_learned():
    """After generations in which only one corner was good, it samples there."""
    optimizer = method_of({"method": "cmaes", "population": 6}).build({"x": (0.0, 1.0), "y": (0.0, 1.0)}, 0)
    rng = np.random.default_rng(0)
    for _ in range(60):
        x, y = rng.random(2) * 0.4 + 0.6
        optimizer.learn({"x": float(x), "y": float(y)}, float((x - 0.8) ** 2 + (y - 0.8) ** 2))
    asked = [trial.configuration for trial in optimizer.ask(6)]
    assert np.mean([[each["x"], each["y"]] for each in asked]) > 0.65


def test_a_generation_that_waits_learns_from_no_other():
    optimizer = built({"method": "cmaes", "population": 4})
    trials = optimizer.ask(4)
    assert optimizer.ask() == []
    optimizer.learn(CONFIGURATIONS[0], 1.0)
    for trial in trials:
        optimizer.tell(trial, 2.0)
    assert len(optimizer.ask(4)) == 4


def test_the_step_of_reinforce_does_not_depend_on_who_proposed():
    own, other = built("reinforce"), built("reinforce", seed=1)
    for loss in (3.0, 1.0, 2.0):
        (trial,) = own.ask()
        own.tell(trial, loss)
        other.learn(trial.configuration, loss)
    np.testing.assert_allclose(own.logits, other.logits)
