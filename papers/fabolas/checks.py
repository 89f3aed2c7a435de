"""Shapes of claims about the grid of support vector machines (4.2), subset sizes (4.4) and searches (4.5).

What is said of the thesis' grid is judged on the authors' own, and on ours; searches on the surrogate are judged on our
runs and on those of the authors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import (
    Check,
    Interval,
    absent,
    all_of,
    bootstrap_interval,
    cell_rows,
    each_of,
    frame_of,
    judge,
    pending,
    worded,
)
from core.report.figures.curves import BENCHMARK, OPTIMUM, authors_svm_runs
from core.report.runs.frames import CellNotRunError, shown_set
from core.report.runs.trajectories import SMALLEST
from core.report.statistics.intervals import mean, mean_difference, mean_ratio
from core.report.style import data_set_name
from core.report.verdicts.checks import outside
from core.report.verdicts.shapes.shape import Data, Experiment, Method, Methods, shape, shape_of
from core.report.verdicts.speedups import BoundedFactor, judge_factor, median_speedup, median_time, shown
from papers.fabolas.grid_runs import (
    DATA_SET,
    MachineGrid,
    authors_grid,
    machine_grid,
    noise_machines,
    observed_noise,
    share_text,
)
from papers.fabolas.search_runs import (
    AUTHORS,
    BY_TEXT,
    DESIGNS,
    SETS,
    SHARES,
    good_error,
    with_authors_overhead,
)

SEED = 4
MODELS_SEED = 5
RESAMPLES = 1000
MACHINES, POINTS = 400, 50_000  # of the grid in 4.2
SMALL = 1 / 128  # the subset of which 4.2 speaks
BAD = 0.8  # error with all of the data from which a machine counts as bad
TYPICAL = 0.9  # the error of bad machines
GOOD_SHARE = 0.1  # of the machines: the region of good ones
GOOD = 0.02 - OPTIMUM
"""Regret of a good configuration, whose error is 2%."""


def on_grid(check: Callable[..., Check]) -> Callable[..., Check]:
    """The shape of a check of a grid: a function of the grid and of the region, `lower` and `upper`, see `judge`."""

    def judged(
        results: Results,
        above: float = -math.inf,
        below: float = math.inf,
        data: Data = "ours",
    ) -> Check:
        if data == "authors":
            return check(authors_grid(results), lower=above, upper=below)
        grid = machine_grid(results)
        ours = check(grid, lower=above, upper=below)
        return _of_thesis_grid(ours, grid.name, grid.errors[-1].size, int(grid.points[-1]))

    return shape_of(check, judged)


@on_grid
def share_of_better_machines(grid: MachineGrid, **region: float) -> Check:
    """The share of machines better on all of the data than the one that is best on 1/128 of it."""

    def better(drawn: np.ndarray) -> np.ndarray:
        best = np.take_along_axis(drawn[..., 1], drawn[..., 0].argmin(1, keepdims=True), 1)
        return (drawn[..., 1] < best).mean(1)

    interval = bootstrap_interval(_at_both_ends(grid, grid.errors), better, SEED, RESAMPLES)
    return judge(interval, **region, detail="share of better machines")


@on_grid
def deceiving_optima(grid: MachineGrid, **region: float) -> Check:
    """The number of local optima among the best tenth on a subset of a size shown that are bad on all of the data.

    Bad is an error nearer to the 0.9 of bad machines than to the smallest.
    """
    bad = grid.errors[-1] > (TYPICAL + grid.errors[-1].min()) / 2
    parts = []
    for place in grid.shown:
        errors = grid.errors[place]
        deceiving = float((_local_optima(errors) & _best(errors) & bad).sum())
        part = judge(Interval.exact(deceiving), **region)
        parts.append(worded(part, f"s = {share_text(grid.shares[place])}", ".0f"))
    return all_of(parts)


@on_grid
def error_of_bad_machines(grid: MachineGrid, **region: float) -> Check:
    """The mean error of the machines that are above 0.8 on all of the data, at each size shown."""
    bad = grid.errors[-1] > BAD
    parts = []
    for place in grid.shown:
        interval = bootstrap_interval(grid.errors[place][bad], mean, SEED, RESAMPLES)
        parts.append(worded(judge(interval, **region), f"s = {share_text(grid.shares[place])}"))
    return all_of(parts, f"{int(bad.sum())} of {bad.size} machines")


@on_grid
def overlap_of_the_best(grid: MachineGrid, **region: float) -> Check:
    """The part of the best tenth of the machines on all of the data that is also in the best tenth on 1/128 of it."""
    small, whole = (_best(grid.errors[place]) for place in (grid.at(SMALL), -1))
    interval = bootstrap_interval(small[whole].astype(float), mean, SEED, RESAMPLES)
    return judge(interval, **region, detail=f"share of {int(whole.sum())} machines")


@on_grid
def range_over_growth(grid: MachineGrid, **region: float) -> Check:
    """The range of log time over the machines, 5% to 95%, at s = 1, over the mean growth from 1/128 to 1."""

    def ratio(drawn: np.ndarray) -> np.ndarray:
        low, high = np.quantile(drawn[..., 1], (0.05, 0.95), axis=1)
        return (high - low) / (drawn[..., 1] - drawn[..., 0]).mean(1)

    return judge(bootstrap_interval(_at_both_ends(grid, np.log(grid.seconds)), ratio, SEED, RESAMPLES), **region)


@on_grid
def growth_of_the_longest(grid: MachineGrid, **region: float) -> Check:
    """The longest training time at s = 1, 95% over the machines, over that at 1/128."""

    def growth(drawn: np.ndarray) -> np.ndarray:
        return 10.0 ** np.subtract(*np.quantile(drawn[..., ::-1], 0.95, axis=1).T)

    interval = bootstrap_interval(_at_both_ends(grid, np.log10(grid.seconds)), growth, SEED, RESAMPLES)
    return judge(interval, **region, detail="factor")


def _at_both_ends(grid: MachineGrid, values: np.ndarray) -> np.ndarray:
    """Values (S, n, n) of each machine on 1/128 of the data and on all of it, (machines, 2)."""
    return values[[grid.at(SMALL), -1]].reshape(2, -1).T


def _local_optima(errors: np.ndarray) -> np.ndarray:
    """Whether each machine of a grid (n, n) is better than its eight neighbours."""
    n, padded = len(errors), np.pad(errors, 1, constant_values=np.inf)
    around = [padded[i : i + n, j : j + n] for i in range(3) for j in range(3) if (i, j) != (1, 1)]
    return (errors < np.stack(around)).all(0)


def _best(errors: np.ndarray) -> np.ndarray:
    """Whether each machine is among the best tenth, those as good as the last of them included."""
    return errors <= np.quantile(errors, GOOD_SHARE, method="lower")


@shape
def error_of_extrapolation(
    results: Results, experiment: Experiment, quantity: Literal["error", "log seconds"], below: float
) -> Check:
    """The mean absolute error at s = 1 over that of the value on the largest training subset is below a limit."""
    frame = frame_of(results, experiment)
    rows, keys = frame[frame["quantity"] == quantity], ["run", "machine"]
    last = rows[rows["trained"]].sort_values("share").groupby(keys)["actual"].last().rename("last")
    whole = rows[rows["share"] == 1].join(last, on=keys, how="inner")
    wrong = tuple(np.abs(whole[value] - whole["actual"]).to_numpy() for value in ("mean", "last"))
    interval = bootstrap_interval(wrong, mean_ratio, MODELS_SEED, RESAMPLES, paired=True)
    detail = f"{len(whole)} predictions, {wrong[0].mean():.3g} against {wrong[1].mean():.3g}"
    return judge(interval, upper=below, detail=detail)


@shape
def noise_decreases(results: Results) -> Check:
    """The slope of the logarithm of the mean variance over the machines against that of the size; below 0."""
    noise = {share: values for share, values in observed_noise(results).items() if share < 1}
    x = np.log2(list(noise)) - np.log2(list(noise)).mean()

    def slope(drawn: np.ndarray) -> np.ndarray:
        return np.log2(np.maximum(drawn.mean(1), SMALLEST)) @ x / (x @ x)

    interval = bootstrap_interval(np.stack(list(noise.values()), axis=1), slope, SEED, RESAMPLES)
    sizes = f"s = {share_text(min(noise))} to {share_text(max(noise))}, exponent"
    return _of_thesis_grid(judge(interval, upper=0.0, detail=sizes), *noise_machines(results))


@shape
def model_noise_above_subsampling(results: Results) -> Check:
    """The mean estimate over the machines' mean variance, for each size below all of the data; above 1."""
    frame, parts = frame_of(results, "size_noise"), []
    estimates = frame.groupby("share")["noise"].mean()
    for share, noise in observed_noise(results).items():
        if share == 1 or share not in estimates.index:
            continue
        interval = bootstrap_interval(noise, lambda v, e=estimates[share]: e / v.mean(1), MODELS_SEED, RESAMPLES)
        parts.append(worded(judge(interval, lower=1.0), f"s = {share_text(share)}"))
    return _of_thesis_grid(all_of(parts), *noise_machines(results))


