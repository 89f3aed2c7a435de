"""Claims made of parts: on one set, on every set that a sentence names, for every method that it names.

A part that was not run is `inconclusive`: what was run may refute the sentence, but cannot confirm it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from core.experiment.results import Results
from core.report.checks import Check, NotRunError, absent, all_of, judge
from core.tabular.table import Table
from papers.tabular.repetitions import over_repetitions
from papers.tabular.tables import LABELS, grid_table, grid_tables, label

TableCheck = Callable[[Table], Check]


def on(name: str, check: TableCheck) -> Callable[[Results], Check]:
    """The claim that a check of a table makes of one data set."""
    return lambda results: check(grid_table(results, name))


def on_all(check: TableCheck, published: str, names: Iterable[str] = tuple(LABELS)) -> Callable[[Results], Check]:
    """The claim that it makes of several, by default of all."""

    def claim(results: Results) -> Check:
        tables = grid_tables(results)
        if not any(name in tables for name in names):
            raise NotRunError(f"grid on {', '.join(names)}")
        parts = [worded(check(tables[name]), label(name)) if name in tables else absent(label(name)) for name in names]
        return all_of(parts, published)

    return claim


def of_table(
    table: Table,
    statistic: Callable[[Table], float],
    published: float | str,
    lower: float = -np.inf,
    upper: float = np.inf,
    detail: str = "",
) -> Check:
    """A statistic of a table with its interval over the repetitions."""
    return judge(over_repetitions(table, statistic), published, lower, upper, detail)


def contrary(check: Check, published: float | str) -> Check:
    """The claim that another one is false."""
    return replace(check, holds={"holds": "fails", "fails": "holds"}.get(check.holds, check.holds), published=published)


def worded(check: Check, words: str) -> Check:
    """A part of which the detail says what it is and what was found."""
    found = check.ours if isinstance(check.ours, str) else f"{check.ours:.3g} [{check.low:.3g}, {check.high:.3g}]"
    return replace(check, detail=f"{words}: {found}" + (f" ({check.detail})" if check.detail else ""))
