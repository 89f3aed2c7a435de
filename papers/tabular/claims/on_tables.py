"""Claims that a check of one table makes: of one data set, or of all that a sentence names."""

from __future__ import annotations

from collections.abc import Callable, Collection

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, each_of, worded
from core.tabular.table import Table
from papers.tabular.trained_tables import LABELS, grid_table, grid_tables, label


def on(results: Results, name: str, check: Callable[[Table], Check]) -> Check:
    """The check of the table of one data set."""
    return check(grid_table(results, name))


def on_all(
    results: Results, check: Callable[[Table], Check], published: str, names: Collection[str] = tuple(LABELS)
) -> Check:
    """The check of several tables, by default of all; a part for each.

    Raises:
        NotRunError: none of them was run.
    """
    tables = grid_tables(results)
    if not any(name in tables for name in names):
        raise NotRunError(f"grid on {', '.join(names)}")
    return all_of(each_of(names, tables, lambda name: worded(check(tables[name]), label(name)), label), published)