def _of_thesis_grid(check: Check, name: str, machines: int, points: int) -> Check:
    """The check itself if it is of the thesis' grid, `outside` if that is of fewer machines, points or another set.

    What other grids show of the thesis' grid is outside, whichever way it comes out.

    Args:
        name: data set.
        machines: number of machines at each size.
        points: number of training points of all of the data.
    """
    if (name, machines, points) == (DATA_SET, MACHINES, POINTS):
        return check
    ours = f"{machines} on {points:,} points of {data_set_name(name)}"
    return outside(check, f"said of {MACHINES} machines on {POINTS:,} images of MNIST, seen with {ours}")


@shape
def sooner_on_surrogate(
    results: Results,
    slow: Method,
    fast: Method,
    above: float,
    below: float = math.inf,
    regret: float = GOOD,
    data: Data = "ours",
) -> Check:
    """The median time of one method to a regret over that of another lies between two factors."""
    runs = _searches(results, data)
    if lacking := runs.lacking(slow, fast):
        return lacking
    factor = median_speedup(runs.frame, runs.name, slow, fast, regret)
    if {slow, fast} <= set(SHARES):  # MTBO with one auxiliary task and with another
        words = f"{SHARES[fast]} over {SHARES[slow]}: "
    else:
        words = f"{fast} over {slow}{runs.variants(slow, fast, regret)}: "
    return judge_factor(factor, (above, below), words)


