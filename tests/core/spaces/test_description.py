"""Different spaces are described differently."""

from __future__ import annotations

import itertools

import pytest
from ConfigSpace import Beta, Categorical, ConfigurationSpace, EqualsCondition, Float, ForbiddenEqualsClause, Normal

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


def test_other_priors_weights_and_defaults_make_another_space():
    many = [1.0 + i for i in range(1500)]  # NumPy leaves out most of them in its text
    hyperparameters = [
        Float("k", (0.0, 1.0)),
        Float("k", (0.0, 1.0), default=0.25),
        Float("k", (0.0, 1.0), distribution=Normal(0.5, 0.1)),
        Float("k", (0.0, 1.0), distribution=Normal(0.5, 0.2)),
        Float("k", (0.0, 1.0), distribution=Beta(2, 2)),
        Categorical("k", ["a", "b"]),
        Categorical("k", ["a", "b"], default="b"),
        Categorical("k", ["a", "b"], weights=[2, 1]),
        Categorical("k", ["a", "b"], weights=[2, 1 + 1e-12]),
        Categorical("k", ["a", "b"], weights=[1, 0]),
        Categorical("k", ["a", "b", "c"], weights=[1, 1, 0]),
        Categorical("k", ["a", "b", "c"]),
        Categorical("k", list(range(1500)), weights=many),
        Categorical("k", list(range(1500)), weights=[*many[:700], 3.0, *many[701:]]),
    ]
    texts = []
    for hyperparameter in hyperparameters:
        space = ConfigurationSpace()
        space.add(hyperparameter)
        texts.append(str(describe_space(space)))
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    "one, other", [(range(0, 9**6, 3), range(0, 9**6, 9)), (range(0, 9**6, 3), range(0, 9**6 - 3, 3))]
)
def test_other_ranges_make_another_space(one, other):
    assert describe_space(as_space({"n": one})) != describe_space(as_space({"n": other}))
