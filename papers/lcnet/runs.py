"""What the experiments recorded, as drawings and claims read it: scores of predictions, and searches on tables.

A prediction of a curve's value has a squared error, a log-likelihood, and an interval that holds the truth or not.
Where a hundred runs predict hundreds of curves, or the curves are not ours to publish, records hold scores instead of
predictions: those of each run over its curves (`part` "run"), and those of each curve, averaged over the `runs` of a
shard (`part` "curve").
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.experiment.results import Results
from core.report import NotRunError
from core.report.runs.frames import once
from papers.lcnet.curves import curve_sets

GLOBAL = ("lcnet", "lcnet_ours", "bnn", "forest", "freeze_thaw")
"""Models that learn from all curves."""
LOCAL = ("lc_extrapolation", "decaying_gp", "last_seen_value")
"""Models of single curves."""
CELL = ["benchmark", "method"]
Z_90 = 1.6448536269514722  # standard deviations of a Gaussian to each side that hold 90%

TABLE_EXPERIMENTS = ("tables", "tabular/methods", "tabular/bohamiann")
TABLE_METHODS = ("hyperband", "hyperband_lcnet", "bohamiann")
"""Those of Figs 5.7 and B.3."""


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


@once
def partial_predictions(results: Results) -> pd.DataFrame:
    """Recorded predictions from the first epochs (5.4.2), with their scores and the `share` of the epochs seen.

    Raises:
        NotRunError: there are none.
    """
    return _scored(results, _of_part(_partial(results), "prediction"), "partial")


@once
def partial_scores(results: Results) -> pd.DataFrame:
    """Scores of each curve's last value (5.4.2): benchmark, method, share, number, squared, log_likelihood, `runs`.

    A row is of one run, or the mean over `runs` of them.

    Raises:
        NotRunError: there are none.
    """
    frame = _partial(results)
    recorded = _of_part(frame, "curve")
    predictions = _of_part(frame, "prediction")
    parts = [_with_share(recorded)] if len(recorded) else []
    if len(predictions) or not parts:
        rows = _scored(results, predictions, "partial").assign(runs=1)
        parts.append(rows[rows["epoch"] == rows["epochs"]])
    return pd.concat(parts, ignore_index=True)


@once
def run_scores(results: Results) -> pd.DataFrame:
    """Scores of each run (5.4.2): benchmark, method, share, run, squared (mean), log_likelihood (median), `curves`.

    Predictions are scored on the curves that every method of their set predicted, `curves` in number. Recorded scores
    are of all curves, as their methods predict all.

    Raises:
        NotRunError: there are none.
    """
    scores = partial_scores(results)
    parts = []
    for _, rows in scores.groupby("benchmark", sort=False):
        numbers = set.intersection(*(set(part["number"]) for _, part in rows.groupby("method")))
        kept = rows[rows["number"].isin(numbers)]
        by_run = kept.groupby([*CELL, "share", "run"], as_index=False)
        parts.append(by_run.agg(squared=("squared", "mean"), log_likelihood=("log_likelihood", "median")))
        parts[-1]["curves"] = len(numbers)
    aggregated = pd.concat(parts, ignore_index=True)
    recorded = _of_part(_partial(results), "run")
    if recorded.empty:
        return aggregated
    recorded = _with_share(recorded).merge(aggregated[[*CELL, "curves"]].drop_duplicates(), on=CELL)
    return pd.concat([_without(aggregated, recorded), recorded], ignore_index=True)


@once
def unobserved_predictions(results: Results) -> pd.DataFrame:
    """Recorded predictions of curves of which nothing was observed (5.4.3), with their scores.

    Raises:
        NotRunError: there are none.
    """
    return _scored(results, _of_part(_with_parts(results.frame("unobserved")), "prediction"), "unobserved")


@once
def unobserved_scores(results: Results) -> pd.DataFrame:
    """Scores of predictions of curves of which nothing was observed (5.4.3): of each value, or of each curve.

    Raises:
        NotRunError: there are none.
    """
    frame = _with_parts(results.frame("unobserved"))
    recorded = _of_part(frame, "curve")
    parts = [recorded] if len(recorded) else []
    if len(_of_part(frame, "prediction")) or not parts:
        parts.append(unobserved_predictions(results).assign(runs=1))
    return pd.concat(parts, ignore_index=True)


@once
def by_set(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The scores of each set."""
    return {str(name): rows for name, rows in scores.groupby("benchmark", sort=False)}


