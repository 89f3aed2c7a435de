"""What chapter 7 says of a table, or of a pair of them, in numbers that can be resampled.

Of one table: errors, noise, importances, the best configuration. Of a pair of data sets, on the configurations that
both tables have (7.3.3): how alike their rankings and best configurations are; where rankings are compared, repetitions
of the first are resampled. A statistic has a name, by which records of the authors' tables have its values on resamples
(experiments `authors_statistics` and `authors_pairs`): claims are judged from those as they are from a table itself.

The bootstrap over the R repetitions of a table is exact: all R^R resamples are weighed, a resample and its permutations
computed once (35 of the 256 of R = 4). The interval's ends are those of `core.report.statistics.intervals`, as in
`core.report.statistics.intervals`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import Protocol

import numpy as np
import pandas as pd

from core.report.runs.frames import once
from core.report.statistics.intervals import Interval, bootstrap_draws, intervals_of
from core.tabular.analysis import (
    best_positions,
    centred_ranks,
    correlation_of_ranks,
    correlations_with_the_last,
    finite_errors,
    spearman,
    table_importances,
)
from core.tabular.grid import FULL_SHAPE
from core.tabular.table import Table
from core.tabular.values import VALUES
from papers.tabular.trained_tables import IMPORTANCE_SHARES, noise_of

SMALL_ERROR = 0.3
MAGNITUDES = 100.0  # the least that is "orders of magnitude"
WITHOUT_OUTLIERS = 0.99  # of the configurations: "a few" are the worst per cent
SEED, PAIR_SEED = 7, 8
RESAMPLES = 1000  # of the many configurations
FEWER, MANY = 200, 10_000  # resamples of more configurations than that, over which quantiles hardly vary
ACTIVATIONS = ("activation_fn_1", "activation_fn_2")


@dataclass(frozen=True)
class Resamples:
    """A statistic and its values on resamples: a few dozen numbers from which an interval follows without the table.

    Attributes:
        estimate: Value of what was resampled.
        drawn: Values on the different resamples, (k,).
        weights: How often each of these is drawn, (k,).
        size: How many things were resampled: repetitions, or configurations.
    """

    estimate: float
    drawn: np.ndarray
    weights: np.ndarray
    size: int

    def interval(self, level: float = 0.95) -> Interval:
        """The estimate and the ends of its bootstrap interval."""
        drawn = np.repeat(self.drawn, self.weights)[:, None]
        (interval,) = intervals_of(drawn, np.array([self.estimate]), self.size, level)
        return interval


def over_repetitions(table: Table, statistic: Callable[[Table], float]) -> Resamples:
    """A statistic of a table on all resamples of its repetitions; learning curves are left out of these."""
    resamples = _resamples(table)
    drawn = np.array([statistic(resample) for resample, _ in resamples], dtype=float)
    weights = np.array([weight for _, weight in resamples])
    return Resamples(float(statistic(replace(table, curves=None))), drawn, weights, table.repetitions)


@once
def _resamples(table: Table) -> list[tuple[Table, int]]:
    """Every resample of a table without its learning curves, and how often it is drawn; claims share them.

    Ordered draws that are the same but for their order are one resample.
    """
    stored = {name: getattr(table, name) for name in ("train_mse", "valid_mse", "test_mse", "seconds")}
    resamples = []
    for picks in combinations_with_replacement(range(table.repetitions), table.repetitions):
        drawn = {name: values[..., list(picks)] for name, values in stored.items() if values is not None}
        weight = factorial(len(picks)) // prod(map(factorial, Counter(picks).values()))
        resamples.append((replace(table, curves=None, **drawn), weight))
    return resamples


class Resampled(Protocol):
    """A number of a table that can be resampled."""

    @property
    def name(self) -> str: ...

    def resamples(self, table: Table) -> Resamples: ...


@dataclass(frozen=True)
class Statistic:
    """A number of a table, resampled over its repetitions."""

    name: str
    of: Callable[[Table], float]

    def __call__(self, table: Table) -> float:
        return float(self.of(table))

    def resamples(self, table: Table) -> Resamples:
        return over_repetitions(table, self)


@dataclass(frozen=True)
class NoiseRatio:
    """90% over 10% quantile of the final noise, resampled over the configurations.

    Resampled repetitions would hide it. Configurations with a diverged repetition are left out.
    """

    name: str = "noise_ratio"

    def resamples(self, table: Table) -> Resamples:
        noise = finite_noise(table)[:, -1]
        ratio = lambda noise: np.divide(*np.quantile(noise, (0.9, 0.1), axis=1))[:, None]  # noqa: E731
        drawn, estimate, size = bootstrap_draws(noise, ratio, SEED, FEWER if len(noise) > MANY else RESAMPLES)
        return Resamples(float(estimate[0]), drawn[:, 0], np.ones(len(drawn), int), size)


@dataclass(frozen=True)
class LargerBatch:
    """Relative change of the best configuration's error when its batch size is doubled; nan if it is the largest.

    The configuration is the best of the table, also where resampled repetitions have another.
    """

    name: str = "larger_batch"

    def resamples(self, table: Table) -> Resamples:
        start, sizes = table.best_configuration, table.grid.values["batch_size"]
        after = sizes[sizes.index(start["batch_size"]) + 1 :]
        if not after:
            return over_repetitions(table, lambda _: np.nan)
        positions = table.grid.positions([start, start | {"batch_size": after[0]}])
        return over_repetitions(table, lambda drawn: float(np.divide(*drawn.mean_final[positions][::-1])) - 1)


def finite_noise(table: Table) -> np.ndarray:
    """Noise of the configurations without a diverged repetition, (m, B)."""
    noise = noise_of(table)
    return noise[np.isfinite(noise).all(axis=1)]


def spread_of(part: str) -> Statistic:
    """Largest finite average error over the smallest, of the `train`, `valid` or `test` part."""

    def spread(table: Table) -> float:
        averages = getattr(table, f"mean_{part}")
        errors = finite_errors(averages if part == "test" else averages[:, -1])
        return errors.max() / errors.min()

    return Statistic(f"spread_{part}", spread)


def excess_of(choice: Mapping[str, object]) -> Statistic:
    """How far the best configuration with these values is above the best of all, relative to that."""

    def excess(table: Table) -> float:
        chosen = {name: table.grid.values[name].index(value) for name, value in choice.items()}
        levels = dict(zip(table.grid.values, table.grid.levels(np.arange(table.grid.size)).T, strict=True))
        having = np.all([levels[name] == index for name, index in chosen.items()], axis=0)
        return table.mean_final[having].min() / table.mean_final.min() - 1

    return Statistic("excess_" + "_".join(map(str, choice.values())), excess)


def change_of_the_rate(share: float) -> Statistic:
    """The initial learning rate's part of all single importances among a share of the best, minus that over all."""
    return Statistic(f"change_of_the_rate_{share}", lambda table: _part(table, share) - _part(table, 1.0))


