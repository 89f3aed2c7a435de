"""Records for tests of a paper: real ones of the smoke scale, and results that hold made-up frames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from core.experiment.paper import Papers
from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.experiment.storage import read_records


def smoke_runs(paper: str, root: Path) -> Callable[[str], pd.DataFrame]:
    """Runs a cell of a paper at the smoke scale, once, below `root`, and returns its records."""
    papers, made = Papers(), {}

    def run(name: str) -> pd.DataFrame:
        if name not in made:
            (cell,) = find_cells(papers, f"{paper}/{name}", "smoke")
            path = run_cell(cell, papers.function(cell), root, say=lambda text: None)
            made[name] = read_records(path)[0].assign(benchmark=cell.benchmark, method=cell.method)
        return made[name]

    return run


class Fake:
    """Results that hold the given frames."""

    reduced = True
    cells = ()

    def __init__(self, **frames: pd.DataFrame) -> None:
        self.frames = frames

    def frame(self, experiment: str) -> pd.DataFrame:
        return self.frames.get(experiment, pd.DataFrame(columns=["benchmark", "method", "run", "status", "message"]))

    def with_frames(self, **frames: pd.DataFrame) -> Fake:
        """The same results with other frames of some experiments."""
        return Fake(**(self.frames | frames))
