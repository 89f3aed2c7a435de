"""Runs a cell on a small tmpfs that fills up; started by test_full_disk.py in a mount namespace of its own.

Arguments: the folder to mount on, and the KiB that are left free when the third shard begins. Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from core.experiment.cells import Cell
from core.experiment.context import Context
from core.experiment.runner import run_cell
from core.experiment.settings import Settings
from core.experiment.storage import copy_records, read_records
from core.foundation.errors import UserError

CELL = Cell("toy", "fit", "line", "plain", "paper", 30, Settings(), "fit")


def main(root: Path, room: int) -> dict:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(root)], check=True)
    path = CELL.path(root)
    calls: list[int] = []

    def experiment(context: Context) -> pd.DataFrame:
        calls.append(context.runs.start)
        if calls == [0, 10, 20]:
            fill(root, room)
        noise = [np.random.default_rng(run).bytes(4000) for run in context.runs]  # 40 kB a shard, incompressible
        return pd.DataFrame({"run": context.runs, "noise": noise})

    told: dict = {"first": error_of(lambda: run_cell(CELL, experiment, root)), "files": files(root), "calls": [*calls]}
    told["finished"] = path.exists()
    (root / "filler").unlink()
    run_cell(CELL, experiment, root)
    told["calls_after"], told["files_after"] = calls, files(root)
    told["runs"] = sorted(read_records(path)[0]["run"])
    fill(root, 8)
    target = replace(CELL, scale="quick").path(root, "reference")
    told["copy"], told["files_after_copy"] = error_of(lambda: copy_records(path, target)), files(root)
    return told


def fill(root: Path, room: int) -> None:
    """Leave `room` KiB."""
    disk = os.statvfs(root)
    (root / "filler").write_bytes(b"x" * (disk.f_bavail * disk.f_frsize - room * 1024))


def error_of(action) -> str:
    try:
        action()
    except UserError as error:
        return str(error)
    return ""


def files(root: Path) -> list[str]:
    return sorted(file.name for file in root.rglob("*") if file.is_file() and file.name != "filler")


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
