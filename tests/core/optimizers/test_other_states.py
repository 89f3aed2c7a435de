"""Saved states of optimizers that were made otherwise are refused before anything has changed."""

from __future__ import annotations

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace, EqualsCondition

from core.foundation.errors import UserError
from core.objectives.base import Evaluation
from core.optimizers.bohb import BOHB
from core.optimizers.differential_evolution import DifferentialEvolution
from core.optimizers.hyperband import Hyperband, SuccessiveHalving
from core.optimizers.random_search import RandomSearch
from core.optimizers.regularized_evolution import RegularizedEvolution
from core.spaces import as_space
from core.study.methods import METHODS, method_of

SPACE = ConfigurationSpace({"x": (0.0, 1.0)})
WIDER = ConfigurationSpace({"x": (0.0, 2.0)})


NAMES = {
    BOHB: "bohb",
    Hyperband: "hyperband",
    SuccessiveHalving: "successive_halving",
    DifferentialEvolution: "differential_evolution",
    RegularizedEvolution: "regularized_evolution",
}


def made(kind, *budgets, space=SPACE, seed=0, **settings):
    given = {"settings": METHODS[NAMES[kind]](**settings)} if settings else {}
    return kind(space, np.random.default_rng(seed), *budgets, **given)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (made(BOHB, 1, 9), made(BOHB, 1, 27), r"budgets \(1.0, 3.0, 9.0\); this optimizer has \(1.0, 3.0, 9.0, 27.0\)"),
        (made(Hyperband, 1, 27), made(Hyperband, 9, 27), r"budgets .*; this optimizer has \(9.0, 27.0\)"),
        (
            made(Hyperband, 4, 8, eta=2),
            made(Hyperband, 4, 8, eta=2.0, brackets=3),
            "brackets None; this optimizer has 3",
        ),
        (made(Hyperband, 1, 1), made(Hyperband, 1, 1, eta=2), "eta 3; this optimizer has 2"),
        (
            made(SuccessiveHalving, 1, 9),
            made(SuccessiveHalving, 1, 9, configurations=5),
            "configurations None; .* 5",
        ),
        (made(BOHB, 1, 9), made(BOHB, 1, 9, samples=3), "samples 64; this optimizer has 3"),
        (made(DifferentialEvolution), made(DifferentialEvolution, population=5), "population 20; .* has 5"),
        (made(RegularizedEvolution), made(RegularizedEvolution, population=5), "population 100; .* has 5"),
        (made(RandomSearch), made(RandomSearch, space=WIDER), r"hyperparameters \[.*1.0.*; this optimizer has \[.*2.0"),
    ],
)
def test_a_state_continues_only_where_settings_and_space_are_the_same(first, second, message):
    first.ask(3)
    second.ask(2)
    before = second.state_dict()
    with pytest.raises(UserError, match=f"state with {message}"):
        second.load_state_dict(first.state_dict())
    assert repr(second.state_dict()) == repr(before)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"method": "rf"}, r"policy\.make_model\..* GPSettings.model; this optimizer has ForestSettings.model"),
        ({"method": "dngo"}, r"policy\.make_model\.function"),
        ({"acquisition": "lcb"}, r"policy\..*acquisition ei; this optimizer has lcb"),
        ({"maximizer": "gradient"}, r"policy\..*maximizer"),
        ({"initial_design": 3}, "initial_design 5; this optimizer has 3"),
        ({"method": "entropy_search"}, r"policy\.type ModelBased; this optimizer has InformationSearch"),
    ],
)
def test_the_state_of_one_model_does_not_continue_with_another(tmp_path, other, message):
    first, same, second = (
        method_of({"method": "gp", **given}).build(SPACE, seed) for seed, given in enumerate(({}, {}, other))
    )
    first.ask(2)
    first.save(tmp_path / "state")
    with pytest.raises(UserError, match=f"state with {message}"):
        second.restore(tmp_path / "state")
    same.restore(tmp_path / "state")
    assert same.ask() == first.ask()


@pytest.mark.parametrize(
    ("first", "second", "budgets", "message"),
    [
        ({}, {}, ((1 / 64, 1), (1 / 32, 1)), "smallest"),
        ({}, {"subsets": (0.25,)}, ((1 / 64, 1),) * 2, "subsets"),
        (
            {"subsets": (0.1, 0.2), "initial_design": 3, "points_per_subset": (2, 1)},
            {"subsets": (0.1, 0.2), "initial_design": 3, "points_per_subset": (1, 2)},
            ((1 / 64, 1),) * 2,
            "points_per_subset",
        ),
        ({}, {"hyperparameter_samples": 3}, ((1 / 64, 1),) * 2, "hyperparameter_samples 10; this optimizer has 3"),
    ],
)
def test_shares_of_the_data_and_chains_belong_to_a_state(first, second, budgets, message):
    given = ({"method": "fabolas", **settings} for settings in (first, second))
    one, other = (method_of(each).build(SPACE, 0, some) for each, some in zip(given, budgets, strict=True))
    with pytest.raises(UserError, match=f"state with .*{message}"):
        other.load_state_dict(one.state_dict())


def test_conditions_and_the_types_of_choices_belong_to_a_state():
    space = {value: ConfigurationSpace({"a": ["p", "q"], "x": (0.0, 1.0)}) for value in "pq"}
    for value, each in space.items():
        each.add(EqualsCondition(each["x"], each["a"], value))
    for one, other in (space.values(), (as_space({"k": ["1", "2"]}), as_space({"k": [1, 2]}))):
        with pytest.raises(UserError, match="state with hyperparameters"):
            made(RandomSearch, space=other).load_state_dict(made(RandomSearch, space=one).state_dict())


@pytest.mark.parametrize("path", [("own",), ("settings",), ("pending",), ("own", "draws"), ("settings", "eta")])
def test_a_state_that_lacks_a_part_is_refused(path):
    optimizer = made(Hyperband, 1, 9)
    optimizer.ask(3)
    before, state = optimizer.state_dict(), optimizer.state_dict()
    part = state
    for name in path[:-1]:
        part = part[name]
    del part[path[-1]]
    with pytest.raises(UserError, match=f"state of 'Hyperband' lacks {path[-1]}"):
        optimizer.load_state_dict(state)
    assert repr(optimizer.state_dict()) == repr(before)


def test_what_is_no_longer_in_a_bracket_is_not_kept():
    """Nor written into every state; numbers of configurations go on counting all that were chosen."""
    optimizer, again = made(BOHB, 1, 9), made(BOHB, 1, 9, seed=5)
    numbers, most = [], 0
    for _ in range(600):
        (trial,) = optimizer.ask()
        numbers.append(trial.info["configuration"])
        most = max(most, len(optimizer.state_dict()["own"]["configurations"]))
        optimizer.tell(trial, Evaluation(np.array([trial.configuration["x"]]), np.ones(1), ({},)))
    assert most == 9 and max(numbers) > 300
    assert sorted(set(numbers)) == list(range(max(numbers) + 1))
    again.load_state_dict(optimizer.state_dict())
    assert again.ask(20) == optimizer.ask(20)
