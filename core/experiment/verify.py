"""Verification of shipped runs, and promotion of your own to shipped ones.

Shipped shards are rerun from their stored settings and compared with what is shipped. On the kind of machine that made
the records (the same processor model, versions of Python and packages) a shard must be equal bit for bit; on another it
may agree within rounding or in distribution, see `agreement`.

Your own finished cell becomes a shipped reference run by a checked copy; its records are never edited.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from core.experiment import provenance
from core.experiment.agreement import DIFFERS, DISTRIBUTED, ROUNDED, UNTESTABLE, agreement
from core.experiment.cells import SHARD_RUNS, Cell
from core.experiment.context import Context
from core.experiment.finished import digest, digests_of, find_file, has_digest
from core.experiment.provenance import FORMERLY, on_cpu
from core.experiment.results import inspect_cell
from core.experiment.runner import RAISED, compute_shard
from core.experiment.storage import copy_records, read_provenance, read_records, read_table, write_table
from core.foundation.errors import UserError

if TYPE_CHECKING:
    from core.experiment.paper import Papers


@dataclass(frozen=True)
class Shard:
    """Repetitions of a shipped cell that were computed together, and roughly how many seconds they took.

    The seconds are infinite for what a device computed: a rerun is on the CPU, whose time nobody measured.
    """

    cell: Cell
    runs: range
    seconds: float

    @property
    def name(self) -> str:
        return f"{self.cell.name} ({self.cell.scale}), repetitions {self.runs.start} to {self.runs.stop - 1}"


@dataclass(frozen=True)
class Outcome:
    """The result for one shard: the degree of agreement, the seconds of the rerun, and a remark in words."""

    agreement: str
    seconds: float
    remark: str = ""


def shipped_shards(cells: Iterable[Cell], root: Path) -> list[Shard]:
    """Every shard of the cells that are shipped, once; raises as `read_provenance`."""
    shards = {}
    for cell in cells:
        path = cell.path(root, "reference")
        if path.exists() and path not in shards:
            notes = read_provenance(path)
            runs = notes["runs"]
            seconds = notes["wall_seconds"] / max(1, runs) if on_cpu(notes) else math.inf
            blocks = [range(first, min(first + SHARD_RUNS, runs)) for first in range(0, runs, SHARD_RUNS)]
            shards[path] = [Shard(cell, block, seconds * len(block)) for block in blocks]
    return [shard for blocks in shards.values() for shard in blocks]


def choose(shards: Sequence[Shard], count: int, seed: int, longest: float) -> tuple[list[Shard], dict[str, float]]:
    """For each experiment, `count` random shards among those that took at most `longest` seconds.

    Returns:
        The chosen shards, and the experiments that have no such shard, with the seconds of their shortest.
    """
    by_experiment: dict[str, list[Shard]] = {}
    for shard in shards:
        by_experiment.setdefault(f"{shard.cell.paper}/{shard.cell.experiment}", []).append(shard)
    chosen, skipped = [], {}
    for name, there in by_experiment.items():
        short = [shard for shard in there if shard.seconds <= longest]
        if not short:
            skipped[name] = min(shard.seconds for shard in there)
        chosen += random.Random(f"{seed} {name}").sample(short, min(count, len(short)))
    return chosen, skipped


def verify_shard(papers: Papers, shard: Shard, folder: Path) -> Outcome:
    """Rerun a shard and compare.

    Args:
        folder: An empty folder; there the experiment finds the shipped records that it reads. Of your own it finds only
            those with a file beside them, which are never shipped; the remark names them.

    Raises:
        UserError: what the experiment needs is not available.
    """
    cell, path = shard.cell, shard.cell.path(papers.root, "reference")
    records, notes = read_records(path)
    measured = papers.paper(cell.paper).experiments[cell.experiment].measured
    try:
        stored = replace(cell, settings=type(cell.settings).of_record(notes.get("settings", {})))
    except ValidationError as error:
        return Outcome(DIFFERS, 0.0, f"its stored settings are no longer valid: {error.errors()[0]['msg']}")
    (folder / "results").mkdir(parents=True)
    (folder / "results" / "reference").symlink_to(papers.root / "results" / "reference")
    own = _link_own(stored.needs, papers.root, folder)
    start = time.perf_counter()
    again = compute_shard(Context(stored, shard.runs, root=folder), papers.function(stored))
    again = again.drop(columns=RAISED, errors="ignore")
    seconds = time.perf_counter() - start
    shipped = records[records["run"].isin(shard.runs)].reset_index(drop=True)
    elsewhere = other_machine(notes)
    degree, remark = agreement(shipped, again.reset_index(drop=True), records, measured)
    if degree in (ROUNDED, DISTRIBUTED, UNTESTABLE) and not elsewhere:
        remark, degree = f"this is the kind of machine that made it, but: {degree}; {remark}", DIFFERS
    with_own = f"with your own {', '.join(own)}" if own else ""
    return Outcome(degree, seconds, "; ".join(filter(None, [remark, with_own, *elsewhere[:1]])))


def _link_own(needs: Iterable[Cell], root: Path, folder: Path) -> list[str]:
    """Link your own files of needed cells that write one beside their records into the folder; returns their names."""
    linked = []
    for needed in needs:
        attachment = needed.attachment_path(root, "run")
        if attachment is not None and find_file(needed, root, ["run"]):
            for file in (needed.path(root, "run"), attachment):
                there = folder / file.relative_to(root)
                there.parent.mkdir(parents=True, exist_ok=True)
                there.symlink_to(file.resolve())
            linked.append(needed.name)
    return linked


def other_machine(notes: dict[str, Any]) -> list[str]:
    """How this machine differs from the one that made a file, in what rounding depends on."""
    here = provenance.machine()
    differences = []
    if not on_cpu(notes):
        differences.append(f"made on {notes['device']}")
    for name in ("cpu", "python"):
        if notes.get(name) != here[name]:
            differences.append(f"made with {name} {notes.get(name)}, here {here[name]}")
    theirs = notes.get("packages", {})
    changed = [name for name, own in here["packages"].items() if theirs.get(name) != own]
    return differences + [f"made with {name} {theirs.get(name)}, here {here['packages'][name]}" for name in changed]


def require_promotable(cell: Cell, root: Path, others: Collection[Cell] = ()) -> None:
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
    """Copy results/run/... to results/reference/... and return the new path.

    If the shipped file holds the same records, the new one is known by its digest too: what was made from these records
    stays valid. Arguments and errors as of `require_promotable`.
    """
    require_promotable(cell, root, others)
    own, target = cell.path(root, "run"), cell.path(root, "reference")
    if target.exists() and has_digest(target, digest(own)):
        return target
    if known := digests_of(own, target):
        table, provenance = read_table(own)
        write_table(target, table, {**provenance, FORMERLY: known})
    else:
        copy_records(own, target)
    return target
