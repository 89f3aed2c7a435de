"""Checks of a table: what 7.3.1 says of the functional ANOVA and 7.3.2 of the neighbourhood of the incumbent."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.report.checks import Check, NotRunError, all_of
from core.tabular.importance import table_importances
from core.tabular.neighbourhood import local_neighbourhood
from core.tabular.table import Table
from papers.tabular.analysis_figures import IMPORTANCE_SHARES
from papers.tabular.parts import of_table, worded

SMALL = 0.1  # of the variance
WITHOUT_OUTLIERS = 0.99  # of the configurations: "a few" are the worst per cent
MARGINAL = 0.05  # a relative change


def learning_rate_is_most_important(table: Table) -> Check:
    """Importance of the initial learning rate minus the next largest single one, all configurations; above 0."""

    def lead(table: Table) -> float:
        singles = _singles(table, 1.0)
        return singles["init_lr"] - singles.drop("init_lr").max()

    return of_table(table, lead, "highest", lower=0.0)


def single_importances_are_small(table: Table) -> Check:
    """Largest single importance over the whole grid; below a tenth."""
    return of_table(table, lambda table: _singles(table, 1.0).max(), "very small", upper=SMALL)


def outliers_hide_importances(table: Table) -> Check:
    """Largest single importance without the worst per cent of the configurations minus that of all; above 0."""

    def difference(table: Table) -> float:
        return _singles(table, WITHOUT_OUTLIERS).max() - _singles(table, 1.0).max()

    return of_table(table, difference, "small due to a few outliers", lower=0.0)


def pairs_reach_higher_than_singles(table: Table) -> Check:
    """Largest importance of a pair minus that of a single hyperparameter, all configurations; above 0."""

    def difference(table: Table) -> float:
        largest = table_importances(table).groupby("order")["importance"].max()
        return largest[2] - largest[1]

    return of_table(table, difference, "slightly higher", lower=0.0)


def others_matter_among_the_best(table: Table) -> Check:
    """The learning rate's part of all single importances, in each share of Fig 7.3 minus over all; below 0."""

    def part(share: float) -> Check:
        difference = lambda table: _part_of_the_rate(table, share) - _part_of_the_rate(table, 1.0)  # noqa: E731
        return worded(of_table(table, difference, "", upper=0.0), f"top {share:.0%} minus all")

    return all_of(map(part, IMPORTANCE_SHARES[:-1]), "others become important")


def importances_are_as_on_protein(table: Table) -> Check:
    """All of the above that does not speak of outliers."""
    parts = {
        "lead of the rate": learning_rate_is_most_important,
        "largest single": single_importances_are_small,
        "largest pair minus it": pairs_reach_higher_than_singles,
        "the rate's part": others_matter_among_the_best,
    }
    return all_of([worded(check(table), words) for words, check in parts.items()], f"{len(parts)} of {len(parts)}")


def activations_are_the_worst_flips(table: Table) -> Check:
    """Smaller relative change of the two activations minus the largest of all other flips; above 0."""

    def lead(table: Table) -> float:
        names, changes = _changes(table)
        activations = names.isin(["activation_fn_1", "activation_fn_2"]).to_numpy()
        return changes[activations].min() - changes[~activations].max()

    return of_table(table, lead, "34 to 40% against at most 7%", lower=0.0)


def larger_batches_hardly_matter(table: Table) -> Check:
    """Relative change when the incumbent's batch size is doubled; below 0.05.

    Raises:
        NotRunError: there is no larger one.
    """
    configuration, sizes = table.best_configuration, table.grid.values["batch_size"]
    if configuration["batch_size"] == sizes[-1]:
        raise NotRunError("a larger batch size than the incumbent's")
    doubled = configuration | {"batch_size": sizes[sizes.index(configuration["batch_size"]) + 1]}
    positions = table.grid.positions([configuration, doubled])

    def change(table: Table) -> float:
        errors = table.mean_test[positions]
        return errors[1] / errors[0] - 1

    return of_table(table, change, 0.0042, upper=MARGINAL, detail="relative change")


def constant_rate_is_the_worst_flip(table: Table) -> Check:
    """Relative change of the constant schedule minus the largest other; above 0."""

    def lead(table: Table) -> float:
        names, changes = _changes(table)
        schedule = (names == "lr_schedule").to_numpy()
        return changes[schedule].max() - changes[~schedule].max()

    return of_table(table, lead, "", lower=0.0)


def _singles(table: Table, share: float) -> pd.Series:
    return table_importances(table, share, order=1).set_index("hyperparameters")["importance"]


def _part_of_the_rate(table: Table, share: float) -> float:
    singles = _singles(table, share)
    return singles["init_lr"] / singles.sum()


def _changes(table: Table) -> tuple[pd.Series, np.ndarray]:
    frame = local_neighbourhood(table)
    return frame["hyperparameter"], frame["relative_change"].to_numpy()
