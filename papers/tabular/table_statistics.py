"""What chapter 7 says of one table, in numbers: errors, noise, importances, the best configuration.

A statistic has a name, by which a record of the authors' tables has its values on resamples of the repetitions
(experiment `authors_statistics`): claims are judged from those as they are from a table itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Protocol

import numpy as np
import pandas as pd

from core.report.runs.frames import once
from core.report.statistics.intervals import bootstrap_draws
from core.tabular.importance import finite_errors, table_importances
from core.tabular.table import Table
from core.tabular.values import VALUES
from papers.tabular.repetitions import Resamples, over_repetitions
from papers.tabular.trained_tables import IMPORTANCE_SHARES, noise_of

SMALL_ERROR = 0.3
MAGNITUDES = 100.0  # the least that is "orders of magnitude"
WITHOUT_OUTLIERS = 0.99  # of the configurations: "a few" are the worst per cent
SEED = 7
RESAMPLES = 1000  # of the many configurations
FEWER, MANY = 200, 10_000  # resamples of more configurations than that, over which quantiles hardly vary
ACTIVATIONS = ("activation_fn_1", "activation_fn_2")


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
        having = _having(table, choice)
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


def _having(table: Table, choice: Mapping[str, object]) -> np.ndarray:
    """Which configurations have the chosen values, (n,)."""
    chosen = {name: table.grid.values[name].index(value) for name, value in choice.items()}
    levels = dict(zip(table.grid.values, table.grid.levels(np.arange(table.grid.size)).T, strict=True))
    return np.all([levels[name] == index for name, index in chosen.items()], axis=0)
