"""Which files of a cell exist and are usable, and the records that it reads of others, without the experiment's
modules.

A file is usable if it can be read whole, was made with today's settings, has its attachment beside it, and read the
same records of what the cell needs: a table of trained networks, the data of a surrogate.

Repetitions that read different records optimize different objectives: what was read is identified by its digest, and a
cell does not join shards that read files other than those it would read now. A file that was written again with the
same records, encoded anew or with migrated settings, names its earlier digests under `formerly`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.experiment.cells import Cell
from core.experiment.provenance import FORMERLY
from core.experiment.schema import split_reference
from core.experiment.storage import ResultFileError, read_provenance, read_records
from core.foundation.errors import UnavailableError, UserError

if TYPE_CHECKING:
    import pandas as pd


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


PREFERENCE = ("run", "reference")
"""Your own runs before the shipped ones."""


def read_needed(cell: Cell, experiment: str, root: Path, read: dict[str, dict[str, str]]) -> pd.DataFrame:
    """Rows of the cells of `experiment` that a cell needs, with the columns `benchmark` and `method`.

    If a file has more repetitions than the scale, only those of the scale are read.

    Args:
        root: Root of the repository.
        read: Dictionary that receives, for each cell, the file, its digest, and the commit that made it.

    Raises:
        UserError: the experiment is not needed.
        UnavailableError: a cell has no file with all its repetitions and today's settings.
        ResultFileError: a file is truncated or not a raw-run file.
    """
    import pandas as pd

    owner, name = split_reference(experiment, cell.paper)
    cells = [needed for needed in cell.needs if (needed.paper, needed.experiment) == (owner, name)]
    if not cells:
        known = sorted({needed.reference(cell.paper) for needed in cell.needs})
        raise UserError(f"{cell.name}: reads records of {experiment!r}, but its `needs` in paper.yaml are {known}")
    frames = []
    for needed in cells:
        path = require_file(needed, root)
        records, notes = read_records(path)
        read[needed.name] = {"file": str(path.relative_to(root)), "digest": digest(path), "commit": notes["commit"]}
        records = records[records["run"] < needed.runs]
        frames.append(records.assign(benchmark=needed.benchmark, method=needed.method))
    return pd.concat(frames, ignore_index=True)


def reads_the_same(cell: Cell, read: dict[str, dict[str, str]], root: Path) -> bool:
    """Whether the cell would read the `read` files again now; files that no longer exist are skipped."""
    for needed in cell.needs:
        path = find_file(needed, root) if needed.name in read else None
        if path is not None and not has_digest(path, read[needed.name].get("digest")):
            return False
    return True


def has_digest(path: Path, recorded: str | None) -> bool:
    """Whether a file's records are those of the file with this digest: its own, or that of an earlier version."""
    return recorded == digest(path) or recorded in read_provenance(path).get(FORMERLY, ())


def digests_of(path: Path, replaced: Path) -> list[str]:
    """All digests by which the records of a file are known, if the file that it replaces holds the same; else none."""
    if not replaced.exists() or not read_records(path)[0].equals(read_records(replaced)[0]):
        return []
    earlier = (read_provenance(file).get(FORMERLY, ()) for file in (path, replaced))
    return list(dict.fromkeys([digest(path), digest(replaced), *chain.from_iterable(earlier)]))


def digest(path: Path) -> str:
    """The first 16 hex digits of a file's SHA-256."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def require_file(needed: Cell, root: Path) -> Path:
    """The file from `find_file`; if there is none, raises UnavailableError with the command that makes it."""
    path = find_file(needed, root)
    if path is not None:
        return path
    places = " nor ".join(str(needed.path("", source)) for source in PREFERENCE)
    command = f"python -m papers run {needed.name} --scale {needed.scale}"
    beside = f" and a file .{needed.attachment} beside it" if needed.attachment else ""
    raise UnavailableError(
        f"{needed.name}: needed, but neither {places} has all its repetitions with today's settings{beside}; "
        f"make it with: {command}"
    )


def find_file(needed: Cell, root: Path, sources: Sequence[str] = PREFERENCE) -> Path | None:
    """A cell's file with all repetitions and today's settings, from the first source that has one; None if absent.

    If the cell has an attachment, only a file with that beside it counts.
    """
    for source in sources:
        path, attachment = needed.path(root, source), needed.attachment_path(root, source)
        if path.exists() and (attachment is None or attachment.exists()) and _is_whole(needed, read_provenance(path)):
            return path
    return None


def _is_whole(cell: Cell, notes: dict[str, Any]) -> bool:
    return notes["settings_hash"] == cell.settings_hash and notes["runs"] >= cell.runs
