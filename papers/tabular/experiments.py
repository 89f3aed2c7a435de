"""Experiments of chapter 7: one function each, from a Context to its records."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from core.errors import UserError
from core.experiment.context import Context
from core.tabular.grid import FCNET, Grid
from core.tabular.records import to_records
from core.training.fcnet import FCNetCollection


def grid(context: Context) -> pd.DataFrame:
    """Train a part of Table 7.2: a "run" is what `groups` puts together, all repetitions included.

    Returns:
        run and the columns of `core.tabular.records`, one row a configuration.

    Raises:
        UserError: more runs than there are groups.
    """
    settings = context.settings
    parts = groups(FCNET.restricted(**settings.values))
    if context.runs.stop > len(parts):
        raise UserError(
            f"{context.cell.name}: {context.runs.stop} runs; allowed: {len(parts)}, one a group of networks"
        )
    frames = []
    for done, run in enumerate(context.runs, start=1):
        with TemporaryDirectory() as folder:
            collection = FCNetCollection(
                context.benchmark,
                parts[run],
                Path(folder),
                seed=settings.seed,
                repetitions=settings.repetitions,
                epochs=settings.epochs,
                device=context.device,
            )
            collection.fill()
            frames.append(to_records(collection.table()).assign(run=run))
        context.progress(done / len(context.runs))
    return pd.concat(frames, ignore_index=True)


def groups(whole: Grid) -> list[Grid]:
    """The parts of a grid with one architecture, batch size and learning rate each."""
    names = ("batch_size", "n_units_1", "n_units_2", "init_lr")
    chosen = product(*(whole.values[name] for name in names))
    return [
        whole.restricted(**{name: (value,) for name, value in zip(names, values, strict=True)}) for values in chosen
    ]
