"""Claims about the grid of support vector machines (4.2) and the noise of subsampling (4.4.5).

Intervals are over the machines of the grid, whose errors and times were found once. A statement about local optima has
none. All of them describe the thesis' grid of 400 machines on 50,000 images, see `of_thesis_grid`.
"""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, Interval, all_of, bootstrap_interval, claim, judge, worded
from core.report.runs.trajectories import SMALLEST
from papers.fabolas.artifacts.grid_figures import observed_noise
from papers.fabolas.claims.thesis_grid import of_thesis_grid, on_both_grids
from papers.fabolas.grid_runs import MachineGrid, noise_machines, share_text

SEED = 4
RESAMPLES = 1000
SMALL = 1 / 128  # the subset of which 4.2 speaks
BAD = 0.8  # error with all of the data from which a machine counts as bad
AROUND = (0.85, 0.95)  # "around 0.9"
GOOD_SHARE = 0.1  # of the machines: the region of good ones


@claim(
    artifact="fig4_1",
    place="thesis 4.2, Fig 4.1",
    sentence="1/128 of the data is enough to locate a reasonable configuration.",
    published="few",
    headline="1/128 of the data locates good settings",
)
def small_subset_locates_the_good_region(results: Results) -> Check:
    """The share of machines better on all of the data than the one that is best on 1/128 of it; below a tenth."""

    def better(drawn: np.ndarray) -> np.ndarray:
        best = np.take_along_axis(drawn[..., 1], drawn[..., 0].argmin(1, keepdims=True), 1)
        return (drawn[..., 1] < best).mean(1)

    def check(grid: MachineGrid) -> Check:
        samples = grid.errors[[grid.at(SMALL), -1]].reshape(2, -1).T
        interval = bootstrap_interval(samples, better, SEED, RESAMPLES)
        return judge(interval, upper=GOOD_SHARE, detail="share of better machines")

    return on_both_grids(results, check)


@claim(
    artifact="fig4_1",
    place="thesis 4.2, Fig 4.1",
    sentence="Smaller subsets have no deceiving local optima.",
    published="none",
)
def no_deceiving_optima(results: Results) -> Check:
    """How many local optima among the best tenth on a subset of a size shown are bad on all of the data: none.

    Bad is an error nearer to the 0.9 of bad machines than to the smallest.
    """

    def check(grid: MachineGrid) -> Check:
        bad = grid.errors[-1] > (sum(AROUND) / 2 + grid.errors[-1].min()) / 2
        parts = []
        for place in grid.shown:
            errors = grid.errors[place]
            deceiving = float((_local_optima(errors) & _best(errors) & bad).sum())
            part = judge(Interval.exact(deceiving), upper=0.5)
            parts.append(worded(part, f"s = {share_text(grid.shares[place])}", ".0f"))
        return all_of(parts)

    return on_both_grids(results, check)


@claim(
    artifact="fig4_1",
    place="thesis 4.2, caption of Fig 4.1",
    sentence="The error of bad configurations is around 0.9 whatever the size of the subset.",
    published="about 0.9",
)
def bad_configurations_stay_bad(results: Results) -> Check:
    """The mean error of the machines that are above 0.8 on all of the data is in (0.85, 0.95) at each size shown."""

    def check(grid: MachineGrid) -> Check:
        bad = grid.errors[-1] > BAD
        parts = []
        for place in grid.shown:
            interval = bootstrap_interval(grid.errors[place][bad], lambda e: e.mean(1), SEED, RESAMPLES)
            parts.append(worded(judge(interval, *AROUND), f"s = {share_text(grid.shares[place])}"))
        return all_of(parts, f"{int(bad.sum())} of {bad.size} machines")

    return on_both_grids(results, check)


