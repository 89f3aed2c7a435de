"""Claims of 7.3.2 about the neighbourhood of the best configuration."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, NotRunError, claim
from core.report.repetitions import of_table
from core.tabular.neighbourhood import local_neighbourhood
from core.tabular.table import Table
from papers.tabular.claims.on_tables import of_whole, on, on_all

MARGINAL = 0.05  # a relative change


@claim(
    artifact="table7_3",
    place="thesis 7.3.2",
    sentence="On protein changing an activation function costs more than any other single change of the best "
    "configuration.",
)
def activations_are_the_worst_flips_on_protein(results: Results) -> Check:
    return on(results, "protein", _lead_of_activations)


@claim(
    artifact="table7_3",
    place="thesis 7.3.2",
    sentence="On protein a larger batch size hardly changes the error of the best configuration.",
)
def larger_batches_hardly_matter_on_protein(results: Results) -> Check:
    return on(results, "protein", _effect_of_a_larger_batch)


@claim(
    artifact="tableD_1",
    place="thesis Tables D.1, D.2 and D.4",
    sentence="On the other sets the constant learning rate costs more than any other single change.",
)
def constant_rate_is_the_worst_flip_elsewhere(results: Results) -> Check:
    return on_all(results, _lead_of_the_schedule, "3 of 3", ("naval", "parkinsons", "slice_localization"))


def _lead_of_activations(table: Table) -> Check:
    """The smaller relative change of the two activations minus the largest of all other changes; above 0."""

    def lead(table: Table) -> float:
        names, changes = _changes(table)
        activations = names.isin(["activation_fn_1", "activation_fn_2"]).to_numpy()
        return changes[activations].min() - changes[~activations].max()

    return of_whole(table, lead, "34 to 40% against at most 7%", lower=0.0)


def _effect_of_a_larger_batch(table: Table) -> Check:
    """Relative change when the incumbent's batch size is doubled; below 0.05.

    Raises:
        NotRunError: the grid has no larger one.
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


def _lead_of_the_schedule(table: Table) -> Check:
    """Relative change of the constant schedule minus the largest other; above 0."""

    def lead(table: Table) -> float:
        names, changes = _changes(table)
        schedule = (names == "lr_schedule").to_numpy()
        return changes[schedule].max() - changes[~schedule].max()

    return of_whole(table, lead, "", lower=0.0)


def _changes(table: Table) -> tuple[pd.Series, np.ndarray]:
    frame = local_neighbourhood(table)
    return frame["hyperparameter"], frame["relative_change"].to_numpy()
