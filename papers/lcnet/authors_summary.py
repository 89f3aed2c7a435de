"""Summaries of the authors' CNN curves. Their licence is not known, so records hold these instead of the curves.

Rows of a record have `run`, `quantity` and `value`, and what of `epoch`, `percent` and `bin` the quantity has:

| quantity | rows | value |
| :-- | :-- | :-- |
| fall | two for each network, `run` being its rank by the last | error after the first epoch less that after `epoch` |
| error | of all networks | quantile over the networks after `epoch`: of `BAND`, and all percents after the last |
| seconds | of all networks | quantile of the runtimes of all epochs |
| configurations | of all networks | number of runtimes in `bin` of `BINS` equal ones from the shortest to the longest |
| mean_over_median, .._low, .._high | of all networks | that of the runtimes, with its bootstrap interval |
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.experiment.results import Results
from core.report import NotRunError, bootstrap_interval
from core.report.runs.memo import once
from core.report.statistics.bootstrap import Interval
from papers.lcnet.curve_sets import AUTHORS, CurveSet
from papers.lcnet.curve_statistics import BINS, SEED, mean_over_median

BAND = (5, 25, 50, 75, 95)
PERCENTS = tuple(range(101))
RATIO = ("mean_over_median", "mean_over_median_low", "mean_over_median_high")


@dataclass(frozen=True)
class CurveSummary:
    """A summary of the authors' n networks, each trained for T epochs.

    Attributes:
        falls: (n, 2) falls of the error from the first epoch to the middle one and to the last, sorted by the last.
        band: quantiles of the error by epoch, T rows, and percent, the columns `BAND`.
        last: quantiles of the last error by percent.
        seconds: quantiles of the runtime by percent.
        counts: (`BINS`,) runtimes in equal bins from the shortest to the longest.
        mean_over_median: Ratio of the mean of the runtimes to their median.
    """

    falls: NDArray[np.float64]
    band: pd.DataFrame
    last: pd.Series
    seconds: pd.Series
    counts: NDArray[np.float64]
    mean_over_median: Interval

    @property
    def epochs(self) -> int:
        """T."""
        return len(self.band)


def summarized_curves(made: CurveSet) -> pd.DataFrame:
    """The summary of a set without diverged networks, as rows of a record."""
    runtimes, ranks = made.runtimes, range(len(made.curves))
    ranked = made.falls[np.argsort(made.falls[:, 1])]
    parts = [
        pd.DataFrame({"run": ranks, "quantity": "fall", "epoch": epoch, "value": falls})
        for epoch, falls in zip((made.epochs // 2 + 1, made.epochs), ranked.T, strict=True)
    ]
    for epoch, errors in enumerate(made.curves.T, 1):
        percents = PERCENTS if epoch == made.epochs else BAND
        parts.append(_quantiles(errors, percents).assign(quantity="error", epoch=epoch))
    parts.append(_quantiles(runtimes, PERCENTS).assign(quantity="seconds"))
    counts = np.histogram(runtimes, BINS)[0].astype(float)
    parts.append(pd.DataFrame({"quantity": "configurations", "bin": range(BINS), "value": counts}))
    interval = bootstrap_interval(runtimes, mean_over_median, SEED)
    parts.append(pd.DataFrame({"quantity": RATIO, "value": interval}))
    rows = pd.concat(parts, ignore_index=True)
    kinds = {"run": int, "epoch": "Int16", "percent": "Int16", "bin": "Int16"}
    return rows.assign(run=rows["run"].fillna(0)).astype(kinds)


@once
def authors_summary(results: Results) -> CurveSummary:
    """The summary in the records of the experiment `curves`.

    Raises:
        NotRunError: there is none.
    """
    frame = results.frame("curves")
    frame = frame[frame["benchmark"] == AUTHORS] if len(frame) else frame
    if frame.empty:
        raise NotRunError(f"curves/{AUTHORS}")
    rows = {str(name): each.convert_dtypes() for name, each in frame.groupby("quantity")}
    errors = rows["error"].pivot(index="epoch", columns="percent", values="value").astype(float)
    falls = rows["fall"].pivot(index="run", columns="epoch", values="value").astype(float)
    return CurveSummary(
        falls=falls.to_numpy(),
        band=errors[list(BAND)],
        last=errors.iloc[-1],
        seconds=rows["seconds"].set_index("percent")["value"].astype(float),
        counts=rows["configurations"].sort_values("bin")["value"].to_numpy(dtype=float),
        mean_over_median=Interval(*(float(rows[name]["value"].iloc[0]) for name in RATIO)),
    )


def _quantiles(values: NDArray[np.float64], percents: tuple[int, ...]) -> pd.DataFrame:
    return pd.DataFrame({"percent": percents, "value": np.percentile(values, percents)})
