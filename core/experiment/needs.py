"""Records that one experiment reads of another: a table of trained networks, the data of a surrogate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from core.errors import UserError
from core.experiment.cells import Cell
from core.experiment.storage import read_provenance, read_records

SOURCES = ("run", "reference")
"""Your own runs are preferred to the shipped ones."""


def read_needed(cell: Cell, experiment: str, root: Path, read: dict[str, dict[str, str]]) -> pd.DataFrame:
    """Rows of the cells of `experiment` that a cell needs, with the columns `benchmark` and `method`.

    Args:
        root: the repository's.
        read: is given, for each cell, the file and the commit that made it.

    Raises:
        UserError: the experiment is not needed, or a cell has no file of all its repetitions with today's settings.
        ResultFileError: a file is truncated or not a raw-run file.
    """
    cells = [needed for needed in cell.needs if needed.experiment == experiment]
    if not cells:
        known = sorted({needed.experiment for needed in cell.needs})
        raise UserError(f"{cell.name}: reads records of {experiment!r}, but its `needs` in paper.yaml are {known}")
    frames = []
    for needed in cells:
        path = _file(needed, root)
        records, found = read_records(path)
        read[needed.name] = {"file": str(path.relative_to(root)), "commit": found["commit"]}
        frames.append(records.assign(benchmark=needed.benchmark, method=needed.method))
    return pd.concat(frames, ignore_index=True)


def _file(needed: Cell, root: Path) -> Path:
    for source in SOURCES:
        path = needed.path(root, source)
        if path.exists() and _is_whole(needed, read_provenance(path)):
            return path
    places = " nor ".join(str(needed.path("", source)) for source in SOURCES)
    command = f"python -m papers run {needed.name} --scale {needed.scale}"
    raise UserError(
        f"{needed.name}: needed, but neither {places} has all its repetitions with today's settings; "
        f"make it with: {command}"
    )


def _is_whole(cell: Cell, found: dict[str, Any]) -> bool:
    return found["settings_hash"] == cell.settings_hash and found["runs"] >= cell.runs
