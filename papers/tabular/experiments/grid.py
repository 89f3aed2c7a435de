"""The tables themselves: every configuration of Table 7.2 trained (thesis 7.1); and single ones (7.3.2), or random."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.foundation.errors import UserError
from core.foundation.progress import Progress, within
from core.foundation.seeds import derive_seed
from core.tabular.frame import to_records
from core.tabular.grid import FCNET, Configuration, Grid
from core.tabular.neighbourhood import neighbours as adjacent
from core.training.fcnet import FCNetCollection
from papers.tabular.experiments.authors import table_of_authors
from papers.tabular.settings import TrainedGrid, TrainedNeighbours, Trainings

ARCHITECTURE = ("activation_fn_1", "activation_fn_2", "n_units_1", "n_units_2")  # "4 architectural choices" (7.1)


def grid(context: Context[TrainedGrid]) -> pd.DataFrame:
    """Train a part of Table 7.2; a "run" is one of the parts that `groups` makes, all repetitions included.

    Returns:
        run and the columns of `core.tabular.frame`, one row per configuration.

    Raises:
        UserError: more runs than there are parts.
    """
    settings = context.settings
    parts = groups(FCNET.restricted(**settings.values))
    if context.runs.stop > len(parts):
        raise UserError(
            f"{context.cell.name}: {context.runs.stop} runs; allowed: {len(parts)}, one per part of the grid"
        )
    frames = [_trained(context, parts[run], context.progress_of(done)) for done, run in enumerate(context.runs)]
    return pd.concat(
        [frame.assign(run=run) for run, frame in zip(context.runs, frames, strict=True)], ignore_index=True
    )


def neighbours(context: Context[TrainedNeighbours]) -> pd.DataFrame:
    """Train a configuration, "run" 0, and its neighbours: run k has those that differ in the k-th of the `changes`.

    Returns:
        run and the columns of `core.tabular.frame`, one row per configuration.

    Raises:
        UserError: more runs than that.
    """
    settings = context.settings
    if context.runs.stop > (most := 1 + len(settings.changes)):
        raise UserError(f"{context.cell.name}: {context.runs.stop} runs; allowed: {most}, one per change and one")
    frames = []
    for done, run in enumerate(context.runs):
        chosen, progress = _of_run(settings, run), context.progress_of(done)
        for number, one in enumerate(chosen):
            part_progress = within(progress, number / len(chosen), (number + 1) / len(chosen))
            frames.append(_trained(context, one, part_progress).assign(run=run))
    return pd.concat(frames, ignore_index=True)


def random_configurations(context: Context[Trainings]) -> pd.DataFrame:
    """Train configurations drawn at random from the whole grid, one per "run", the same on all data sets.

    Returns:
        run, `configuration` (its index), `parameters`, `seconds`, and the final validation errors of our and of the
        authors' repetitions, `valid_mse` and `authors_mse`.

    Raises:
        DataUnavailableError: the authors' table is not at hand.
    """
    theirs = table_of_authors(context, context.benchmark)
    seed = derive_seed("random configurations", context.settings.seed)
    drawn = np.random.default_rng(seed).permutation(FCNET.size)[list(context.runs)]
    frames = []
    for done, (run, one) in enumerate(zip(context.runs, FCNET.configurations(drawn), strict=True)):
        trained = _trained(context, _alone(one), context.progress_of(done))
        final = trained[f"valid_mse_{context.settings.epochs}"]
        frames.append(trained[["configuration", "parameters", "seconds"]].assign(run=run, valid_mse=final))
    found = pd.concat(frames, ignore_index=True)
    return found.assign(authors_mse=list(theirs.valid_mse[theirs.grid.positions_of(drawn), -1].astype(np.float64)))


def _of_run(settings: TrainedNeighbours, run: int) -> list[Grid]:
    """Grids of one configuration each."""
    chosen = [settings.incumbent]
    if run:
        changed = settings.changes[run - 1]
        (position,) = FCNET.positions(chosen)
        near = FCNET.configurations(adjacent(FCNET, position))
        chosen = [one for one in near if one[changed] != settings.incumbent[changed]]
    return [_alone(one) for one in chosen]


def _alone(configuration: Configuration) -> Grid:
    """The grid of one configuration."""
    return FCNET.restricted(**{name: (value,) for name, value in configuration.items()})


def _trained(context: Context[Trainings], part: Grid, progress: Progress) -> pd.DataFrame:
    """The records of a part of the grid."""
    settings = context.settings
    with TemporaryDirectory() as folder:
        collection = FCNetCollection(
            context.benchmark,
            part,
            Path(folder),
            seed=settings.seed,
            repetitions=settings.repetitions,
            epochs=settings.epochs,
            device=context.device,
        )
        collection.fill(progress=progress)
        return to_records(collection.table())


def groups(whole: Grid) -> list[Grid]:
    """The parts of a grid, each with all its architectures (units, activations); their number ignores the widths."""
    names = [name for name in whole.values if name not in ARCHITECTURE]
    chosen = product(*(whole.values[name] for name in names))
    return [
        whole.restricted(**{name: (value,) for name, value in zip(names, values, strict=True)}) for values in chosen
    ]
