"""Shapes of the claims about the tables: errors, times, noise, rankings and importances, neighbours, several data sets.

An interval is over the repetitions, except that of noise, which resampled repetitions would hide: it is over the
configurations. A sentence about the whole grid is `outside` on a part of it, whether the part agrees or not. Where
final validation errors suffice for a check, the authors' tables of the whole grid have an outcome of their own: what
the thesis says of test errors is asked of them.

The thesis' incumbent (7.3.2) is that of its whole grid. Where it was trained itself, with every change that the thesis
prints, claims are judged from it; otherwise our own incumbent shows what our part of the grid has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from itertools import combinations, permutations, product
from typing import Any, Literal

import numpy as np
from scipy import special

from core.experiment.results import Results
from core.report import (
    Check,
    NotRunError,
    all_of,
    bootstrap_interval,
    contrary,
    each_of,
    judge,
    left_out,
    outside,
    slightly,
    worded,
)
from core.report.statistics.intervals import median_ratio
from core.report.verdicts.shapes.shape import Benchmark, Data, shape, shape_of
from core.tabular.analysis import SHARES, correlations_with_the_last, spearman
from core.tabular.table import Table, local_neighbourhood
from papers.tabular.authors_tables import (
    INCUMBENT,
    OF_ONE,
    OF_TWO,
    RecordedTable,
    authors_neighbours,
    change_name,
    recorded_tables,
)
from papers.tabular.statistics import (
    ACTIVATIONS,
    DIFFERING,
    EFFECT_OF_OUTLIERS,
    EXCESS,
    LARGER_BATCH,
    LARGEST,
    LARGEST_SINGLE,
    LEAD_OF_PAIRS,
    LEAD_OF_THE_RATE,
    NOISE_RATIO,
    OUTLIERS,
    RESAMPLES,
    SEED,
    SMALL_ERRORS,
    STEP,
    TIMES,
    Differing,
    PairStatistic,
    Resampled,
    Resamples,
    Statistic,
    agreement,
    change_of_the_rate,
    excess_of,
    finite_noise,
    loss_of_agreement,
    spread_of,
)
from papers.tabular.tables import errors_from_printed
from papers.tabular.trained_tables import IMPORTANCE_SHARES, LABELS, WHOLE, grid_tables, label

Subject = Table | RecordedTable
"""A table of ours, or what is recorded of the authors'."""
Tables = Mapping[str, Any]
PARTS = {"training": "train", "validation": "valid", "test": "test"}
NUMBERS = {each.name: each for each in (TIMES, STEP, LEAD_OF_THE_RATE, LARGEST_SINGLE, EFFECT_OF_OUTLIERS)}
AS_GOOD = 0.05  # a relative excess over the best error
STATISTICS: dict[str, dict[str, PairStatistic]] = {
    "correlation": {"": agreement(1.0)},
    "correlation lost among the best": {
        f", all minus top {share:.0%}": loss_of_agreement(share) for share in IMPORTANCE_SHARES[:-1]
    },
    "excess": {", excess": EXCESS},
}
"""Statistics of the errors on two sets by their words, by the name of a claim's."""
FLIPS = 73  # the seed of the bootstrap over repetitions of the neighbours
ELSEWHERE = ("naval", "parkinsons", "slice_localization")
FLIPS_OF_ACTIVATIONS = tuple(change_name(f"activation_fn_{layer}", "relu", "tanh") for layer in (1, 2))
CONSTANT = change_name("lr_schedule", "cosine", "const")


def on_tables(check: Callable[..., Check]) -> Callable[..., Check]:
    """The shape of a check of a table: a function of the table and of the region, `lower` and `upper`, see `judge`."""

    def judged(
        results: Results,
        sets: tuple[Benchmark, ...],
        above: float = -math.inf,
        below: float = math.inf,
        data: Data = "ours",
    ) -> Check:
        return on_sets(tables_of(results, data), sets, lambda table: check(table, lower=above, upper=below))

    return shape_of(check, judged)


