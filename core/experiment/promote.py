"""Promotion: your own finished cell becomes a shipped reference run by a checked copy, never edited."""

from __future__ import annotations

from pathlib import Path

from core.errors import UserError
from core.experiment.cells import Cell
from core.experiment.results import inspect_cell
from core.experiment.storage import copy_records, read_records


def check(cell: Cell, root: Path) -> None:
    """Raise a UserError unless the cell's own run may be shipped.

    Refused: not run, unreadable, made with settings other than today's, fewer repetitions than its scale has, made by
    uncommitted code, or an ablation.
    """
    if cell.overrides:
        raise UserError(f"{cell.name}: an ablation ({', '.join(cell.overrides)}) is never promoted")
    info = inspect_cell(cell, root, "run")
    again = f"python -m papers run {cell.name} --scale {cell.scale}"
    if not info.present:
        raise UserError(f"{cell.name}: {info.path} does not exist; make it: {again}")
    if info.stale:
        raise UserError(f"{cell.name}: {info.path} was made with settings other than today's; rerun it: {again}")
    if info.runs < cell.runs:
        raise UserError(f"{cell.name}: {info.path} holds {info.runs} of {cell.runs} repetitions; finish it: {again}")
    if "+changes" in info.commit or "unknown" in info.commit:
        raise UserError(f"{cell.name}: {info.path} was made by uncommitted code ({info.commit}); commit, then rerun it")
    read_records(cell.path(root, "run"))  # the checks above read only metadata; what is shipped must be readable whole


def promote(cell: Cell, root: Path) -> Path:
    """Copy results/run/... to results/reference/... and return the new path; raises as `check`."""
    check(cell, root)
    target = cell.path(root, "reference")
    copy_records(cell.path(root, "run"), target)
    return target
