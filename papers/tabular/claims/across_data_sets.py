"""Claims of 7.3.3 about configurations across the thesis' four data sets; `outside` on parts of the grid."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations, product
from typing import Literal

import numpy as np

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, bootstrap_interval, claim, contrary, judge, left_out, worded
from core.report.runs.memo import once
from core.report.verdicts.shapes.shape import shape
from core.tabular.grid import FULL_SHAPE
from core.tabular.importance import best_positions
from core.tabular.ranks import centred_ranks, correlation_of_ranks, spearman
from core.tabular.table import Table
from papers.tabular.claims.on_tables import Data, Tables, if_whole, of_both, tables_of
from papers.tabular.repetitions import of_table
from papers.tabular.trained_tables import IMPORTANCE_SHARES, LABELS, label

SEED = 8
RESAMPLES = 1000
AS_GOOD = 0.05  # a relative excess over the best error
Statistic = Callable[[np.ndarray, np.ndarray], float]
_ranks, _best_share = once(centred_ranks), once(best_positions)
"""Of errors over the whole grid, once for all pairs of sets and claims."""


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Rank correlation of errors (n,)."""
    return correlation_of_ranks(_ranks(first), _ranks(second))


def _lost_among_the_best(share: float) -> Statistic:
    """Rank correlation minus that among the best of the first set."""

    def difference(first: np.ndarray, second: np.ndarray) -> float:
        best = _best_share(first, share)
        return _correlation(first, second) - spearman(first[best], second[best])

    return difference


def _excess(first: np.ndarray, second: np.ndarray) -> float:
    """How far the best configuration of the first set is above the smallest error of the second."""
    return second[np.nan_to_num(first, nan=np.inf).argmin()] / np.nanmin(second) - 1


STATISTICS: dict[str, dict[str, Statistic]] = {
    "correlation": {"": _correlation},
    "correlation lost among the best": {
        f", all minus top {share:.0%}": _lost_among_the_best(share) for share in IMPORTANCE_SHARES[:-1]
    },
    "excess": {", excess": _excess},
}
"""Statistics of the errors on two sets by their words, by the name of a claim's."""


@shape
def between_sets(
    results: Results,
    statistic: Literal["correlation", "correlation lost among the best", "excess"],
    above: float,
    data: Data = "ours",
) -> Check:
    """A statistic of the errors on two sets is above a limit for all ordered pairs; repetitions of the first vary."""
    tables = tables_of(results, data)
    _check_at_least_two(tables)
    parts = []
    for first, second in permutations(tables.values(), 2):
        common = np.intersect1d(first.grid.indices, second.grid.indices, assume_unique=True)
        here, there = (table.grid.positions_of(common) for table in (first, second))
        other = _errors_at(second, there)
        for words, of_errors in STATISTICS[statistic].items():

            def value(table: Table, of_errors=of_errors, here: np.ndarray = here, other: np.ndarray = other) -> float:
                return of_errors(_errors_at(table, here), other)

            named = f"{label(first.dataset)} and {label(second.dataset)}{words}"
            parts.append(worded(of_table(first, value, above), named))
    return if_whole(all_of([*parts, *_missing(tables)]), tables.values())


@claim(
    artifact="table7_4",
    place="thesis 7.3.3 (Table D.2 contradicts it)",
    sentence="An initial learning rate of 0.0005 can be used on all sets.",
    published="0.0005",
)
def one_learning_rate_serves_all_sets(results: Results) -> Check:
    """How far the best configuration with that rate is above a set's best error; below 5% on each."""
    return of_both(results, lambda tables: _serves(tables, {"init_lr": 0.0005}))


@claim(
    artifact="table7_4",
    place="thesis 7.3.3",
    sentence="The best configurations on different sets differ in few hyperparameters.",
    published="0 to 4 of 9",
)
def best_configurations_differ_little(results: Results) -> Check:
    """In how many hyperparameters the best configurations of two sets differ; less than half of those that vary.

    "Only slightly" stands over Table 7.4, in which two sets differ in up to four of nine.
    """
    return of_both(results, _best_differ_little)


@claim(
    artifact="table7_4",
    place="thesis 7.3.3",
    sentence="No choice of activation functions is good on all sets.",
    published="need to be set differently",
)
def activations_must_differ(results: Results) -> Check:
    """The excess of a pair of activation functions; above 5% on one of the sets, whichever pair is chosen."""
    return of_both(results, _no_pair_serves)


