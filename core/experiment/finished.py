"""Which files of a cell exist and are usable, determined without pandas or the experiment's own modules.

A file is usable if it can be read whole, was made with today's settings, has its attachment beside it, and read the
same records of what the cell needs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.experiment.cells import Cell
from core.experiment.needs import reads_the_same
from core.experiment.storage import ResultFileError, read_provenance

PROPOSALS = "proposals"
"""The kind of file of a shard under way that keeps proposals, see `core.study.lockstep`."""


def is_finished(cell: Cell, root: Path, say: Callable[[str], None] = lambda message: None) -> bool:
    """Whether your own run of the cell has all its repetitions; `say` receives why an existing file does not."""
    return usable_runs(cell, root, say) >= cell.runs


def usable_runs(cell: Cell, root: Path, say: Callable[[str], None] = lambda message: None) -> int:
    """The number of repetitions that your own run of the cell has; `say` receives why it is not enough."""
    path = cell.path(root)
    runs = _runs_of_today(cell, path, root, say)
    if 0 < runs < cell.runs:
        say(f"{path}: holds {runs} of {cell.runs} repetitions; computing the rest")
    return runs


def is_finished_shard(cell: Cell, runs: range, root: Path) -> bool:
    """Whether these repetitions have been computed and wait to be joined."""
    return _runs_of_today(cell, shard_file(cell.path(root), runs), root) > 0


def _runs_of_today(cell: Cell, path: Path, root: Path, say: Callable[[str], None] = lambda message: None) -> int:
    """The number of repetitions in a file of the cell; 0 if it is absent or not usable, and `say` receives why."""
    if not path.exists():
        return 0
    try:
        notes = read_provenance(path)
    except ResultFileError as error:
        say(f"{error} -- recomputing it now")
        return 0
    if notes["settings_hash"] != cell.settings_hash:
        say(f"{path}: made with other settings ({notes['settings_hash']}, now {cell.settings_hash}); recomputing it")
        return 0
    attachment = cell.attachment_path(root)
    if attachment is not None and not attachment.exists():
        say(f"{path}: {attachment.name}, which is made with it, is gone; recomputing both")
        return 0
    if not reads_the_same(cell, notes.get("read", {}), root):
        say(f"{path}: made from other records of the cells it needs; recomputing it")
        return 0
    return notes["runs"]


def waiting_runs(cell: Cell, root: Path) -> int:
    """How many repetitions of a run that has not ended wait to be joined."""
    if not shard_folder(cell.path(root)).is_dir():
        return 0
    return sum(len(runs) for runs in cell.shards() if is_finished_shard(cell, runs, root))


def shard_folder(path: Path) -> Path:
    """The folder where the shards of the cell's file at `path` wait for each other."""
    return path.with_name(f".{path.stem}.shards")


def shard_file(path: Path, runs: range) -> Path:
    """The file of one shard of repetitions."""
    return shard_folder(path) / f"{runs.start:06d}-{runs.stop:06d}.parquet"


def unfinished_file(cell: Cell, runs: range, root: Path, kind: str) -> Path:
    """A file of a shard under way, which only the same settings may use; `kind` is its ending."""
    return shard_folder(cell.path(root)) / f"{cell.settings_hash}-{runs.start}.{kind}"
