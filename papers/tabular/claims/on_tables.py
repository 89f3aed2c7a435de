"""Claims built from a check of one table: for one data set, or for all that a sentence names.

A sentence about the whole grid is `outside` on a part of it, whether the part agrees or not. Where final validation
errors suffice for a check, the authors' tables of the whole grid have an outcome of their own: what the thesis says of
test errors is asked of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, both, each_of, left_out, outside, worded
from core.tabular.table import Table
from papers.tabular.authors_tables import authors_tables
from papers.tabular.repetitions import of_table
from papers.tabular.trained_tables import LABELS, WHOLE, grid_tables, label

Tables = Mapping[str, Table]


def of_both(results: Results, check: Callable[[Tables], Check]) -> Check:
    """The check of our own tables with that of the authors' beside it.

    Raises:
        NotRunError: neither has the tables that the check needs.
    """
    return both(lambda: check(grid_tables(results)), lambda: check(authors_tables(results)))


def on(tables: Tables, name: str, check: Callable[[Table], Check]) -> Check:
    """The check applied to the table of one data set.

    Raises:
        NotRunError: it is not among them.
    """
    if name not in tables:
        raise NotRunError(f"grid on {name}")
    return check(tables[name])


def on_all(
    tables: Tables, check: Callable[[Table], Check], published: str, names: Collection[str] = tuple(LABELS)
) -> Check:
    """The check applied to several tables, by default to all; one part for each.

    Raises:
        NotRunError: none of them is there.
    """
    if not any(name in tables for name in names):
        raise NotRunError(f"grid on {', '.join(names)}")
    parts = each_of(names, tables, lambda name: worded(check(tables[name]), label(name)), label, left_out)
    return all_of(parts, published)


def of_whole(table: Table, statistic: Callable[[Table], float], published: float | str, **region: Any) -> Check:
    """The check of a statistic of the whole grid, `outside` if the table is a part of it; regions as for `of_table`."""
    return if_whole(of_table(table, statistic, published, **region), [table])


def if_whole(check: Check, tables: Iterable[Table]) -> Check:
    """The check itself, `outside` if one of the tables that it is made from is a part of the grid."""
    least = min(table.grid.size for table in tables)
    return check if least == WHOLE else outside(check, f"{least:,} of {WHOLE:,} configurations")