@claim(
    artifact="fig4_1",
    place="thesis 4.2, caption of Fig 4.1",
    sentence="The region of good configurations does not change drastically with the size of the subset.",
    published="similar",
)
def good_region_is_stable(results: Results) -> Check:
    """Over half of the tenth of the machines that is best on all of the data is in the best tenth on 1/128 of it."""

    def check(grid: MachineGrid) -> Check:
        best = [_best(grid.errors[place]) for place in (grid.at(SMALL), -1)]
        overlap = best[0][best[1]].astype(float)
        interval = bootstrap_interval(overlap, lambda inside: inside.mean(1), SEED, RESAMPLES)
        return judge(interval, lower=0.5, detail=f"share of {int(best[1].sum())} machines")

    return on_both_grids(results, check)


@claim(
    artifact="fig4_1",
    place="thesis 4.2, caption of Fig 4.1",
    sentence="The hyperparameters affect the training time less dramatically than the size of the subset does.",
    published="less",
)
def size_matters_most_for_time(results: Results) -> Check:
    """The range of log time over the machines, 5% to 95%, at s = 1, over the mean growth from 1/128 to 1; below 1."""

    def ratio(drawn: np.ndarray) -> np.ndarray:
        low, high = np.quantile(drawn[..., 1], (0.05, 0.95), axis=1)
        return (high - low) / (drawn[..., 1] - drawn[..., 0]).mean(1)

    def check(grid: MachineGrid) -> Check:
        samples = np.log(grid.seconds[[grid.at(SMALL), -1]]).reshape(2, -1).T
        return judge(bootstrap_interval(samples, ratio, SEED, RESAMPLES), upper=1.0)

    return on_both_grids(results, check)


@claim(
    artifact="fig4_1",
    place="thesis 4.2",
    sentence="Machines that train in a few seconds on 1/128 of the data take up to a few hours on all of it.",
    published="over 1000",
)
def small_subsets_are_cheap(results: Results) -> Check:
    """The longest training time at s = 1, 95% over the machines, over that at 1/128; above 1000, hours over seconds."""

    def growth(drawn: np.ndarray) -> np.ndarray:
        return 10.0 ** np.subtract(*np.quantile(drawn[..., ::-1], 0.95, axis=1).T)

    def check(grid: MachineGrid) -> Check:
        samples = np.log10(grid.seconds[[grid.at(SMALL), -1]]).reshape(2, -1).T
        interval = bootstrap_interval(samples, growth, SEED, RESAMPLES)
        return judge(interval, lower=1000.0, detail="factor")

    return on_both_grids(results, check)


@claim(
    artifact="fig4_4",
    place="thesis 4.4.5, Fig 4.4",
    sentence="The noise of subsampling decreases as the subset grows.",
    published="decreases",
)
def noise_decreases(results: Results) -> Check:
    """The slope of the logarithm of the mean variance over the machines against that of the size; below 0."""
    noise = {share: values for share, values in observed_noise(results).items() if share < 1}
    x = np.log2(list(noise)) - np.log2(list(noise)).mean()

    def slope(drawn: np.ndarray) -> np.ndarray:
        return np.log2(np.maximum(drawn.mean(1), SMALLEST)) @ x / (x @ x)

    interval = bootstrap_interval(np.stack(list(noise.values()), axis=1), slope, SEED, RESAMPLES)
    sizes = f"s = {share_text(min(noise))} to {share_text(max(noise))}, exponent"
    return of_thesis_grid(judge(interval, upper=0.0, detail=sizes), *noise_machines(results))


def _local_optima(errors: np.ndarray) -> np.ndarray:
    """Whether each machine of a grid (n, n) is better than its eight neighbours."""
    n, padded = len(errors), np.pad(errors, 1, constant_values=np.inf)
    around = [padded[i : i + n, j : j + n] for i in range(3) for j in range(3) if (i, j) != (1, 1)]
    return (errors < np.stack(around)).all(0)


def _best(errors: np.ndarray) -> np.ndarray:
    """Whether each machine is among the best tenth, those as good as the last of them included."""
    return errors <= np.quantile(errors, GOOD_SHARE, method="lower")
