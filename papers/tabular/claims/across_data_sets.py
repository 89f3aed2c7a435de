"""Claims of 7.3.3 about configurations across the thesis' four data sets; `outside` on parts of the grid."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import Literal

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, claim, contrary, judge, left_out, worded
from core.report.verdicts.shapes.shape import shape
from papers.tabular.claims.on_tables import Data, Subject, Tables, if_whole, of_both, resamples_of, tables_of
from papers.tabular.pair_statistics import (
    DIFFERING,
    EXCESS,
    Differing,
    PairStatistic,
    agreement,
    loss_of_agreement,
)
from papers.tabular.recorded_tables import OF_TWO, RecordedTable
from papers.tabular.repetitions import Resamples
from papers.tabular.table_statistics import ACTIVATIONS, excess_of
from papers.tabular.trained_tables import IMPORTANCE_SHARES, LABELS, label

AS_GOOD = 0.05  # a relative excess over the best error
STATISTICS: dict[str, dict[str, PairStatistic]] = {
    "correlation": {"": agreement(1.0)},
    "correlation lost among the best": {
        f", all minus top {share:.0%}": loss_of_agreement(share) for share in IMPORTANCE_SHARES[:-1]
    },
    "excess": {", excess": EXCESS},
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
    tables = tables_of(results, data, OF_TWO)
    _check_at_least_two(tables)
    parts = []
    for first, second in permutations(tables.values(), 2):
        for words, of_errors in STATISTICS[statistic].items():
            interval = _of_pair(first, second, of_errors).interval()
            parts.append(worded(judge(interval, above), f"{label(first.dataset)} and {label(second.dataset)}{words}"))
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
        varied = len(set(first.grid.varied) & set(second.grid.varied))
        interval = _of_pair(first, second, DIFFERING).interval()
        words = f"{label(first.dataset)} and {label(second.dataset)}"
        parts.append(worded(judge(interval, upper=varied / 2, detail=f"of {varied}"), words))
    return if_whole(all_of([*parts, *_missing(tables)]), tables.values())


def _no_pair_serves(tables: Tables) -> Check:
    _check_at_least_two(tables)
    values = (_common_values(tables, name) for name in ACTIVATIONS)
    pairs = [dict(zip(ACTIVATIONS, pair, strict=True)) for pair in product(*values)]
    parts = [contrary(_serves(tables, pair)) for pair in pairs]
    words = (worded(part, " and ".join(map(str, pair.values()))) for part, pair in zip(parts, pairs, strict=True))
    return if_whole(all_of(words), tables.values())


def _serves(tables: Tables, choice: dict[str, object]) -> Check:
    """A choice serves if, on all sets, the best configuration that has it is hardly worse than the best of all."""
    _check_at_least_two(tables)
    parts = []
    for table in tables.values():
        own = " and ".join(str(table.best_configuration[name]) for name in choice)
        words = f"{label(table.dataset)}, whose best has {own}, excess"
        check = judge(resamples_of(table, excess_of(choice)).interval(), upper=AS_GOOD)
        parts.append(worded(check, words, ".1%"))
    return if_whole(all_of([*parts, *_missing(tables)]), tables.values())


def _common_values(tables: Tables, name: str) -> list[object]:
    """The values that all sets have, in their order."""
    first, *others = (table.grid.values[name] for table in tables.values())
    return [value for value in first if all(value in other for other in others)]


def _of_pair(first: Subject, second: Subject, statistic: PairStatistic | Differing) -> Resamples:
    """A statistic of two tables, computed or as it was recorded."""
    if isinstance(first, RecordedTable):
        return first.resamples_with(second, statistic.name)
    return statistic.resamples(first, second)


def _check_at_least_two(tables: Tables) -> None:
    if len(tables) < 2:
        raise NotRunError("grid on a second data set")


def _missing(tables: Tables) -> list[Check]:
    return [left_out(label(name)) for name in LABELS if name not in tables]
