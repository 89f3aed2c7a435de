"""Configuration spaces as papers print them: bounds as powers where they are, and whether a range is logarithmic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

BOUNDS = {"lower": "lower bound", "upper": "upper bound", "log": "logarithmic"}
"""The columns of `described`, and how tables name them."""


def described(space: ConfigurationSpace) -> pd.DataFrame:
    """Lower and upper bound and "yes" or "no" for the logarithm, one row per hyperparameter, all of them numbers."""
    rows = {
        name: [*bounds(space[name].lower, space[name].upper, space[name].log), "yes" if space[name].log else "no"]
        for name in space
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(BOUNDS))


def bounds(lower: float, upper: float, logarithmic: bool) -> tuple[str, str]:
    """The bounds of a range as printed; of a logarithmic one as powers of 2 or 10, if both are powers of that base."""
    for base in (2, 10) if logarithmic else ():
        exponents = [round(math.log(value, base)) for value in (lower, upper)]
        if all(math.isclose(value, float(base) ** n) for value, n in zip((lower, upper), exponents, strict=True)):
            return f"{base}^{exponents[0]}", f"{base}^{exponents[1]}"
    return f"{lower:g}", f"{upper:g}"
