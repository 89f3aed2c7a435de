"""Bounds as tables print them."""

from __future__ import annotations

import math

import pytest
from ConfigSpace import ConfigurationSpace, Float, Integer

from core.report.tables.compare import bounds, described


@pytest.mark.parametrize(
    ("lower", "upper", "logarithmic", "printed"),
    [
        (8, 256, True, ("2^3", "2^8")),
        (1e-6, 1.0, True, ("10^-6", "10^0")),  # not 2^0: both bounds have the same base
        (math.exp(-10), math.exp(10), True, ("e^-10", "e^10")),
        (3, 7, True, ("3", "7")),
        (8, 256, False, ("8", "256")),
        (0.0, 0.5, False, ("0", "0.5")),
    ],
)
def test_bounds_of_logarithmic_ranges_are_powers_of_one_base(lower, upper, logarithmic, printed):
    assert bounds(lower, upper, logarithmic) == printed


def test_a_space_has_a_row_for_each_hyperparameter():
    space = ConfigurationSpace()
    space.add(Float("rate", (1e-3, 1e-1), log=True), Integer("layers", (1, 5)))
    assert described(space).to_dict("index") == {
        "rate": {"lower": "10^-3", "upper": "10^-1", "log": "yes"},
        "layers": {"lower": "1", "upper": "5", "log": "no"},
    }