def tables_of(results: Results, data: Data, recorded: str = OF_ONE) -> Tables:
    """Our tables or, from the records of an experiment, the authors', by data set.

    Raises:
        NotRunError: there are none.
    """
    return grid_tables(results) if data == "ours" else recorded_tables(results, recorded)


def of_whole(table: Subject, statistic: Resampled, **region: Any) -> Check:
    """The check of a statistic of the whole grid, `outside` if the table is a part of it; regions as for `judge`."""
    return if_whole(judge(resamples_of(table, statistic).interval(), **region), [table])


def resamples_of(table: Subject, statistic: Resampled) -> Resamples:
    """A statistic of a table, computed or as it was recorded."""
    return table.resamples(statistic.name) if isinstance(table, RecordedTable) else statistic.resamples(table)


def if_whole(check: Check, tables: Iterable[Subject]) -> Check:
    """The check itself, `outside` if one of the tables that it is made from is a part of the grid."""
    least = min(table.grid.size for table in tables)
    return check if least == WHOLE else outside(check, f"{least:,} of {WHOLE:,} configurations")


def on_sets(tables: Tables, names: Collection[str], check: Callable[[Table], Check]) -> Check:
    """The check of the table of one set, or of several with a part for each.

    Raises:
        NotRunError: none of them is there.
    """
    if not any(name in tables for name in names):
        raise NotRunError(f"grid on {', '.join(names)}")
    if len(names) == 1:
        return check(*(tables[name] for name in names))
    return all_of(each_of(names, tables, lambda name: worded(check(tables[name]), label(name)), label, left_out))


@shape
def number(
    results: Results,
    of: Literal["times", "step", "lead_of_the_rate", "largest_single", "effect_of_outliers"],
    sets: tuple[Benchmark, ...],
    above: float = -math.inf,
    below: float = math.inf,
    data: Data = "ours",
) -> Check:
    """A number of a table, named in `papers.tabular.statistics`, lies in a region."""
    tables = tables_of(results, data)
    return on_sets(tables, sets, lambda table: of_whole(table, NUMBERS[of], lower=above, upper=below))


@on_tables
def error_spread(table: Subject, **region: float) -> Check:
    """Largest finite average error over the smallest, of training, validation and test, where stored."""
    words = PARTS if table.test_mse is not None else ["validation"]
    return all_of(worded(of_whole(table, spread_of(PARTS[name]), **region), name) for name in words)


@on_tables
def share_below_0_3(table: Subject, lower: float, upper: float) -> Check:
    """Share of configurations with an average error below 0.3; at least one of them."""
    return of_whole(table, SMALL_ERRORS, lower=max(lower, 0.5 / table.grid.size), upper=upper)


@on_tables
def outliers(table: Subject, **region: float) -> Check:
    """Share of configurations whose average error is a hundred times the median or diverged."""
    largest = resamples_of(table, LARGEST).estimate
    return of_whole(table, OUTLIERS, **region, detail=f"largest finite error {largest:.3g} medians")


@on_tables
def time_and_parameters(table: Subject, **region: float) -> Check:
    """Rank correlation of the average training time with the number of parameters."""
    sizes = table.grid.values["batch_size"]
    detail = "" if len(sizes) > 1 else f"batches of {sizes[0]} only"
    statistic = Statistic("parameters", lambda table: spearman(table.mean_seconds, table.parameters.astype(float)))
    return of_whole(table, statistic, **region, detail=detail)


@on_tables
def noise_quantiles(table: Subject, lower: float, upper: float) -> Check:
    """90% over 10% quantile of the final noise; above what repetitions of equally noisy configurations would show."""
    chance = np.sqrt(np.divide(*2 * special.gammaincinv((table.repetitions - 1) / 2, (0.9, 0.1))))
    detail = f"equally noisy configurations: {chance:.2f}"
    return of_whole(table, NOISE_RATIO, lower=max(lower, chance), upper=upper, detail=detail)


@on_tables
def noise_of_last_over_first(table: Table, **region: float) -> Check:
    """Median noise at the end over that at the first stored epochs."""
    noise = finite_noise(table)
    interval = bootstrap_interval((noise[:, -1], noise[:, 0]), median_ratio, SEED, RESAMPLES, paired=True)
    return if_whole(judge(interval, **region), [table])