@shape
def seconds_on_surrogate(
    results: Results, method: Method, above: float, below: float, regret: float = GOOD, data: Data = "ours"
) -> Check:
    """The median time of a method to a regret lies between two."""
    runs = _searches(results, data)
    if lacking := runs.lacking(method):
        return lacking
    return judge_factor(median_time(runs.frame, runs.name, method, regret), (above, below), f"{method}, seconds: ")


@dataclass(frozen=True)
class Searches:
    """Runs on a surrogate.

    Attributes:
        frame: Incumbents over the time of searches, or published runs in their form.
        name: Benchmark.
        ours: Whether they are ours, and have variants.
    """

    frame: pd.DataFrame
    name: str
    ours: bool

    def lacking(self, *methods: str) -> Check | None:
        """The part about a method that the authors' runs lack; None if all are there.

        Raises:
            CellNotRunError: our runs lack one.
        """
        for method in methods:
            if method not in set(self.frame["method"]):
                if self.ours:
                    raise CellNotRunError(self.name, method, alone=False, words=SHARES.get(method, method))
                return absent(method)
        return None

    def variants(self, slow: str, fast: str, regret: float) -> str:
        """The speed-up of our runs with the authors' overhead, and by the settings of the text, in words.

        Of the authors' runs, what their clock counts.
        """
        if not {slow, fast} & set(DESIGNS):
            return ""
        if not self.ours:
            return " (by their clock, which adds the logarithms of seconds of training)"
        pairs = {"with the authors' overhead": (with_authors_overhead(self.frame), slow, fast)}
        text = [BY_TEXT.get(method, method) for method in (slow, fast)]
        if text != [slow, fast] and set(text) <= set(self.frame["method"]):
            pairs["by the text's settings"] = (self.frame, *text)
        factors = {words: median_speedup(frame, self.name, *pair, regret) for words, (frame, *pair) in pairs.items()}
        return f" ({'; '.join(f'{words}: {shown(factor.value)}' for words, factor in factors.items())})"


