"""Tabular benchmarks as files: raw-run files (`core.experiment.storage`) of the records of `core.tabular.frame`."""

from __future__ import annotations

from pathlib import Path

from core.errors import UserError
from core.experiment.storage import read_records, write_records
from core.tabular.frame import from_records, to_records
from core.tabular.grid import Grid
from core.tabular.table import Table


def save_table(table: Table, path: str | Path) -> None:
    """Write a table that no experiment made, such as one read from published files, as a raw-run file.

    Raises:
        UserError: the file cannot be written.
    """
    made = {"settings_hash": "", "commit": "", "seeds": {}, "wall_seconds": 0.0, "peak_memory_mb": 0.0, "runs": 1}
    write_records(Path(path), to_records(table).assign(run=0, status="ok", message=""), made)


def load_table(path: str | Path, grid: Grid | None = None) -> Table:
    """The table of a file that `save_table` or an experiment wrote.

    Raises:
        UserError: the file does not exist, is truncated or not a table, or `from_records` refuses it.
    """
    try:
        records, _ = read_records(Path(path))
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such table; allowed: the Parquet file of a tabular benchmark") from error
    return from_records(records, grid, str(path))