@on_tables
def correlation_lost_among_the_best(table: Table, **region: float) -> Check:
    """Average correlation over the budgets below the largest, all minus each share of Fig 7.2."""

    def part(share: float) -> Check:
        def difference(table: Table) -> float:
            of_all, of_best = (correlations_with_the_last(table, each, table.epochs)[:-1] for each in (1.0, share))
            return of_all.mean() - of_best.mean()

        return worded(of_whole(table, Statistic("lost", difference), **region), f"all minus top {share:.0%}")

    return all_of(map(part, SHARES[:-1]))


@on_tables
def pairs_above_singles(table: Subject, lower: float, upper: float) -> Check:
    """Largest importance of a pair minus that of a single hyperparameter, all configurations."""
    return slightly(of_whole(table, LEAD_OF_PAIRS, lower=lower, upper=upper), upper)


@on_tables
def learning_rate_among_the_best(table: Subject, **region: float) -> Check:
    """The learning rate's part of all single importances, in each share of Fig 7.3 minus over all."""
    return all_of(
        worded(of_whole(table, change_of_the_rate(share), **region), f"top {share:.0%} minus all")
        for share in IMPORTANCE_SHARES[:-1]
    )


@shape
def between_sets(
    results: Results,
    statistic: Literal["correlation", "correlation lost among the best", "excess"],
    above: float,
    data: Data = "ours",
) -> Check:
    """A statistic of the errors on two sets is above a limit for all ordered pairs; repetitions of the first vary."""
    tables = _two_or_more(results, data, OF_TWO)
    parts = []
    for first, second in permutations(tables.values(), 2):
        for words, of_errors in STATISTICS[statistic].items():
            interval = _of_pair(first, second, of_errors).interval()
            parts.append(worded(judge(interval, above), f"{label(first.dataset)} and {label(second.dataset)}{words}"))
    return _of_sets(parts, tables)


@shape
def one_learning_rate_serves_all_sets(results: Results, data: Data = "ours") -> Check:
    """How far the best configuration with that rate is above a set's best error; below 5% on each."""
    return _serves(_two_or_more(results, data), {"init_lr": 0.0005})


@shape
def best_configurations_differ_little(results: Results, data: Data = "ours") -> Check:
    """In how many hyperparameters the best configurations of two sets differ; less than half of those that vary.
    "Only slightly" stands over Table 7.4, in which two sets differ in up to four of nine.
    """
    tables, parts = _two_or_more(results, data), []
    for first, second in combinations(tables.values(), 2):
        varied = len(set(first.grid.varied) & set(second.grid.varied))
        interval = _of_pair(first, second, DIFFERING).interval()
        words = f"{label(first.dataset)} and {label(second.dataset)}"
        parts.append(worded(judge(interval, upper=varied / 2, detail=f"of {varied}"), words))
    return _of_sets(parts, tables)


@shape
def activations_must_differ(results: Results, data: Data = "ours") -> Check:
    """The excess of a pair of activation functions; above 5% on one of the sets, whichever pair is chosen."""
    tables = _two_or_more(results, data)
    grids = [table.grid.values for table in tables.values()]
    values = ([one for one in grids[0][name] if all(one in grid[name] for grid in grids)] for name in ACTIVATIONS)
    pairs = [dict(zip(ACTIVATIONS, pair, strict=True)) for pair in product(*values)]
    parts = [contrary(_serves(tables, pair)) for pair in pairs]
    words = (worded(part, " and ".join(map(str, pair.values()))) for part, pair in zip(parts, pairs, strict=True))
    return if_whole(all_of(words), tables.values())


def _serves(tables: Tables, choice: dict[str, object]) -> Check:
    """A choice serves if, on all sets, the best configuration that has it is hardly worse than the best of all."""
    parts = []
    for table in tables.values():
        own = " and ".join(str(table.best_configuration[name]) for name in choice)
        words = f"{label(table.dataset)}, whose best has {own}, excess"
        check = judge(resamples_of(table, excess_of(choice)).interval(), upper=AS_GOOD)
        parts.append(worded(check, words, ".1%"))
    return _of_sets(parts, tables)


