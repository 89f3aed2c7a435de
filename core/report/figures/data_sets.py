"""Names of data sets and test functions as tables and figures print them, the same in all papers."""

from __future__ import annotations

from collections.abc import Iterable

NAMES = {
    # regression
    "boston": "Boston housing",
    "wine_red": "Red wine",
    "wine_white": "White wine",
    "naval": "Naval propulsion",
    "protein": "Protein structure",
    "parkinsons": "Parkinsons telemonitoring",
    # classification
    "mnist": "MNIST",
    "optdigits": "OptDigits",
    "magic_telescope": "MAGIC telescope",
    "kr_vs_kp": "King-rook vs. king-pawn",
    "mfeat_pixel": "Mfeat, pixels",
    "dna": "DNA",
    # functions
    "goldstein_price": "Goldstein-Price",
    "sin_one": "SinOne",
    "sin_two": "SinTwo",
}
"""Those whose printed name is not their own with a capital letter and spaces."""


def data_set_name(name: str) -> str:
    """The printed name of a data set or test function."""
    return NAMES.get(name) or name.replace("_", " ").capitalize()


def data_set_names(names: Iterable[str]) -> dict[str, str]:
    """The printed name of each, in the given order."""
    return {name: data_set_name(name) for name in names}
