"""Incumbents, regret and wall-clock of optimization runs: one definition for every table and figure.

* The **incumbent** after n evaluations is the best of them by the loss that the optimizer saw: a running minimum, the
  first of ties. On a table (thesis 7.4) that is the lowest validation error observed so far, of one repetition and
  on any budget. It is not the best by test error, which no optimizer sees, nor the best by the average over the
  repetitions, nor the best on the largest budget alone (that is `core.study.record.incumbent`).
* The **immediate regret** after n evaluations is the incumbent's noise-free loss minus the smallest one there is.
  It is not the regret of evaluation n alone (which moves up and down), not the cumulative regret (a sum over all n),
  and not the regret of the point that a model predicts to be best.
* The **test regret** on a table is the incumbent's test error, averaged over its repetitions after all epochs, minus
  the lowest average test error of the table. It is never negative, and it can rise, since validation chooses. The
  observed validation error minus the test optimum (or the validation optimum of averages) can be negative.
* The **wall-clock** of a run is the sum of the costs of its evaluations, one after the other: on a table the stored
  seconds of training times the share of the epochs. Every evaluation trains from scratch, even one that continues a
  configuration from a smaller budget, and the time of the optimizer itself is not counted. With several workers it
  is the simulated clock instead (`Record.finished`).
* Runs are averaged at equal numbers of evaluations; a band is the mean with its standard error over the runs. Over
  time each run is a **step function**: at time t it has the value of the last evaluation that had finished by then,
  nothing before the first, and the final value after its end.

Arrays are (runs, n), evaluations in order. In records over time, a run has one row with `run`, `finished` and a metric
for each new incumbent and for its end. Before the first evaluation of a run has finished, its value at a time is that
of the first incumbent, a random configuration, so that all runs count in every mean. While all evaluations of a run
have failed, its loss is the worst there is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.report.runs.frames import NotRunError, cell_rows, once, split_runs
from core.study.curves import at_times

SMALLEST = 1e-12  # smaller regrets are rounding errors; log axes and logarithms stop there


@once
def per_run(frame: pd.DataFrame, metric: str, benchmark: str, method: str) -> np.ndarray:
    """A metric of one cell, (runs, n): failed evaluations hold the worst-case loss that they were recorded with.

    Evaluations without a row, before the last of their run, have the values of the one before: where improvements alone
    are recorded, each run is that of its incumbent.

    Raises:
        NotRunError: the cell has no rows.
    """
    rows = cell_rows(frame, benchmark, method)
    table = rows.pivot(index="run", columns="evaluation", values=metric)
    if len(rows) < table.size or table.shape[1] < rows["evaluation"].max():
        last = rows.groupby("run")["evaluation"].max()
        table = table.reindex(columns=range(1, last.max() + 1)).ffill(axis=1)
        table = table.where(table.columns.to_numpy() <= last.loc[table.index].to_numpy()[:, None])
    values = table.to_numpy(dtype=float, copy=True)
    values.setflags(write=False)  # shared by all who ask for it
    return values


def incumbent(losses: np.ndarray) -> np.ndarray:
    """The loss of the incumbent after each evaluation, (runs, n)."""
    return np.minimum.accumulate(losses, axis=1)


def regret_over_time(frame: pd.DataFrame, benchmark: str, method: str, times: np.ndarray) -> np.ndarray:
    """Regret of one cell's runs, which may differ in length, on a common grid of seconds, (runs, m).

    Args:
        frame: Frame with columns run, finished and regret: for each run the steps of its incumbent in order, as of
            `core.experiment.search.on_table`.

    Raises:
        NotRunError: the cell has no rows.
    """
    steps = split_runs(cell_rows(frame, benchmark, method), "finished", "regret")
    return np.stack([at_times(finished, regret, times) for finished, regret in steps])


def log_regret(regret: np.ndarray) -> np.ndarray:
    """Logarithm to base 10 of a regret, elementwise, rounding errors below 0 and tiny values at `SMALLEST`."""
    return np.asarray(np.log10(np.maximum(regret, SMALLEST)))


def final_log_regret(frame: pd.DataFrame, benchmark: str, method: str) -> np.ndarray:
    """`log_regret` of the last incumbent of each of a cell's runs, (runs,); raises as `per_run`."""
    return log_regret(incumbent(per_run(frame, "regret", benchmark, method))[:, -1])


def common_ends(frame: pd.DataFrame, metric: str, benchmark: str, methods: Sequence[str]) -> list[np.ndarray]:
    """Values of the incumbents of several methods after as many evaluations, and in as many runs, as all of them have.

    Runs of the same number are pairs. Cells differ in both where only some of them run the paper's whole protocol.

    Returns:
        (runs,) for each method; raises as `per_run`.
    """
    values = [incumbent(per_run(frame, metric, benchmark, method)) for method in methods]
    runs, evaluations = (min(each.shape[axis] for each in values) for axis in (0, 1))
    return [each[:runs, evaluations - 1] for each in values]


def mean_and_sem(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean over the runs and its standard error, (n,) each; for a single run the error is 0."""
    runs = len(values)
    sem = values.std(axis=0, ddof=1) / np.sqrt(runs) if runs > 1 else np.zeros(values.shape[1])
    return values.mean(axis=0), sem


def median_and_quartiles(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """25%, 50% and 75% quantile over the runs, (n,) each; nan wherever a run has no value yet."""
    low, median, high = np.quantile(values, (0.25, 0.5, 0.75), axis=0)
    return low, median, high


ROUNDING = 1e-9  # relative: budgets that add up to a time, except for rounding, have been spent by then


def over_time(rows: pd.DataFrame, times: np.ndarray, metric: str = "regret") -> np.ndarray:
    """Values of one cell's runs at ascending times (m,), (runs, m).

    Args:
        rows: Rows of the cell; for the metric `loss` with the columns `evaluation` and `worst_loss` as well.
    """
    curves, times = [], times * (1 + ROUNDING)
    for number, (finished, values) in enumerate(split_runs(rows, "finished", metric)):
        before = values[0]
        if metric == "loss" and split_runs(rows, "evaluation")[number][0][0] > 1:
            before = split_runs(rows, "worst_loss")[number][0][0]  # evaluations count from 1: earlier ones failed
        curve = at_times(finished, values, times)
        curves.append(np.where(np.isnan(curve), before, curve))
    return np.stack(curves)


def times_of(frame: pd.DataFrame, benchmark: str, methods: Sequence[str], points: int) -> np.ndarray:
    """Times on a logarithmic grid, (m,): from the first incumbent of these methods to the end of the longest of them.

    Raises:
        NotRunError: none of them was run.
    """
    rows = frame[(frame["benchmark"] == benchmark) & frame["method"].isin(methods)]
    if rows.empty:
        raise NotRunError(benchmark)
    first = rows["finished"].min()
    last = rows.groupby(["method", "run"])["finished"].max().groupby("method").min().max()
    return np.geomspace(first, max(last, first * (1 + ROUNDING)), points)


@once
def end_of(rows: pd.DataFrame) -> float:
    """When the first of a cell's runs ended."""
    return float(rows.groupby("run")["finished"].max().min())


def continued(frame: pd.DataFrame) -> pd.DataFrame:
    """Runs with their last incumbents kept until the longest run of their cell ends."""
    ends = frame.groupby(["benchmark", "method", "run"], observed=True).tail(1)
    ends = ends.assign(finished=ends.groupby(["benchmark", "method"], observed=True)["finished"].transform("max"))
    order = ["benchmark", "method", "run", "finished"]
    return pd.concat([frame, ends], ignore_index=True).sort_values(order, kind="stable", ignore_index=True)
