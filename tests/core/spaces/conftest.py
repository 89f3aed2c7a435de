"""A space with conditions that several files of tests use."""

from __future__ import annotations

import pytest
from ConfigSpace import (
    Categorical,
    ConfigurationSpace,
    Constant,
    EqualsCondition,
    Float,
    GreaterThanCondition,
    Integer,
    OrConjunction,
)


@pytest.fixture
def conditional() -> ConfigurationSpace:
    space = ConfigurationSpace(name="net")
    space.add(Categorical("kind", ["svm", "net", "none"]), Float("gamma", (0.0, 1.0), default=0.3))
    space.add(Integer("width", (1, 9), default=4), Constant("seed", 7))
    space.add(
        EqualsCondition(space["gamma"], space["kind"], "svm"), EqualsCondition(space["seed"], space["kind"], "svm")
    )
    either = (
        EqualsCondition(space["width"], space["kind"], "net"),
        GreaterThanCondition(space["width"], space["gamma"], 0.5),
    )
    space.add(OrConjunction(*either))
    return space
