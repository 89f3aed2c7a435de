"""What the shipped records say of the authors' own tables, for drawings: 62,208 configurations, validation errors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report.runs.frames import once
from core.tabular.grid import FCNET, Configuration
from core.tabular.importance import best_positions
from papers.tabular.pair_statistics import agreement
from papers.tabular.printed_incumbents import errors_by_row
from papers.tabular.trained_tables import in_order, short_label


def distributions(results: Results, quantity: str) -> dict[str, np.ndarray]:
    """Sorted values of the average error or the noise, evenly spaced in rank, by data set; empty if not recorded."""
    frame = results.frame("authors_distributions")
    if not len(frame):
        return {}
    rows = frame[frame["quantity"] == quantity]
    quantiles = {str(name): np.asarray(values, float) for name, values in zip(rows["benchmark"], rows["values"])}
    return in_order(quantiles)


def importances(results: Results, name: str) -> pd.DataFrame:
    """The record `authors_importances` of a data set; empty if there is none."""
    frame = results.frame("authors_importances")
    return frame[frame["benchmark"] == name]


def agreements(results: Results, shares: Iterable[float]) -> pd.DataFrame:
    """Rank correlations of two sets, as of `core.tabular.ranks.dataset_correlations`; empty if not recorded."""
    frame = results.frame("authors_pairs")
    if not len(frame):
        return pd.DataFrame()
    rows = []
    for share in shares:
        pairs = frame[frame["statistic"] == agreement(share).name]
        count = len(best_positions(np.zeros(FCNET.size), share))
        rows += [(share, *pair, count) for pair in zip(pairs["first"], pairs["second"], pairs["estimate"])]
        rows += [(share, name, name, 1.0, count) for name in pairs["first"].unique()]
    return pd.DataFrame(rows, columns=["share", "first", "second", "correlation", "configurations"])


@once
def authors_best(results: Results) -> dict[str, tuple[Configuration, dict[str, np.ndarray]]]:
    """The configuration with the lowest average error, and the errors (R,) of it and its neighbours by row.

    By data set; empty if not recorded.
    """
    frame, incumbents = results.frame("authors_best"), {}
    for name, rows in frame.groupby("benchmark"):
        (configuration,) = FCNET.configurations([rows["configuration"].iloc[0]])
        incumbents[str(name)] = configuration, errors_by_row(rows)
    return in_order(incumbents)


def in_words(names: Iterable[str]) -> str:
    """What a drawing says of the authors' tables of these data sets."""
    sets = ", ".join(map(short_label, names))
    return f"Authors' data: final validation errors of all {FCNET.size:,} configurations ({sets})."