def _searches(results: Results, data: Data) -> Searches:
    if data == "authors":
        return Searches(authors_svm_runs(), BENCHMARK, ours=False)
    frame = frame_of(results, "surrogate", "auxiliary")
    return Searches(frame, shown_set(frame, AUTHORS), ours=True)


@shape
def sooner_when_training(
    results: Results, experiment: Experiment, slow: Methods, fast: Method, above: float, below: float
) -> Check:
    """The median time of other methods to a good configuration over that of one lies between two factors, on each set.

    A search has found one when the test error of its incumbent is as near to the smallest as `good_error` says.
    """

    def over(frame: pd.DataFrame, name: str, other: str) -> Check:
        level = good_error(experiment, frame.loc[frame["benchmark"] == name, "error"].min())
        factor = median_speedup(frame, name, other, fast, level, "error")
        return judge_factor(factor, (above, below), f"{SETS[experiment][name]}, over {other}: ")

    return _on_sets(results, experiment, slow, over)


@shape
def time_of_the_first_incumbent(
    results: Results,
    experiment: Experiment,
    method: Method,
    others: Methods,
    seed: int,
    words: str,
    above: float = 0.0,
    below: float = math.inf,
) -> Check:
    """The geometric mean of the times of one method's first incumbents over that of others', on each data set.

    Args:
        words: What the factor is, with {} for the other method.
    """

    def over(frame: pd.DataFrame, name: str, other: str) -> Check:
        rows = [cell_rows(frame, name, each) for each in (method, other)]
        first = tuple(np.log10(each.groupby("run")["finished"].min()) for each in rows)
        interval = bootstrap_interval(first, mean_difference, seed)
        factor = BoundedFactor(interval, interval)
        return judge_factor(factor, (above, below), f"{SETS[experiment][name]}, {words.format(other)}: ")

    return _on_sets(results, experiment, others, over)


@shape
def ends_near_the_smallest(results: Results, experiment: Experiment, method: Method, below: float, seed: int) -> Check:
    """The mean test error at the end of a method's runs over the smallest of any incumbent, on each data set."""

    def at_the_end(frame: pd.DataFrame, name: str, method: str) -> Check:
        smallest = frame.loc[frame["benchmark"] == name, "error"].min()
        last = cell_rows(frame, name, method).groupby("run")["error"].last().to_numpy() / smallest
        interval = bootstrap_interval(last, mean, seed)
        words = f"{SETS[experiment][name]}: {interval.text()} times the smallest error"
        return judge(interval, upper=below, detail=words)

    return _on_sets(results, experiment, (method,), at_the_end)


def _on_sets(
    results: Results, experiment: str, methods: Sequence[str], check: Callable[[pd.DataFrame, str, str], Check]
) -> Check:
    """A check of several methods on each data set of an experiment."""
    frame = frame_of(results, experiment)
    run = frame.groupby("benchmark")["method"].agg(set)

    def on(name: str) -> Check:
        return all_of(each_of(methods, run[name], lambda method: check(frame, name, method), missing=pending))

    return all_of(each_of(SETS[experiment], run.index, on, SETS[experiment].__getitem__))
