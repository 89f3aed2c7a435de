"""The tables themselves: every configuration of Table 7.2 trained (thesis 7.1)."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from core.errors import UserError
from core.experiment.context import Context
from core.tabular.frame import to_records
from core.tabular.grid import FCNET, Grid
from core.training.fcnet import FCNetCollection
from papers.tabular.settings import TrainedGrid

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
    frames = []
    for done, run in enumerate(context.runs):
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
            collection.fill(progress=context.progress_of(done))
            frames.append(to_records(collection.table()).assign(run=run))
    return pd.concat(frames, ignore_index=True)


def groups(whole: Grid) -> list[Grid]:
    """The parts of a grid, each with all its architectures (units, activations); their number ignores the widths."""
    names = [name for name in whole.values if name not in ARCHITECTURE]
    chosen = product(*(whole.values[name] for name in names))
    return [
        whole.restricted(**{name: (value,) for name, value in zip(names, values, strict=True)}) for values in chosen
    ]