def _best_differ_little(tables: Tables) -> Check:
    _check_at_least_two(tables)
    parts = []
    for first, second in combinations(tables.values(), 2):
        (ours, here), (theirs, there) = map(_possible_bests, (first, second))

        def differing(a: np.ndarray, b: np.ndarray, here: np.ndarray = here, there: np.ndarray = there) -> np.ndarray:
            return (here[_best(a)] != there[_best(b)]).sum(axis=1)

        varied = len(set(first.grid.varied) & set(second.grid.varied))
        interval = bootstrap_interval((ours.T, theirs.T), differing, SEED, RESAMPLES)
        words = f"{label(first.dataset)} and {label(second.dataset)}"
        parts.append(worded(judge(interval, upper=varied / 2, detail=f"of {varied}"), words))
    return if_whole(all_of([*parts, *_missing(tables)]), tables.values())


def _no_pair_serves(tables: Tables) -> Check:
    _check_at_least_two(tables)
    names = ("activation_fn_1", "activation_fn_2")
    pairs = [dict(zip(names, pair, strict=True)) for pair in product(*(_common_values(tables, name) for name in names))]
    parts = [contrary(_serves(tables, pair)) for pair in pairs]
    words = (worded(part, " and ".join(map(str, pair.values()))) for part, pair in zip(parts, pairs, strict=True))
    return if_whole(all_of(words), tables.values())


def _serves(tables: Tables, choice: dict[str, object]) -> Check:
    """A choice serves if, on all sets, the best configuration that has it is hardly worse than the best of all."""
    _check_at_least_two(tables)
    parts = []
    for table in tables.values():
        having = _having(table, choice)

        def excess(table: Table, having: np.ndarray = having) -> float:
            return table.mean_final[having].min() / table.mean_final.min() - 1

        own = " and ".join(str(table.best_configuration[name]) for name in choice)
        words = f"{label(table.dataset)}, whose best has {own}, excess"
        parts.append(worded(of_table(table, excess, upper=AS_GOOD), words, ".1%"))
    return if_whole(all_of([*parts, *_missing(tables)]), tables.values())


def _having(table: Table, choice: dict[str, object]) -> np.ndarray:
    """Which configurations have the chosen values, (n,)."""
    chosen = {name: table.grid.values[name].index(value) for name, value in choice.items()}
    levels = dict(zip(table.grid.values, table.grid.levels(np.arange(table.grid.size)).T, strict=True))
    return np.all([levels[name] == index for name, index in chosen.items()], axis=0)


def _common_values(tables: Tables, name: str) -> list[object]:
    """The values that all sets have, in their order."""
    first, *others = (table.grid.values[name] for table in tables.values())
    return [value for value in first if all(value in other for other in others)]


def _full_levels(table: Table) -> np.ndarray:
    """Numbers of the values in Table 7.2, (n, 9), which two grids can compare."""
    return np.stack(np.unravel_index(table.grid.indices, FULL_SHAPE), axis=-1)


def _possible_bests(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Errors (k, R) and values (k, 9) of the configurations that are the best in some resample of the repetitions.

    The mean of a resample is at most a configuration's largest error and at least its smallest.
    """
    errors = np.nan_to_num(table.final_mse.astype(float), nan=np.inf)
    possible = errors.min(axis=1) <= errors.max(axis=1).min()
    return errors[possible], _full_levels(table)[possible]


def _best(errors: np.ndarray) -> np.ndarray:
    """The best position of each resample of repetitions (batch, R, n)."""
    return np.nan_to_num(errors.mean(axis=1), nan=np.inf).argmin(axis=1)


def _errors_at(table: Table, positions: np.ndarray) -> np.ndarray:
    """Average errors at ascending positions; of the whole grid the table's own array, whose ranks are kept."""
    return table.mean_final if len(positions) == table.grid.size else table.mean_final[positions]


def _check_at_least_two(tables: Tables) -> None:
    if len(tables) < 2:
        raise NotRunError("grid on a second data set")


def _missing(tables: Tables) -> list[Check]:
    return [left_out(label(name)) for name in LABELS if name not in tables]
