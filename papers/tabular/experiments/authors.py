"""The authors' own tables as objectives of searches, and the neighbours of printed and best configurations in them."""

from __future__ import annotations

import pandas as pd

from core.experiment.context import Context
from core.experiment.table_search import search_table
from core.tabular.authors import authors_table
from core.tabular.benchmark import TabularBenchmark
from core.tabular.grid import FCNET
from core.tabular.synthetic import DATASET, synthetic_table
from core.tabular.table import Table
from papers.tabular.experiments.comparison import search_with_networks
from papers.tabular.printed_incumbents import neighbourhood_of, printed_or_best, rank_of
from papers.tabular.settings import AuthorsData, NetworkSearch, TableSearch

SMOKE = "smoke"


def authors_neighbours(context: Context[AuthorsData]) -> pd.DataFrame:
    """The printed incumbent and every change of one of its values; a "run" is one of the four trainings.

    Returns:
        run; change: row of the neighbourhood table; valid_mse; rank: that of the incumbent among all configurations.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    table = table_of_authors(context, context.benchmark)
    start = printed_or_best(table)
    errors, rank = neighbourhood_of(table, start), rank_of(table, start)
    rows = [(run, change, mse[run], rank) for run in context.runs for change, mse in errors.items()]
    return pd.DataFrame(rows, columns=["run", "change", "valid_mse", "rank"])


def authors_best(context: Context[AuthorsData]) -> pd.DataFrame:
    """The best configuration and every change of one of its values; a "run" is one of the four trainings.

    Returns:
        run; change; valid_mse; configuration: the best one's index in the grid.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    table = table_of_authors(context, context.benchmark)
    errors = neighbourhood_of(table, table.best_configuration)
    rows = [(run, change, mse[run], table.best) for run in context.runs for change, mse in errors.items()]
    return pd.DataFrame(rows, columns=["run", "change", "valid_mse", "configuration"])


def authors_methods(context: Context[TableSearch]) -> pd.DataFrame:
    """Runs of one optimizer without budgets on an authors' table, one after the other; see `search_table`.

    An evaluation costs 1, and the regret is that of the average validation error, since the table has no times and no
    test errors.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    return search_table(context, TabularBenchmark(table_of_authors(context, context.benchmark)))


def authors_networks(context: Context[NetworkSearch]) -> pd.DataFrame:
    """Runs of BOHAMIANN on an authors' table, all in lockstep; records as those of `authors_methods`.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    return search_with_networks(context, TabularBenchmark(table_of_authors(context, context.benchmark)))


def table_of_authors(context: Context, name: str, seed: int = 0) -> Table:
    """The authors' table of a data set or, at the smoke scale, a formula with as little as theirs has.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    if context.cell.scale != SMOKE:
        return authors_table(name)
    made = synthetic_table(FCNET, seed, epochs=(3,))
    return Table(name or DATASET, made.source, made.grid, made.epochs, valid_mse=made.valid_mse)
