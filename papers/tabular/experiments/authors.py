"""The authors' own tables: their errors, the neighbours of the printed incumbents, and objectives of searches."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.experiment.table_search import search_table
from core.tabular.authors import authors_table
from core.tabular.benchmark import TabularBenchmark
from core.tabular.grid import FCNET
from core.tabular.synthetic import DATASET, synthetic_table
from core.tabular.table import Table
from papers.tabular.printed_incumbents import neighbourhood_of_printed, rank_of_printed
from papers.tabular.settings import AuthorsNeighbours, AuthorsTable, TableSearch


def authors_tables(context: Context[AuthorsTable]) -> pd.DataFrame:
    """A "run" is one of the four trainings of every configuration.

    Returns:
        run, and valid_mse: the errors in the order of the grid's positions, rounded to so many significant bits that
        four tables take 2 MB.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    errors = _table(context.benchmark).valid_mse[:, -1]
    rows = [rounded(errors[:, run], context.settings.significant_bits) for run in context.runs]
    return pd.DataFrame({"run": list(context.runs), "valid_mse": rows})


def authors_neighbours(context: Context[AuthorsNeighbours]) -> pd.DataFrame:
    """The printed incumbent and every change of one of its values; a "run" is one of the four trainings.

    Returns:
        run; change: row of the neighbourhood table; valid_mse; rank: that of the incumbent among all configurations.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    table = _table(context.benchmark)
    errors, rank = neighbourhood_of_printed(table), rank_of_printed(table)
    rows = [(run, change, found[run], rank) for run in context.runs for change, found in errors.items()]
    return pd.DataFrame(rows, columns=["run", "change", "valid_mse", "rank"])


def authors_methods(context: Context[TableSearch]) -> pd.DataFrame:
    """Runs of one optimizer without budgets on an authors' table, one after the other; see `search_table`.

    An evaluation costs 1, and the regret is that of the average validation error, since the table has no times and no
    test errors.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    return search_table(context, TabularBenchmark(_table(context.benchmark)))


def rounded(values: np.ndarray, bits: int) -> np.ndarray:
    """Numbers (n,) with so many significant bits, the first included: relative errors are at most 2^-bits."""
    mantissa, exponent = np.frexp(values.astype(np.float64))
    return np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits).astype(np.float32)


def _table(name: str) -> Table:
    if name != DATASET:
        return authors_table(name)
    made = synthetic_table(FCNET, seed=0, epochs=(3,))
    return Table(made.dataset, made.source, made.grid, made.epochs, valid_mse=made.valid_mse)  # as little as theirs has
