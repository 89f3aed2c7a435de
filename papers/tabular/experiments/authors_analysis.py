"""What our analysis finds in the authors' own tables: the statistics that are drawn and judged, never the tables.

Each cell has one "run". What its functions return is small enough to be shipped, so that every clone shows what their
data say.
"""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.tabular.authors import TABLES
from core.tabular.frame import from_records
from core.tabular.importance import best_positions, table_importances
from core.tabular.table import Table
from papers.tabular.beside_authors import pair
from papers.tabular.experiments.authors import SMOKE, table_of_authors
from papers.tabular.pair_statistics import DIFFERING, ORDERED
from papers.tabular.repetitions import Resamples
from papers.tabular.settings import AuthorsData, Quantiles
from papers.tabular.table_statistics import OF_VALIDATION_ERRORS
from papers.tabular.trained_tables import IMPORTANCE_SHARES, noise_of


def authors_distributions(context: Context[Quantiles]) -> pd.DataFrame:
    """Order statistics of the average errors and of the noise, for distributions (Figs 7.1, D.1, D.4).

    Returns:
        run; quantity: error or noise; values: so many of the sorted values, evenly spaced in rank, the smallest and the
        largest among them.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    table = table_of_authors(context, context.benchmark)
    places = np.rint(np.linspace(0, table.grid.size - 1, context.settings.quantiles)).astype(int)
    quantities = {"error": table.mean_valid[:, -1], "noise": noise_of(table)[:, -1]}
    rows = [(0, name, np.sort(values)[places].astype(np.float32)) for name, values in quantities.items()]
    return pd.DataFrame(rows, columns=["run", "quantity", "values"])


def authors_importances(context: Context[AuthorsData]) -> pd.DataFrame:
    """Functional ANOVA over all configurations and among the best (Figs 7.3, D.6 to D.9).

    Returns:
        run; share; configurations: their number; and the columns of `core.tabular.importance.table_importances`.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    table = table_of_authors(context, context.benchmark)
    frames = []
    for share in IMPORTANCE_SHARES:
        count = len(best_positions(table.mean_final, share))
        frames.append(table_importances(table, share).assign(run=0, share=share, configurations=count))
    return pd.concat(frames, ignore_index=True)


def authors_statistics(context: Context[AuthorsData]) -> pd.DataFrame:
    """The statistics that claims about one set are judged by, on resamples.

    Returns:
        run; statistic: its name in `table_statistics`; and estimate, drawn, weights, size as in `Resamples`.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    table = table_of_authors(context, context.benchmark)
    rows = [{"statistic": each.name, **_row(each.resamples(table))} for each in OF_VALIDATION_ERRORS]
    return pd.DataFrame(rows).assign(run=0)


def authors_pairs(context: Context[AuthorsData]) -> pd.DataFrame:
    """The statistics of pairs of sets (Fig 7.4 and the claims of 7.3.3), on resamples.

    Returns:
        run; statistic: its name in `pair_statistics`; first, second: data sets; the rest as of `authors_statistics`.

    Raises:
        DataUnavailableError: a table is not at hand.
    """
    names = ("formula", "other_formula") if context.cell.scale == SMOKE else tuple(TABLES)
    tables = [table_of_authors(context, name, seed) for seed, name in enumerate(names)]
    rows = []
    for first, second in permutations(tables, 2):
        rows += [_pair(each.name, first, second, each.resamples(first, second)) for each in ORDERED]
    for first, second in combinations(tables, 2):
        rows.append(_pair(DIFFERING.name, first, second, DIFFERING.resamples(first, second)))
    return pd.DataFrame(rows).assign(run=0)


def authors_beside(context: Context[AuthorsData]) -> pd.DataFrame:
    """Our trainings beside the authors' of the same configurations.

    Returns:
        run; configuration: its index; error: their average final validation error; and in every row spread: theirs over
        the repetitions, relative; constant: the most frequent error of their whole table.

    Raises:
        DataUnavailableError: the table is not at hand.
    """
    ours = from_records(context.records("grid"), place=f"grid/{context.benchmark}")
    pairing = pair(ours, table_of_authors(context, context.benchmark))
    columns = {"configuration": ours.grid.indices, "error": pairing.theirs.astype(np.float32)}
    return pd.DataFrame(columns).assign(run=0, spread=pairing.spread, constant=pairing.constant)


def _pair(statistic: str, first: Table, second: Table, resamples: Resamples) -> dict[str, object]:
    return {"statistic": statistic, "first": first.dataset, "second": second.dataset, **_row(resamples)}


def _row(resamples: Resamples) -> dict[str, object]:
    return {
        "estimate": resamples.estimate,
        "drawn": resamples.drawn,
        "weights": resamples.weights,
        "size": resamples.size,
    }
