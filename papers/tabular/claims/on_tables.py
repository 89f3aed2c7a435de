"""Claims built from a check of one table: for one data set, or for all that a sentence names.

A sentence about the whole grid is `outside` on a part of it, whether the part agrees or not. Where final validation
errors suffice for a check, the authors' tables of the whole grid have an outcome of their own: what the thesis says of
test errors is asked of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Literal

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, both, each_of, judge, left_out, outside, worded
from core.report.verdicts.shapes.shape import Benchmark, shape_of
from core.tabular.table import Table
from papers.tabular.recorded_tables import OF_ONE, RecordedTable, recorded_tables
from papers.tabular.repetitions import Resamples
from papers.tabular.table_statistics import Resampled
from papers.tabular.trained_tables import WHOLE, grid_tables, label

Subject = Table | RecordedTable
"""A table of ours, or what is recorded of the authors'."""
Tables = Mapping[str, Any]
Data = Literal["ours", "authors"]


def on_tables(check: Callable[..., Check]) -> Callable[..., Check]:
    """The shape of a check of a table: a function of the table and of the region, `lower` and `upper`, see `judge`."""

    def judged(
        results: Results,
        sets: tuple[Benchmark, ...],
        above: float = -math.inf,
        below: float = math.inf,
        data: Data = "ours",
    ) -> Check:
        return on_sets(tables_of(results, data), sets, lambda table: check(table, lower=above, upper=below))

    return shape_of(check, judged)


def tables_of(results: Results, data: Data, recorded: str = OF_ONE) -> Tables:
    """Our tables or, from the records of an experiment, the authors', by data set.

    Raises:
        NotRunError: there are none.
    """
    return grid_tables(results) if data == "ours" else recorded_tables(results, recorded)


def of_both(results: Results, check: Callable[[Tables], Check]) -> Check:
    """The check of our own tables with that of the authors' beside it.

    Raises:
        NotRunError: neither has the tables that the check needs.
    """
    return both(lambda: check(grid_tables(results)), lambda: check(recorded_tables(results)))


def of_whole(table: Subject, statistic: Resampled, **region: Any) -> Check:
    """The check of a statistic of the whole grid, `outside` if the table is a part of it; regions as for `judge`."""
    return if_whole(judge(resamples_of(table, statistic).interval(), **region), [table])


def resamples_of(table: Subject, statistic: Resampled) -> Resamples:
    """A statistic of a table, computed or as it was recorded."""
    return table.resamples(statistic.name) if isinstance(table, RecordedTable) else statistic.resamples(table)


def if_whole(check: Check, tables: Iterable[Subject]) -> Check:
    """The check itself, `outside` if one of the tables that it is made from is a part of the grid."""
    least = min(table.grid.size for table in tables)
    return check if least == WHOLE else outside(check, f"{least:,} of {WHOLE:,} configurations")


def on_sets(tables: Tables, names: Collection[str], check: Callable[[Table], Check]) -> Check:
    """The check of the table of one set, or of several with a part for each.

    Raises:
        NotRunError: none of them is there.
    """
    if not any(name in tables for name in names):
        raise NotRunError(f"grid on {', '.join(names)}")
    if len(names) == 1:
        return check(*(tables[name] for name in names))
    return all_of(each_of(names, tables, lambda name: worded(check(tables[name]), label(name)), label, left_out))
