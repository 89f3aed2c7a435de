"""Claims of 7.3.3 about configurations across the thesis' four data sets; `outside` on parts of the grid."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations, product

import numpy as np

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, bootstrap_interval, claim, contrary, judge, left_out, worded
from core.tabular.grid import FULL_SHAPE
from core.tabular.importance import best_positions
from core.tabular.ranks import spearman
from core.tabular.table import Table
from papers.tabular.claims.on_tables import if_whole
from papers.tabular.repetitions import of_table
from papers.tabular.trained_tables import IMPORTANCE_SHARES, LABELS, grid_tables, label

SEED = 8
RESAMPLES = 1000
HIGH = 0.5  # a rank correlation
AS_GOOD = 0.05  # a relative excess over the best error
Statistic = Callable[[np.ndarray, np.ndarray], float]


@claim(
    artifact="table7_4",
    place="thesis 7.3.3 (Table D.2 contradicts it)",
    sentence="The initial learning rate 0.0005 can be used on all sets.",
)
def one_learning_rate_serves_all_sets(results: Results) -> Check:
    """How far the best configuration with that rate is above a set's best error; below 5% on each."""
    tables = _at_least_two(results)
    return if_whole(_serves(tables, {"init_lr": 0.0005}, "0.0005"), tables.values())


@claim(
    artifact="table7_4",
    place="thesis 7.3.3",
    sentence="From one set to another the best configuration changes in few hyperparameters.",
)
def best_configurations_differ_little(results: Results) -> Check:
    """In how many hyperparameters the best configurations of two sets differ; less than half of those that vary.

    "Only slightly" stands over Table 7.4, in which two sets differ in up to four of nine.
    """
    tables = _at_least_two(results)
    parts = []
    for first, second in combinations(tables.values(), 2):
        ours, theirs = map(_full_levels, (first, second))

        def differing(a: np.ndarray, b: np.ndarray, ours: np.ndarray = ours, theirs: np.ndarray = theirs) -> np.ndarray:
            return (ours[_best(a)] != theirs[_best(b)]).sum(axis=1)

        varied = len(set(first.grid.varied) & set(second.grid.varied))
        interval = bootstrap_interval((first.test_mse.T, second.test_mse.T), differing, SEED, RESAMPLES)
        words = f"{label(first.dataset)} and {label(second.dataset)}"
        parts.append(worded(judge(interval, "", upper=varied / 2, detail=f"of {varied}"), words))
    return if_whole(all_of([*parts, *_missing(tables)], "0 to 4 of 9"), tables.values())


@claim(artifact="table7_4", place="thesis 7.3.3", sentence="No choice of activation functions is good on all sets.")
def activations_must_differ(results: Results) -> Check:
    """The excess of a pair of activation functions; above 5% on one of the sets, whichever pair is chosen."""
    tables = _at_least_two(results)
    names = ("activation_fn_1", "activation_fn_2")
    pairs = [dict(zip(names, pair, strict=True)) for pair in product(*(_common_values(tables, name) for name in names))]
    parts = [contrary(_serves(tables, pair), "") for pair in pairs]
    words = (worded(part, " and ".join(map(str, pair.values()))) for part, pair in zip(parts, pairs, strict=True))
    return if_whole(all_of(words, "need to be set differently"), tables.values())


@claim(
    artifact="fig7_4", place="thesis 7.3.3", sentence="The rankings of all configurations on two data sets agree well."
)
def datasets_correlate(results: Results) -> Check:
    """Rank correlation of the test errors of two sets, all common configurations; above 0.5 for all pairs."""
    return _between_sets(results, {"": spearman}, "high", lower=HIGH)


