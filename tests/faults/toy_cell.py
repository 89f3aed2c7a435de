"""A cell of three shards that takes milliseconds, for faults that are injected by the dozen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from core.experiment.cells import Cell
from core.experiment.context import Context
from core.experiment.finished import shard_folder
from core.experiment.settings import Settings
from core.experiment.storage import read_records

CELL = Cell("toy", "fit", "line", "plain", "paper", 25, Settings(), "fit")


class Experiment:
    """Notes the first repetition of each shard that it computes; is interrupted where `interrupt_at` begins."""

    def __init__(self, interrupt_at: int | None = None) -> None:
        self.begun: list[int] = []
        self.interrupt_at = interrupt_at

    def __call__(self, context: Context) -> pd.DataFrame:
        if context.runs.start == self.interrupt_at:
            raise KeyboardInterrupt
        self.begun.append(context.runs.start)
        draws = [np.random.default_rng(seed).normal(size=40) for seed in context.method_seeds("draw")]
        return pd.DataFrame({"run": context.runs, "value": [each.mean() for each in draws], "draws": draws})


def shards(root: Path) -> list[Path]:
    """The files of shards that wait to be joined."""
    return sorted(shard_folder(CELL.path(root)).glob("*.parquet"))


def records(root: Path) -> pd.DataFrame:
    """What the cell's file holds."""
    return read_records(CELL.path(root))[0]


def others(root: Path) -> list[str]:
    """Files that a finished cell should not have left."""
    kept = {CELL.path(root).name, f".{CELL.method}.lock"}
    return sorted(path.name for path in root.rglob("*") if path.is_file() and path.name not in kept)
