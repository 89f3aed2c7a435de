"""Spaces as printed."""

import pytest
from ConfigSpace import ConfigurationSpace, Float, Integer

from core.report.printed_spaces import BOUNDS, bounds, described


@pytest.mark.parametrize(
    ("lower", "upper", "logarithmic", "printed"),
    [
        (8, 64, True, ("2^3", "2^6")),
        (1e-6, 1.0, True, ("10^-6", "10^0")),
        (1, 512, True, ("2^0", "2^9")),
        (3, 8, True, ("3", "8")),
        (8, 64, False, ("8", "64")),
        (0.0, 0.5, False, ("0", "0.5")),
    ],
)
def test_bounds_of_logarithmic_ranges_are_powers_of_one_base(lower, upper, logarithmic, printed):
    assert bounds(lower, upper, logarithmic) == printed


def test_every_hyperparameter_has_its_bounds():
    space = ConfigurationSpace()
    space.add(Integer("units", (16, 64), log=True), Float("rate", (0.0, 0.5)))
    found = described(space)
    assert list(found.columns) == list(BOUNDS)
    assert list(found.loc["units"]) == ["2^4", "2^6", "yes"] and list(found.loc["rate"]) == ["0", "0.5", "no"]
