"""How good predictions of learning curves are: squared errors, log-likelihoods, and whether intervals hold the truth.

Where a hundred runs predict hundreds of curves, or the curves are not ours to publish, records hold scores instead of
predictions: those of each run over its curves (`part` "run"), and those of each curve, averaged over the `runs` of a
shard (`part` "curve").
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Z_90 = 1.6448536269514722  # standard deviations of a Gaussian to each side that hold 90%


def scored(predictions: pd.DataFrame, curves: NDArray[np.float64]) -> pd.DataFrame:
    """Predictions with their `truth`, `squared` error, `log_likelihood` and whether their 90% interval is `covering`.

    Args:
        predictions: Rows with number, epoch, mean and, if the model has one, variance.
        curves: Curves (n, T).
    """
    truth = curves[predictions["number"], predictions["epoch"] - 1]
    variance = predictions.get("variance", np.nan)
    squared = (predictions["mean"] - truth) ** 2
    return predictions.assign(
        truth=truth,
        squared=squared,
        log_likelihood=-0.5 * (np.log(2 * np.pi * variance) + squared / variance),
        covering=squared <= Z_90**2 * variance,
    )


def summarized(predictions: pd.DataFrame, curves: NDArray[np.float64]) -> pd.DataFrame:
    """Scores of predictions of last values by all runs of a shard.

    Returns:
        Rows of part "run": run, observed, epoch, mean of `squared`, median of `log_likelihood` and mean of `covering`
        over the curves. Rows of part "curve", with the first run of the shard: run, `runs`, observed, number, epoch,
        means of `squared` and `log_likelihood` over the runs.
    """
    rows = scored(predictions, curves)
    by_run = rows.groupby(["run", "observed", "epoch"], as_index=False).agg(
        squared=("squared", "mean"), log_likelihood=("log_likelihood", "median"), covering=("covering", "mean")
    )
    both = pd.concat([by_run.assign(part="run"), _by_curve(rows, ["observed", "number", "epoch"])], ignore_index=True)
    kinds = {"number": "Int16", "epoch": "int16", "runs": "Int16", "observed": "int16"}
    return both.astype(kinds | dict.fromkeys(("squared", "log_likelihood", "covering"), np.float32))


def summarized_by_curve(predictions: pd.DataFrame, curves: NDArray[np.float64]) -> pd.DataFrame:
    """Scores of predictions of whole curves by all runs of a shard.

    Returns:
        Rows of part "curve", with the first run of the shard: run, `runs`, number, means of `squared` and
        `log_likelihood` over epochs and runs.
    """
    scores = _by_curve(scored(predictions, curves), ["number"])
    return scores.astype({"number": "int16", "runs": "int16", "squared": np.float32, "log_likelihood": np.float32})


def _by_curve(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    means = {"squared": ("squared", "mean"), "log_likelihood": ("log_likelihood", "mean")}
    scores = rows.groupby(keys, as_index=False).agg(run=("run", "min"), runs=("run", "nunique"), **means)
    return scores.assign(part="curve")