def _lead_of_the_rate(table: Table) -> float:
    singles = _singles(table, 1.0)
    return singles["init_lr"] - singles.drop("init_lr").max()


def _lead_of_pairs(table: Table) -> float:
    largest = table_importances(table).groupby("order")["importance"].max()
    return largest[2] - largest[1]


SMALL_ERRORS = Statistic("small_errors", lambda table: (table.mean_final < SMALL_ERROR).mean())
"""Share of configurations with an average error below 0.3."""
OUTLIERS = Statistic("outliers", lambda table: (table.mean_final > MAGNITUDES * np.median(table.mean_final)).mean())
"""Share of configurations whose average error is a hundred times the median or diverged. The median serves as the
average: outliers raise the mean, so few errors can be a multiple of it."""
LARGEST = Statistic("largest", lambda table: finite_errors(table.mean_final).max() / np.median(table.mean_final))
"""Largest finite average error over the median."""
LEAD_OF_THE_RATE = Statistic("lead_of_the_rate", _lead_of_the_rate)
"""Importance of the initial learning rate minus the next largest single one, all configurations."""
LARGEST_SINGLE = Statistic("largest_single", lambda table: _singles(table, 1.0).max())
"""Largest single importance over the whole grid."""
EFFECT_OF_OUTLIERS = Statistic(
    "effect_of_outliers", lambda table: _singles(table, WITHOUT_OUTLIERS).max() - _singles(table, 1.0).max()
)
"""Largest single importance without the worst per cent of the configurations minus that of all."""
LEAD_OF_PAIRS = Statistic("lead_of_pairs", _lead_of_pairs)
"""Largest importance of a pair minus that of a single hyperparameter, all configurations."""
TIMES = Statistic("times", lambda table: table.mean_seconds.max() / table.mean_seconds.min())
"""Longest average training over the shortest."""
STEP = Statistic("step", lambda table: np.diff(correlations_with_the_last(table, 1.0, table.epochs)).min())
"""Smallest step of the correlation with the last ranking from one stored budget to the next, all configurations."""
LARGER_BATCH, NOISE_RATIO = LargerBatch(), NoiseRatio()