@claim(
    artifact="fig7_4",
    place="thesis 7.3.3",
    sentence="Among the best configurations the rankings on two data sets agree less.",
)
def datasets_correlate_less_among_the_best(results: Results) -> Check:
    """Rank correlation minus that among the best of the first set, each share of Fig 7.4; above 0 for all pairs."""

    def among(share: float) -> Statistic:
        def difference(first: np.ndarray, second: np.ndarray) -> float:
            best = best_positions(first, share)
            return spearman(first, second) - spearman(first[best], second[best])

        return difference

    statistics = {f", all minus top {share:.0%}": among(share) for share in IMPORTANCE_SHARES[:-1]}
    return _between_sets(results, statistics, "decreases", lower=0.0)


@claim(
    artifact="fig7_4",
    place="thesis 7.3.3",
    sentence="A configuration that is good on one data set does not suffice for top performance on another.",
)
def good_elsewhere_does_not_suffice(results: Results) -> Check:
    """On each set the best configuration of every other set is more than 5% above the smallest test error.

    Of the configurations that both sets have. Repetitions of the set that it comes from are resampled.
    """

    def excess(first: np.ndarray, second: np.ndarray) -> float:
        return second[np.nan_to_num(first, nan=np.inf).argmin()] / np.nanmin(second) - 1

    return _between_sets(results, {", excess": excess}, "does not suffice", lower=AS_GOOD)


def _serves(tables: dict[str, Table], choice: dict[str, object], published: str = "") -> Check:
    """A choice serves if, on all sets, the best configuration that has it is hardly worse than the best of all."""
    parts = []
    for table in tables.values():
        having = np.array([_has(configuration, choice) for configuration in _configurations(table)])

        def excess(table: Table, having: np.ndarray = having) -> float:
            return table.mean_test[having].min() / table.mean_test.min() - 1

        own = " and ".join(str(table.best_configuration[name]) for name in choice)
        words = f"{label(table.dataset)}, whose best has {own}, excess"
        parts.append(worded(of_table(table, excess, "", upper=AS_GOOD), words, ".1%"))
    return all_of([*parts, *_missing(tables)], published)


def _has(configuration: dict[str, object], choice: dict[str, object]) -> bool:
    return all(configuration[name] == value for name, value in choice.items())


def _configurations(table: Table) -> list[dict[str, object]]:
    return table.grid.configurations(np.arange(table.grid.size))


def _common_values(tables: dict[str, Table], name: str) -> list[object]:
    """The values that all sets have, in their order."""
    first, *others = (table.grid.values[name] for table in tables.values())
    return [value for value in first if all(value in other for other in others)]


def _full_levels(table: Table) -> np.ndarray:
    """Numbers of the values in Table 7.2, (n, 9), which two grids can compare."""
    return np.stack(np.unravel_index(table.grid.indices, FULL_SHAPE), axis=-1)


def _best(errors: np.ndarray) -> np.ndarray:
    """The best position of each resample of repetitions (batch, R, n)."""
    return np.nan_to_num(errors.mean(axis=1), nan=np.inf).argmin(axis=1)


def _between_sets(results: Results, statistics: dict[str, Statistic], published: str, lower: float) -> Check:
    """Statistics of all ordered pairs of sets; repetitions of the first are resampled."""
    tables = _at_least_two(results)
    parts = []
    for first, second in permutations(tables.values(), 2):
        common = np.intersect1d(first.grid.indices, second.grid.indices, assume_unique=True)
        here, there = (table.grid.positions_of(common) for table in (first, second))
        other = second.mean_test[there]
        for words, statistic in statistics.items():

            def value(table: Table, statistic=statistic, here: np.ndarray = here, other: np.ndarray = other) -> float:
                return statistic(table.mean_test[here], other)

            named = f"{label(first.dataset)} and {label(second.dataset)}{words}"
            parts.append(worded(of_table(first, value, published, lower), named))
    return if_whole(all_of([*parts, *_missing(tables)], published), tables.values())


def _at_least_two(results: Results) -> dict[str, Table]:
    tables = grid_tables(results)
    if len(tables) < 2:
        raise NotRunError("grid on a second data set")
    return tables


def _missing(tables: dict[str, Table]) -> list[Check]:
    return [left_out(label(name)) for name in LABELS if name not in tables]
