"""A configuration space as a table: ours beside the transcribed one."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from core.report.tables.compare import spec_table
from core.report.tables.table import ReportTable
from core.report.verdicts.published import Published

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

BOUNDS = {"lower": "lower bound", "upper": "upper bound", "log": "logarithmic"}
BASES = {"2": 2.0, "10": 10.0, "e": math.e}


def space_table(space: ConfigurationSpace, published: Published, names: Mapping[str, str] | None = None) -> ReportTable:
    """The space in the form of `described`, each cell configured as published or not.

    Args:
        names: Names of hyperparameters, in words.
    """
    return spec_table(
        described(space),
        published,
        caption="Ranges of the hyperparameters, compared with those of our space.",
        row_header="Hyperparameter",
        row_labels={name: (names or {}).get(name, name) for name in space},
        column_labels=BOUNDS,
    )


def described(space: ConfigurationSpace, bases: Collection[str] = tuple(BASES)) -> pd.DataFrame:
    """Lower and upper bound and "yes" or "no" for the logarithm, one row per hyperparameter; bases as for `bounds`."""
    rows = {}
    for name in space:
        lower, upper = bounds(space[name].lower, space[name].upper, space[name].log, bases)
        rows[name] = {"lower": lower, "upper": upper, "log": "yes" if space[name].log else "no"}
    return pd.DataFrame.from_dict(rows, orient="index")


def bounds(lower: float, upper: float, logarithmic: bool, bases: Collection[str] = tuple(BASES)) -> tuple[str, str]:
    """Both bounds as printed; those of a logarithmic range as powers of one of the bases where both are."""
    for name, base in BASES.items() if logarithmic else ():
        if name not in bases:
            continue
        exponents = [round(math.log(value, base)) for value in (lower, upper)]
        if all(math.isclose(value, base**power) for value, power in zip((lower, upper), exponents, strict=True)):
            return f"{name}^{exponents[0]}", f"{name}^{exponents[1]}"
    return f"{lower:g}", f"{upper:g}"