@once
def by_share(scores: pd.DataFrame) -> list[tuple[float, pd.DataFrame]]:
    """The scores of one set at each share of the epochs, in ascending order."""
    return [(float(share), rows) for share, rows in scores.groupby("share", sort=True)]


@once
def by_curve(scores: pd.DataFrame, method: str, column: str) -> pd.Series:
    """A score of a method by curve, averaged over the runs; the rows are of one set and one share."""
    rows = scores[scores["method"] == method]
    if "runs" not in rows:
        return rows.groupby("number")[column].mean()
    weighted = rows.assign(weighted=rows[column] * rows["runs"]).groupby("number")[["weighted", "runs"]]
    sums = weighted.sum(min_count=1)
    return (sums["weighted"] / sums["runs"]).rename(column)


def paired(scores: pd.DataFrame, methods: tuple[str, str], column: str) -> tuple[NDArray[np.float64], ...]:
    """Scores of two methods on the curves that both predicted, (n,) each."""
    both = pd.concat([by_curve(scores, method, column) for method in methods], axis=1, join="inner")
    return tuple(both.to_numpy().T)


@once
def _partial(results: Results) -> pd.DataFrame:
    parts = [results.frame(name) for name in ("partial", "partial_once")]
    frame = pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
    return _with_parts(frame)


def _with_parts(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(part=frame["part"].fillna("prediction")) if "part" in frame else frame.assign(part="prediction")


def _of_part(frame: pd.DataFrame, part: str) -> pd.DataFrame:
    return frame[frame["part"] == part]


def _without(frame: pd.DataFrame, recorded: pd.DataFrame) -> pd.DataFrame:
    """Rows of a frame but for those of cells whose scores were recorded."""
    if recorded.empty:
        return frame
    cells = pd.MultiIndex.from_frame(recorded[CELL].drop_duplicates())
    return frame[~pd.MultiIndex.from_frame(frame[CELL]).isin(cells)]


def _with_share(rows: pd.DataFrame) -> pd.DataFrame:
    """Scores of last values, whose epoch is the number of all, with the share of the epochs that was seen."""
    return rows.assign(share=rows["observed"].astype(float) / rows["epoch"].astype(float))


def _scored(results: Results, frame: pd.DataFrame, experiment: str) -> pd.DataFrame:
    sets, parts = curve_sets(results), []
    for name, rows in frame.groupby("benchmark", sort=False) if len(frame) else ():
        if name not in sets:
            continue
        finished = sets[str(name)].finished().curves
        whole = scored(rows.astype({"number": int, "epoch": int}), finished).assign(epochs=finished.shape[1])
        parts.append(whole.assign(share=rows["observed"] / finished.shape[1]) if "observed" in rows else whole)
    if not parts:
        raise NotRunError(experiment)
    return pd.concat(parts, ignore_index=True)


@once
def table_runs(results: Results) -> pd.DataFrame:
    """benchmark, method, run, `finished` in seconds and regret of the three methods.

    Raises:
        NotRunError: none of them was run.
    """
    frames = [results.frame(name) for name in TABLE_EXPERIMENTS]
    frame = pd.concat([each for each in frames if len(each)] or frames[:1], ignore_index=True)
    frame = frame[frame["method"].isin(TABLE_METHODS)]
    if frame.empty:
        raise NotRunError(TABLE_EXPERIMENTS[0])
    return frame
