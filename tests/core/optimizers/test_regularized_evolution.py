"""Regularized evolution: the population's ageing, its tournaments and its mutations."""

from __future__ import annotations

import numpy as np
import pytest
from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition, Float, Integer, OrdinalHyperparameter

from core.foundation.errors import UserError
from core.objectives.base import Evaluation
from core.optimizers.regularized_evolution import RegularizedEvolution
from core.optimizers.settings import RegularizedEvolutionSettings


@pytest.fixture
def space() -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(
        Integer("width", (3, 5)), OrdinalHyperparameter("rate", [1, 2, 4, 8]), Categorical("kind", ["a", "b"]),
        Integer("units", (1, 64), log=True), Float("share", (0.0, 1.0)),
    )  # fmt: skip
    return space


def evolution(space, **given) -> RegularizedEvolution:
    return RegularizedEvolution(space, np.random.default_rng(0), RegularizedEvolutionSettings(**given))


def tell(optimizer, trial, loss: float, failed: bool = False) -> None:
    optimizer.tell(trial, Evaluation(np.array([loss]), np.ones(1), ({"failure": "no"} if failed else {},)))


def test_mutants_differ_from_the_only_parent_in_one_hyperparameter(space):
    """Every hyperparameter, and every other value of it, turns up."""
    optimizer = evolution(space, population=1, tournament=1)
    (parent,) = optimizer.ask()
    tell(optimizer, parent, 0.0)
    seen = {name: [] for name in space}
    for trial in optimizer.ask(1500):
        assert trial.info["origin"] == "mutant"
        (changed,) = [name for name in space if trial.configuration[name] != parent.configuration[name]]
        seen[changed].append(trial.configuration[changed])
    assert all(len(values) / 1500 == pytest.approx(0.2, abs=0.05) for values in seen.values())
    assert set(seen["width"]) == {3, 4, 5} - {parent.configuration["width"]}
    assert set(seen["rate"]) == {1, 2, 4, 8} - {parent.configuration["rate"]}
    counts = np.unique(seen["rate"], return_counts=True)[1] / len(seen["rate"])
    np.testing.assert_allclose(counts, 1 / 3, atol=0.1)
    assert len(set(seen["units"])) > 55  # of 63, in 300 draws


def test_the_population_is_random_first_and_the_oldest_dies(space):
    optimizer = evolution(space, population=5, tournament=50)
    first = optimizer.ask(5)
    assert {trial.info["origin"] for trial in first} == {"random"}
    for loss, trial in enumerate(first):
        tell(optimizer, trial, float(loss))
    children = []
    for _ in range(5):
        (child,) = optimizer.ask()
        tell(optimizer, child, 10.0)
        children.append(child)
    assert [loss for loss, _ in optimizer._members] == [10.0] * 5  # the best died of age
    near = [sum(child.configuration[n] != first[0].configuration[n] for n in space) for child in children]
    assert near[0] == 1  # the child of the best of a tournament that all but surely saw everyone


def test_a_tournament_is_won_by_the_smallest_loss_and_never_by_a_failure(space):
    optimizer = evolution(space, population=3, tournament=60)
    trials = optimizer.ask(3)
    tell(optimizer, trials[0], -9.0, failed=True)
    tell(optimizer, trials[1], 4.0)
    tell(optimizer, trials[2], 3.0)
    parent = trials[2].configuration
    for trial in optimizer.ask(30):
        assert sum(trial.configuration[name] != parent[name] for name in space) == 1


def test_a_tournament_of_one_takes_anyone(space):
    optimizer = evolution(space, population=2, tournament=1)
    for loss, trial in enumerate(optimizer.ask(2)):
        tell(optimizer, trial, float(loss))
    winners = [optimizer._winner().tobytes() for _ in range(400)]
    assert winners.count(optimizer._members[0][1].tobytes()) / 400 == pytest.approx(0.5, abs=0.1)


def test_a_hyperparameter_that_a_mutation_activates_is_drawn_at_random():
    space = ConfigurationSpace()
    kind, y = Categorical("kind", ["plain", "with"]), Float("y", (0.0, 1.0), default=0.5)
    space.add(kind, y)
    space.add(EqualsCondition(y, kind, "with"))
    optimizer = evolution(space, population=1, tournament=1)
    (parent,) = optimizer.ask()
    while "y" in parent.configuration:
        tell(optimizer, parent, 0.0)
        (parent,) = optimizer.ask()
    tell(optimizer, parent, 0.0)
    mutants = [trial.configuration for trial in optimizer.ask(200)]
    assert {mutant["kind"] for mutant in mutants} == {"with"}  # the only active hyperparameter changed
    assert np.std([mutant["y"] for mutant in mutants]) == pytest.approx(12**-0.5, rel=0.15)


@pytest.mark.parametrize(("setting", "value"), [("population", 0), ("tournament", 0), ("population", 2.5)])
def test_settings_out_of_range_are_refused(space, setting, value):
    with pytest.raises(UserError, match=f"{setting} = {value}: Input should be"):
        evolution(space, **{setting: value})
