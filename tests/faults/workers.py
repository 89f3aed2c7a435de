"""What the workers of `kills` do: a cell that searches, and `minimize` with a journal. Each notes what it begins."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pandas as pd

import core.study.loop
import core.study.replay
from core import minimize
from core.experiment.cells import Cell
from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.study.result import Result

ROOT = Path(__file__).resolve().parents[2]
CELL, RUNS = "bohb/counting_ones/d8/hyperband", 22
MEASURED = ["overhead", "seconds"]
"""Columns of records that no two runs have in common."""
SPACE = {"x": (-5.0, 5.0), "n": (1, 9), "kind": ["a", "b"]}
SEARCHES: dict[str, dict[str, Any]] = {
    "checkpoints": {"method": "hyperband", "budgets": (1, 27), "evaluations": 40},
    "model": {"method": {"method": "gp", "initial_design": 4}, "evaluations": 9},
}


def cell_of(root: Path = ROOT) -> tuple[Papers, Cell]:
    """A papers, and its cell with a real search of three shards."""
    papers = Papers(root)
    (cell,) = find_cells(papers, CELL, "smoke", runs=RUNS)
    return papers, cell


def run_search(root: Path, log: Path) -> None:
    """Run the cell below `root`; the log gets a line for each shard that is begun."""
    papers, cell = cell_of()
    function = papers.function(cell)

    def noted(context: Context) -> pd.DataFrame:
        note(log, str(context.runs.start))
        return function(context)

    run_cell(cell, noted, root)


def search(kind: str, journal: Path | None, log: Path, **changed: Any) -> Result:
    """`minimize` with a function that notes the evaluations that it begins, and the epochs that it goes on from."""
    core.study.replay.WORTH_SECONDS = 0.0  # the state of a model is saved at each proposal
    core.study.loop.ATTEMPTS = 1000  # random kills may hit one evaluation three times

    def trained(configuration, budget, state):
        note(log, f"{dict(configuration)} {budget} {state.get('epochs', 0)}")
        time.sleep(0.01)
        state["epochs"] = budget
        return configuration["x"] ** 2 + configuration["n"] + 1 / budget

    def plain(configuration):
        note(log, f"{dict(configuration)} None")
        return configuration["x"] ** 2 + configuration["n"]

    function = plain if kind == "model" else trained
    return minimize(function, SPACE, journal=journal, progress=False, seed=5, **SEARCHES[kind] | changed)


def search_and_forget(kind: str, journal: Path, log: Path) -> None:
    """The same for a process whose result nobody receives."""
    search(kind, journal, log)


def note(log: Path, text: str) -> None:
    """Add a line to a log at once and as a whole."""
    with open(log, "ab", buffering=0) as stream:
        stream.write(f"{text}\n".encode())
