"""Disks that are full or read-only, for real; started by test_disks.py in a mount namespace of its own.

Arguments: `full` or `read-only`, and the folder to mount on. Prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from core.data import Places, fetch
from core.experiment.runner import discard, run_cell
from core.experiment.storage import copy_records
from core.foundation.errors import UserError
from core.foundation.files import write_whole
from core.objectives.guard import Remembered
from core.optimizers import RandomSearch
from core.report.figures.files import write_file
from core.study.own import OwnOptimizer  # noqa: F401  imported while there is room for its bytecode
from core.study.states import States
from core.training.chunks import Chunks
from tests.core.study.bowl import SPACE, outcomes
from tests.faults.searches import SEARCHES, Counted, expected_of, search
from tests.faults.tally import FAULTS
from tests.faults.toy_cell import CELL, Experiment, records


def full(disk: Path) -> list[list]:
    """Searches in little room: of each its message, the calls before and after there was more, leftovers, sameness."""
    mount(disk, "size=256k")
    told: list[list] = []
    for kind in SEARCHES:
        expected, pages = expected_of(kind), 0
        for _ in range(FAULTS["full disks"] // len(SEARCHES)):
            first, second = Counted(), Counted()
            message = squeezed(disk, pages, kind, first)
            if not message:  # that was room enough: from the beginning
                pages, first = 0, Counted()
                message = squeezed(disk, pages, kind, first)
            pages += 1
            if command := re.search("`(mv .*)`", message):
                subprocess.run(command[1], shell=True, check=True)
            same = outcomes(search(kind, disk / "run" / "run.jsonl", second)) == expected
            left = [path.name for path in (disk / "run").rglob("*.tmp")]
            told.append([kind, message, first.calls, second.calls, left, same])
    return told


def squeezed(disk: Path, pages: int, kind: str, counted: Counted) -> str:
    """What a search says that has so many pages of room, in a folder that is empty at first."""
    folder, filler = disk / "run", disk / "filler"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    free = os.statvfs(disk)
    filler.write_bytes(b"x" * ((free.f_bavail - pages) * free.f_frsize))
    message = error_of(partial(search, kind, folder / "run.jsonl", counted))
    filler.unlink()
    return message


def read_only(disk: Path) -> dict[str, str]:
    """What each that writes says on a disk that can only be read; what is there is read as ever."""
    mount(disk, "size=4m")
    run_cell(CELL, Experiment(), disk)
    expected, journal = expected_of("random"), disk / "run.jsonl"
    assert outcomes(search("random", journal)) == expected
    kept = records(disk)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    optimizer = RandomSearch(SPACE, np.random.default_rng(0))
    told = {
        "a new cell": lambda: run_cell(CELL, Experiment(), disk / "other"),
        "a finished cell": lambda: run_cell(CELL, Experiment(), disk),
        "a cell that is discarded": lambda: discard(CELL, disk),
        "a copy": lambda: copy_records(CELL.path(disk), disk / "copy.parquet"),
        "a journal": lambda: search("random", disk / "new.jsonl"),
        "a finished journal": lambda: search("random", journal),
        "an optimizer's state": lambda: optimizer.save(disk / "state"),
        "a training's state": lambda: States(disk / "states").write({"x": 1.0}, 1.0, {"epochs": 1}),
        "a remembered evaluation": lambda: Remembered(Constant(), disk / "kept").evaluate([{}], None, rng()),
        "a chunk": lambda: Chunks(disk / "chunks", "squares", 2, 2).fill(lambda items, progress: {"a": items}),
        "a drawing": lambda: write_file(disk / "figure.csv", "a,b\n"),
        "a download": lambda: fetch("concrete", Places(root=disk / "data")),
        "any file": lambda: write_whole(disk / "file", lambda stream: stream.write(b"whole")),
    }
    said = {name: error_of(action) for name, action in told.items()}
    assert records(disk).equals(kept)
    return said


class Constant:
    """An objective."""

    def evaluate(self, configurations, budget, generator):
        from core.objectives.base import Evaluation

        return Evaluation(np.zeros(1), np.ones(1), ({},))


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def mount(disk: Path, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)], check=True)


def error_of(action: Callable[[], object]) -> str:
    """What the user is told; empty if nothing went wrong."""
    try:
        action()
    except UserError as error:
        return str(error)
    return ""


if __name__ == "__main__":
    print(json.dumps({"full": full, "read-only": read_only}[sys.argv[1]](Path(sys.argv[2]))))
