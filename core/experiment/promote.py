"""Promotion: your own finished cell becomes a shipped reference run by a checked copy; its records are never edited."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from core.experiment.cells import Cell
from core.experiment.needs import digest, digests_of, has_digest
from core.experiment.provenance import FORMERLY
from core.experiment.results import inspect_cell
from core.experiment.storage import copy_records, read_provenance, read_records, read_table, write_table
from core.foundation.errors import UserError


def check(cell: Cell, root: Path, others: Collection[Cell] = ()) -> None:
    """Raise a UserError unless the cell's own run may be shipped.

    Refused: not run, unreadable, made with settings other than today's, fewer repetitions than its scale has, made by
    uncommitted code, made from records of other cells that are not those shipped, or an ablation.

    Args:
        others: Cells that are promoted together with this one.
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
    read = read_provenance(cell.path(root, "run")).get("read", {})
    for needed in (needed for needed in cell.needs if needed.name in read):
        shipped = needed.path(root, "run" if needed in others else "reference")
        if not shipped.exists() or not has_digest(shipped, read[needed.name].get("digest")):
            raise UserError(
                f"{cell.name}: {info.path} was made from {read[needed.name]['file']} as it was then, which is not what "
                f"is shipped of {needed.name}; promote that with it, or rerun it: {again}"
            )
    read_records(cell.path(root, "run"))  # the checks above read only metadata; what is shipped must be readable whole


def promote(cell: Cell, root: Path, others: Collection[Cell] = ()) -> Path:
    """Copy results/run/... to results/reference/... and return the new path; arguments and errors as of `check`.

    If the shipped file holds the same records, the new one is known by its digest too: what was made from these records
    stays valid.
    """
    check(cell, root, others)
    own, target = cell.path(root, "run"), cell.path(root, "reference")
    if target.exists() and has_digest(target, digest(own)):
        return target
    if known := digests_of(own, target):
        table, provenance = read_table(own)
        write_table(target, table, {**provenance, FORMERLY: known})
    else:
        copy_records(own, target)
    return target
