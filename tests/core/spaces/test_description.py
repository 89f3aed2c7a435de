"""Different spaces are described differently."""

from __future__ import annotations

import itertools

import pytest
from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition, Float, ForbiddenEqualsClause

from core.spaces import as_space, describe_space


def conditional(value, forbidden="c"):
    space = ConfigurationSpace()
    a = Categorical("a", ["p", "q", "c", "d"])
    space.add(a, Float("x", (0.0, 1.0)))
    space.add(EqualsCondition(space["x"], a, value), ForbiddenEqualsClause(a, forbidden))
    return space


def test_choices_of_another_type_conditions_and_forbidden_clauses_make_another_space():
    choices = [["1", "2"], [1, 2], [1.0, 2.0], [True, 2], ["True", "2"], ["a, b"], ["a", "b"], [(50,), None], ["(50,)"]]
    spaces = [as_space({"k": [*some, "z"]}) for some in choices]
    spaces += [conditional("p"), conditional("q"), conditional("q", "d")]
    for one, other in itertools.combinations(spaces, 2):
        assert describe_space(one) != describe_space(other)


@pytest.mark.parametrize("choices", [["adam", "sgd"], [1, 2], [0.5, None], [True, False], [(50,), (50, 50)]])
def test_where_nothing_is_ambiguous_the_text_is_configspace_s_own(choices):
    """So that journals and states from before keep their space."""
    space = as_space({"k": choices, "x": (0.0, 1.0)})
    assert describe_space(space) == [str(space["k"]), str(space["x"])]
