"""Collections at points of Sobol's sequence."""

from __future__ import annotations

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace, Float

from core.experiment.cells import Cell
from core.experiment.context import Context
from core.experiment.settings import Settings
from core.experiment.sobol_tables import collect, points_of
from core.objectives.base import FunctionObjective
from core.spaces import CubeEncoding

SPACE = ConfigurationSpace(space={"a": (1.0, 3.0)})
SPACE.add(Float("b", (1e-4, 1.0), log=True))


def context(runs: range) -> Context:
    return Context(Cell("paper", "tables", "set", "sobol", "smoke", runs.stop, Settings(), "collect"), runs)


def noisy(configuration, budget, generator):
    if configuration["a"] > 2.6:
        raise ArithmeticError("too large")
    return configuration["a"] + generator.normal()


OBJECTIVE = FunctionObjective(noisy, SPACE, worst_loss=99.0)


def test_runs_are_blocks_of_the_sequence_and_repeat_alone():
    whole, last = collect(context(range(4)), OBJECTIVE, 8), collect(context(range(3, 4)), OBJECTIVE, 8)
    assert whole["number"].tolist() == list(range(32)) and whole["run"].tolist() == sorted([0, 1, 2, 3] * 8)
    assert (whole["seconds"] >= 0).all()
    np.testing.assert_array_equal(whole.loc[whole["run"] == 3, "loss"], last["loss"])


def test_failures_are_recorded_with_the_worst_loss():
    found = collect(context(range(4)), OBJECTIVE, 8)
    a = np.array([one["a"] for one in CubeEncoding(SPACE).decode(points_of(found, SPACE))])
    failed = found["failure"] != ""
    assert (failed == (a > 2.6)).all() and failed.any()
    assert (found.loc[failed, "loss"] == 99).all() and (
        found.loc[failed, "failure"] == "ArithmeticError: too large"
    ).all()


def test_points_are_made_again_from_their_numbers_in_any_order():
    function = FunctionObjective(lambda configuration, *_: configuration["a"], SPACE, worst_loss=99.0)
    found = collect(context(range(2)), function, 16).sample(frac=0.5, random_state=0)
    configurations = CubeEncoding(SPACE).decode(points_of(found, SPACE))
    assert [one["a"] for one in configurations] == pytest.approx(found["loss"].tolist())
