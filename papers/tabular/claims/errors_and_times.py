"""Claims of 7.2 about errors and training times. Intervals are over the repetitions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.experiment.results import Results
from core.report import Check, all_of, claim, worded
from core.tabular.importance import finite_errors
from core.tabular.ranks import spearman
from core.tabular.table import Table
from papers.tabular.claims.on_tables import of_both, of_whole, on, on_all
from papers.tabular.trained_tables import grid_tables

FEW = 0.1  # of the configurations: at most "a small subset"
MANY = 0.01  # the share of configurations that is "many"
MAGNITUDE, MAGNITUDES = 10.0, 100.0  # "an order of magnitude", and the least that is "orders of magnitude"
STRONG = 0.5  # a rank correlation


@claim(
    artifact="fig7_1",
    place="thesis 7.2",
    kind="shape",
    sentence="Training, validation and test errors on protein are spread over an order of magnitude or more.",
)
def errors_spread_over_a_magnitude(results: Results) -> Check:
    return of_both(results, lambda tables: on(tables, "protein", _spread))


@claim(
    artifact="figD_1",
    place="thesis 7.2 and D.1",
    kind="shape",
    sentence="Training, validation and test errors are spread over an order of magnitude or more on all sets.",
)
def errors_spread_everywhere(results: Results) -> Check:
    return of_both(results, lambda tables: on_all(tables, _spread, "consistent"))


@claim(
    artifact="fig7_1",
    place="thesis 7.2",
    kind="shape",
    sentence="Only a small part of the configurations reaches an error below 0.3 on protein.",
)
def few_errors_are_below_0_3(results: Results) -> Check:
    return of_both(results, lambda tables: on(tables, "protein", _few_small_errors))


@claim(
    artifact="fig7_1",
    place="thesis 7.2",
    kind="shape",
    sentence="Many configurations are outliers on protein, with errors orders of magnitude above the usual one.",
)
def many_errors_are_far_above_the_average(results: Results) -> Check:
    return of_both(results, lambda tables: on(tables, "protein", _outliers))


@claim(
    artifact="figD_1",
    place="thesis 7.2 and D.1",
    kind="shape",
    sentence="Many configurations are outliers on all sets, with errors orders of magnitude above the usual one.",
)
def outliers_everywhere(results: Results) -> Check:
    return of_both(results, lambda tables: on_all(tables, _outliers, "consistent"))


@claim(
    artifact="fig7_1",
    place="thesis 7.2",
    kind="shape",
    sentence="Training times differ greatly between configurations.",
)
def times_vary_dramatically(results: Results) -> Check:
    return on(grid_tables(results), "protein", _times_vary)


@claim(
    artifact="figD_3", place="thesis 7.2 and D.1", kind="shape", sentence="Training times differ greatly on all sets."
)
def times_vary_everywhere(results: Results) -> Check:
    return on_all(grid_tables(results), _times_vary, "consistent")


@claim(
    artifact="fig7_1",
    place="thesis 7.2",
    kind="shape",
    sentence="Training times differ because of the number of parameters.",
)
def times_follow_the_parameters(results: Results) -> Check:
    return on(grid_tables(results), "protein", _times_follow_parameters)


@claim(
    artifact="figD_2",
    place="thesis 7.2 and D.1",
    kind="shape",
    sentence="On all sets training times differ because of the number of parameters.",
)
def times_follow_the_parameters_everywhere(results: Results) -> Check:
    return on_all(grid_tables(results), _times_follow_parameters, "consistent")


def _spread(table: Table) -> Check:
    """Largest finite average error over the smallest, of training, validation and test, where stored; above 10."""
    averages: dict[str, Callable[[Table], np.ndarray]] = {
        "training": lambda table: table.train_mse[:, -1].mean(axis=-1),
        "validation": lambda table: table.valid_mse[:, -1].mean(axis=-1),
        "test": lambda table: table.mean_test,
    }
    if table.test_mse is None:
        averages = {"validation": averages["validation"]}

    def part(name: str) -> Check:
        def spread(table: Table) -> float:
            errors = finite_errors(averages[name](table).astype(float))
            return errors.max() / errors.min()

        return worded(of_whole(table, spread, "", lower=MAGNITUDE), name)

    return all_of(map(part, averages), "an order of magnitude or more")


def _few_small_errors(table: Table) -> Check:
    """Share of configurations with an average error below 0.3; at least one of them, and below a tenth."""
    one = 0.5 / table.grid.size
    return of_whole(table, lambda table: (table.mean_final < 0.3).mean(), "a small subset", lower=one, upper=FEW)


def _outliers(table: Table) -> Check:
    """Share of configurations whose average error is a hundred times the median or diverged; above 1%.

    The median serves as the average: outliers raise the mean, so few errors can be a multiple of it.
    """

    def outliers(table: Table) -> float:
        return (table.mean_final > MAGNITUDES * np.median(table.mean_final)).mean()

    largest = finite_errors(table.mean_final).max() / np.median(table.mean_final)
    detail = f"largest finite error {largest:.3g} medians"
    return of_whole(table, outliers, "many, by orders of magnitude", lower=MANY, detail=detail)


def _times_vary(table: Table) -> Check:
    """Longest average training over the shortest; above 10."""

    def ratio(table: Table) -> float:
        return table.mean_seconds.max() / table.mean_seconds.min()

    return of_whole(table, ratio, "dramatically", lower=MAGNITUDE)


def _times_follow_parameters(table: Table) -> Check:
    """Rank correlation of the average training time with the number of parameters; above 0.5."""

    def correlation(table: Table) -> float:
        return spearman(table.mean_seconds, table.parameters.astype(float))

    sizes = table.grid.values["batch_size"]
    detail = "" if len(sizes) > 1 else f"batches of {sizes[0]} only"
    return of_whole(table, correlation, "due to the number of parameters", lower=STRONG, detail=detail)