def _of_pair(first: Subject, second: Subject, statistic: PairStatistic | Differing) -> Resamples:
    """A statistic of two tables, computed or as it was recorded."""
    if isinstance(first, RecordedTable):
        return first.resamples_with(second, statistic.name)
    return statistic.resamples(first, second)


def _two_or_more(results: Results, data: Data, recorded: str = OF_ONE) -> Tables:
    """As `tables_of`.

    Raises:
        NotRunError: there are fewer than two.
    """
    if len(tables := tables_of(results, data, recorded)) < 2:
        raise NotRunError("grid on a second data set")
    return tables


def _of_sets(parts: Iterable[Check], tables: Tables) -> Check:
    """The check of all parts about the sets; those that are not at hand are left out."""
    missing = [left_out(label(name)) for name in LABELS if name not in tables]
    return if_whole(all_of([*parts, *missing]), tables.values())


@shape
def activations_are_the_worst_flips_on_protein(results: Results, data: Data = "ours") -> Check:
    """The smaller effect of the two activations is above the largest other, from the incumbent at hand."""
    neighbours = _printed_neighbours(results, data)
    if data == "ours" and "protein" not in neighbours:
        return on_sets(grid_tables(results), ["protein"], _from_ours)
    return on_sets(neighbours, ["protein"], lambda errors: _are_worst(errors, FLIPS_OF_ACTIVATIONS))


@shape
def constant_rate_is_the_worst_flip_elsewhere(results: Results, data: Data = "ours") -> Check:
    """The constant schedule's error over the largest after another change, less 1; above 0 on each set."""
    return on_sets(_printed_neighbours(results, data), ELSEWHERE, lambda errors: _are_worst(errors, (CONSTANT,)))


@on_tables
def effect_of_a_larger_batch(table: Subject, **region: float) -> Check:
    """Relative change when the incumbent's batch size is doubled.

    Raises:
        NotRunError: the grid has no larger one.
    """
    if table.best_configuration["batch_size"] == table.grid.values["batch_size"][-1]:
        raise NotRunError("a larger batch size than the incumbent's")
    return of_whole(table, LARGER_BATCH, **region, detail="relative change")


def _printed_neighbours(results: Results, data: Data) -> dict[str, dict[str, np.ndarray]]:
    """Errors (R,) of the printed incumbent and after changes of it, by row, by data set; in our trainings or theirs."""
    if data == "authors":
        return {name: theirs.errors for name, theirs in authors_neighbours(results).items()}
    frame = results.frame("neighbours")
    names = frame["benchmark"].unique() if len(frame) else ()
    return {name: errors_from_printed(results, name, ("neighbours",))[0] for name in names}


def _are_worst(errors: Mapping[str, np.ndarray], flips: Collection[str]) -> Check:
    """The smallest error after one of these changes of the printed incumbent over the largest after another, less 1.

    The repetitions of the two groups are resampled apart, and logarithms compared, so that few runs are enough.
    """
    groups = [
        np.stack([values for row, values in errors.items() if row != INCUMBENT and (row in flips) == flipped], axis=1)
        for flipped in (True, False)
    ]

    def smallest_over_largest(flips: np.ndarray, others: np.ndarray) -> np.ndarray:
        return np.log(flips.mean(1).min(1)) - np.log(others.mean(1).max(1))

    interval = bootstrap_interval(tuple(groups), smallest_over_largest, FLIPS)
    ours, low, high = map(math.expm1, interval)
    return replace(judge(interval, lower=0.0, detail="from the printed incumbent"), ours=ours, low=low, high=high)


def _from_ours(table: Table) -> Check:
    """The smaller relative change of the two activations minus the largest of all other changes; above 0."""

    def lead(table: Table) -> float:
        frame = local_neighbourhood(table)
        changes = frame["relative_change"].to_numpy()
        activations = frame["hyperparameter"].isin(["activation_fn_1", "activation_fn_2"]).to_numpy()
        return changes[activations].min() - changes[~activations].max()

    return of_whole(table, Statistic("lead_of_activations", lead), lower=0.0)