RATE: dict[str, object] = {"init_lr": 0.0005}
"""The rate that is said to serve all sets (7.3.3)."""
PAIRS_OF_ACTIVATIONS = tuple(
    dict(zip(ACTIVATIONS, pair, strict=True)) for pair in product(*(VALUES[name] for name in ACTIVATIONS))
)
OF_VALIDATION_ERRORS: tuple[Resampled, ...] = (
    spread_of("valid"),
    SMALL_ERRORS,
    OUTLIERS,
    LARGEST,
    LEAD_OF_THE_RATE,
    LARGEST_SINGLE,
    EFFECT_OF_OUTLIERS,
    LEAD_OF_PAIRS,
    *map(change_of_the_rate, IMPORTANCE_SHARES[:-1]),
    LARGER_BATCH,
    NOISE_RATIO,
    *map(excess_of, (RATE, *PAIRS_OF_ACTIVATIONS)),
)
"""The statistics that need final validation errors alone, which are recorded of the authors' tables."""


@once
def _singles(table: Table, share: float) -> pd.Series:
    return table_importances(table, share, order=1).set_index("hyperparameters")["importance"]


def _part(table: Table, share: float) -> float:
    singles = _singles(table, share)
    return singles["init_lr"] / singles.sum()


_ranks, _best_share = once(centred_ranks), once(best_positions)
"""Of errors over the whole grid, once for all pairs of sets and statistics."""


@dataclass(frozen=True)
class PairStatistic:
    """A number of the average errors (n,) of the same configurations on two data sets, the order of which matters."""

    name: str
    of: Callable[[np.ndarray, np.ndarray], float]

    def resamples(self, first: Table, second: Table) -> Resamples:
        common = np.intersect1d(first.grid.indices, second.grid.indices, assume_unique=True)
        here, there = (table.grid.positions_of(common) for table in (first, second))
        other = _errors_at(second, there)
        return over_repetitions(first, lambda table: float(self.of(_errors_at(table, here), other)))


@dataclass(frozen=True)
class Differing:
    """In how many hyperparameters the best configurations of two sets differ; repetitions of both are resampled."""

    name: str = "differing"

    def resamples(self, first: Table, second: Table) -> Resamples:
        (ours, here), (theirs, there) = map(_possible_bests, (first, second))

        def differing(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            return (here[_best(a)] != there[_best(b)]).sum(axis=1)[:, None]

        drawn, estimate, size = bootstrap_draws((ours.T, theirs.T), differing, PAIR_SEED, RESAMPLES)
        values, counts = np.unique(drawn[:, 0].astype(float), return_counts=True)
        return Resamples(float(estimate[0]), values, counts, size)


def agreement(share: float) -> PairStatistic:
    """Rank correlation of the errors of a share of the configurations, those that are best on the first set."""
    return PairStatistic(f"agreement_{share}", lambda first, second: _agreement(first, second, share))


def loss_of_agreement(share: float) -> PairStatistic:
    """Rank correlation of all configurations minus that of the best share."""
    return PairStatistic(
        f"loss_of_agreement_{share}",
        lambda first, second: _agreement(first, second, 1.0) - _agreement(first, second, share),
    )


def _excess(first: np.ndarray, second: np.ndarray) -> float:
    return second[np.nan_to_num(first, nan=np.inf).argmin()] / np.nanmin(second) - 1


EXCESS = PairStatistic("excess", _excess)
"""How far the best configuration of the first set is above the smallest error of the second, relative to that."""
DIFFERING = Differing()
ORDERED = (
    *map(agreement, IMPORTANCE_SHARES),
    *map(loss_of_agreement, IMPORTANCE_SHARES[:-1]),
    EXCESS,
)
"""The statistics that a pair has in both orders."""


def _agreement(first: np.ndarray, second: np.ndarray, share: float) -> float:
    if share == 1:
        return correlation_of_ranks(_ranks(first), _ranks(second))
    best = _best_share(first, share)
    return spearman(first[best], second[best])


def _errors_at(table: Table, positions: np.ndarray) -> np.ndarray:
    """Average errors at ascending positions; of the whole grid the table's own array, whose ranks are kept."""
    return table.mean_final if len(positions) == table.grid.size else table.mean_final[positions]


def _possible_bests(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Errors (k, R) and values (k, 9) of the configurations that are the best in some resample of the repetitions.

    The mean of a resample is at most a configuration's largest error and at least its smallest. Values are numbers in
    Table 7.2, which two grids can compare.
    """
    errors = np.nan_to_num(table.final_mse.astype(float), nan=np.inf)
    possible = errors.min(axis=1) <= errors.max(axis=1).min()
    levels = np.stack(np.unravel_index(table.grid.indices, FULL_SHAPE), axis=-1)
    return errors[possible], levels[possible]


def _best(errors: np.ndarray) -> np.ndarray:
    """The best position of each resample of repetitions (batch, R, n)."""
    return np.nan_to_num(errors.mean(axis=1), nan=np.inf).argmin(axis=1)
