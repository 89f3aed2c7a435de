"""Claims built from a check of one table: for one data set, or for all that a sentence names."""

from __future__ import annotations

from collections.abc import Callable, Collection

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, each_of, worded
from core.tabular.table import Table
from papers.tabular.trained_tables import LABELS, grid_table, grid_tables, label


def on(results: Results, name: str, check: Callable[[Table], Check]) -> Check:
    """The check applied to the table of one data set."""
    return check(grid_table(results, name))


def on_all(
    results: Results, check: Callable[[Table], Check], published: str, names: Collection[str] = tuple(LABELS)
) -> Check:
    """The check applied to several tables, by default to all; one part for each.

    Raises:
        NotRunError: none of them was run.
    """
    tables = grid_tables(results)
    if not any(name in tables for name in names):
        raise NotRunError(f"grid on {', '.join(names)}")
    return all_of(each_of(names, tables, lambda name: worded(check(tables[name]), label(name)), label), published)
