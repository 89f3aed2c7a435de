"""Claims of 7.3.2 about the neighbourhood of the best configuration.

The thesis' incumbent is that of its whole grid. Where it was trained itself, with every change that the thesis prints,
claims are judged from it; otherwise our own incumbent shows what our part of the grid has, which is `outside`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, bootstrap_interval, both, claim, each_of, judge, left_out, worded
from core.tabular.neighbourhood import local_neighbourhood
from core.tabular.table import Table
from papers.tabular.artifacts.neighbourhood_tables import errors_from_printed
from papers.tabular.claims.on_tables import Subject, of_whole, on_sets, on_tables
from papers.tabular.printed_incumbents import INCUMBENT, authors_neighbours, change_name
from papers.tabular.table_statistics import LARGER_BATCH, Statistic
from papers.tabular.trained_tables import grid_tables, label

SEED = 73
ELSEWHERE = ("naval", "parkinsons", "slice_localization")
PRINTED = "neighbours"
ACTIVATIONS = tuple(change_name(f"activation_fn_{layer}", "relu", "tanh") for layer in (1, 2))
CONSTANT = change_name("lr_schedule", "cosine", "const")


@claim(
    artifact="table7_3",
    place="thesis 7.3.2",
    sentence="On protein, changing an activation function costs more than any other single change of the best "
    "configuration.",
    published="34 to 40% against at most 7%",
)
def activations_are_the_worst_flips_on_protein(results: Results) -> Check:
    """The smaller effect of the two activations is above the largest other, from the incumbent at hand."""

    def replicate() -> Check:
        if "protein" in _trained(results):
            return _from_printed(results, "protein", ACTIVATIONS)
        return on_sets(grid_tables(results), ["protein"], _from_ours)

    return both(replicate, lambda: _in_authors_table(results, "protein", ACTIVATIONS))


@claim(
    artifact="tableD_1",
    place="thesis Tables D.1, D.2 and D.4",
    sentence="On the other sets the constant learning rate costs more than any other single change.",
    published="3 of 3",
)
def constant_rate_is_the_worst_flip_elsewhere(results: Results) -> Check:
    """The constant schedule's error over the largest after another change, less 1; above 0 on each set."""
    return both(
        lambda: _constant_rate(_trained(results), lambda name: _from_printed(results, name, (CONSTANT,))),
        lambda: _constant_rate(
            set(authors_neighbours(results)), lambda name: _in_authors_table(results, name, (CONSTANT,))
        ),
    )


def _constant_rate(recorded: set[str], check: Callable[[str], Check]) -> Check:
    """The check of each set whose neighbours are recorded."""
    if not recorded & set(ELSEWHERE):
        raise NotRunError(f"{PRINTED} on {', '.join(ELSEWHERE)}")
    return all_of(each_of(ELSEWHERE, recorded, lambda name: worded(check(name), label(name)), label, left_out))


@on_tables
def effect_of_a_larger_batch(table: Subject, **region: float) -> Check:
    """Relative change when the incumbent's batch size is doubled.

    Raises:
        NotRunError: the grid has no larger one.
    """
    if table.best_configuration["batch_size"] == table.grid.values["batch_size"][-1]:
        raise NotRunError("a larger batch size than the incumbent's")
    return of_whole(table, LARGER_BATCH, **region, detail="relative change")


def _from_printed(results: Results, name: str, flips: Collection[str]) -> Check:
    printed, _ = errors_from_printed(results, name, (PRINTED,))
    return _are_worst(printed, flips)


def _in_authors_table(results: Results, name: str, flips: Collection[str]) -> Check:
    """The same check in the authors' table of a set.

    Raises:
        NotRunError: its neighbours are not recorded.
    """
    if (theirs := authors_neighbours(results).get(name)) is None:
        raise NotRunError(f"authors_neighbours on {name}")
    return _are_worst(theirs.errors, flips)


def _are_worst(errors: Mapping[str, np.ndarray], flips: Collection[str]) -> Check:
    """The smallest error after one of these changes of the printed incumbent over the largest after another, less 1.

    The repetitions of the two groups are resampled apart, and logarithms compared, so that few runs are enough.
    """
    groups = [
        np.stack([values for row, values in errors.items() if row != INCUMBENT and (row in flips) == flipped], axis=1)
        for flipped in (True, False)
    ]
    interval = bootstrap_interval(tuple(groups), _smallest_over_largest, SEED)
    ours, low, high = map(math.expm1, interval)
    return replace(judge(interval, lower=0.0, detail="from the printed incumbent"), ours=ours, low=low, high=high)


def _smallest_over_largest(flips: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Log of the smallest mean of errors (batch, R, k) over the largest of others (batch, R, m), (batch,)."""
    return np.log(flips.mean(1).min(1)) - np.log(others.mean(1).max(1))


def _from_ours(table: Table) -> Check:
    """The smaller relative change of the two activations minus the largest of all other changes; above 0."""

    def lead(table: Table) -> float:
        frame = local_neighbourhood(table)
        changes = frame["relative_change"].to_numpy()
        activations = frame["hyperparameter"].isin(["activation_fn_1", "activation_fn_2"]).to_numpy()
        return changes[activations].min() - changes[~activations].max()

    return of_whole(table, Statistic("lead_of_activations", lead), lower=0.0)


def _trained(results: Results) -> set[str]:
    """The sets on which all neighbours of the printed incumbent were trained."""
    frame = results.frame(PRINTED)
    return set(frame["benchmark"]) if len(frame) else set()
