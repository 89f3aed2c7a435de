"""What 7.3.3 says of a pair of data sets, in numbers: how alike their rankings and best configurations are.

Of the configurations that both tables have. Where rankings are compared, repetitions of the first are resampled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.report.runs.frames import once
from core.report.statistics.intervals import bootstrap_draws
from core.tabular.grid import FULL_SHAPE
from core.tabular.importance import best_positions
from core.tabular.ranks import centred_ranks, correlation_of_ranks, spearman
from core.tabular.table import Table
from papers.tabular.repetitions import Resamples, over_repetitions
from papers.tabular.trained_tables import IMPORTANCE_SHARES

SEED = 8
RESAMPLES = 1000
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

        drawn, estimate, size = bootstrap_draws((ours.T, theirs.T), differing, SEED, RESAMPLES)
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
