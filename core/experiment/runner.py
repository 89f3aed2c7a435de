"""Run a cell: shard by shard under its lock, resuming after what is finished, recording what fails.

Each shard of repetitions is one call of the experiment function and one file in a hidden folder beside the result; the
last step joins them. A kill therefore costs the shard in progress, of a search in lockstep the last minute of it
(`core.study.lockstep`), and a rerun finds the others. A shard whose call
raises is repeated one repetition at a time: those that still raise become rows with status "failed" and the message,
the others are kept. Non-finite metrics are failures too. Memory or a disk that fails is no result and stops the cell.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from core.experiment import provenance
from core.experiment.cells import Cell
from core.experiment.context import Context
from core.experiment.finished import (
    PROPOSALS,
    is_finished_shard,
    shard_file,
    shard_folder,
    unfinished_file,
    usable_runs,
)
from core.experiment.provenance import device_model
from core.experiment.storage import (
    ResultFileError,
    read_provenance,
    read_records,
    write_records,
)
from core.foundation.convergence import as_record, counting, together
from core.foundation.errors import UserError
from core.foundation.files import remove_temporaries
from core.foundation.locks import exclusive
from core.foundation.progress import Progress, silent, was_interrupted, within

ExperimentFunction = Callable[[Context], pd.DataFrame]
RAISED = "raised"  # the column of shards that says which repetitions raised; a cell's file does without it


def run_cell(
    cell: Cell,
    function: ExperimentFunction,
    root: Path,
    device: str = "cpu",
    say: Callable[[str], None] = print,
    progress: Progress = silent,
) -> Path:
    """Compute what is missing from a cell and return its file.

    A finished file with today's settings hash and enough repetitions is left untouched; one with fewer is extended,
    one with other settings or that cannot be read is recomputed, and `say` receives the reason.

    Raises:
        UserError: every repetition raised (nothing is kept), or memory ran out or a file cannot be read or written
            (finished shards are kept).
    """
    path = cell.path(root)
    with _locked(path, say):
        remove_temporaries(path)
        usable = usable_runs(cell, root, say)
        if usable >= cell.runs:
            _remove_joined(path, usable)
            progress(1.0)
            return path
        shards = cell.shards(device)
        if usable:
            _reuse_as_shards(path, shards)
        missing = [runs for runs in shards if not is_finished_shard(cell, runs, root)]
        done = len(shards) - len(missing)
        progress(done / len(shards))
        commits = provenance.commits(root) if missing else ""
        for runs in missing:
            of_shard = within(progress, done / len(shards), (done + 1) / len(shards))
            context = Context(cell, runs, device, of_shard, root, commits)
            _run_shard(context, function, shard_file(path, runs))
            done += 1
            progress(done / len(shards))
        parts = [read_records(shard_file(path, runs)) for runs in shards]  # a resumed cell joins the very same frames
        joined = pd.concat([records for records, _ in parts], ignore_index=True)
        raised = joined.pop(RAISED).eq(True) if RAISED in joined else pd.Series(False, index=joined.index)
        if raised.all():
            shutil.rmtree(shard_folder(path), ignore_errors=True)
            raise UserError(f"{cell.name}: every repetition failed; the first said: {joined['message'].iloc[0]}")
        write_records(path, joined, provenance.joined([notes for _, notes in parts], cell.runs))
        shutil.rmtree(shard_folder(path), ignore_errors=True)
    return path


def discard(cell: Cell, root: Path, say: Callable[[str], None] = print) -> None:
    """Remove your own run of a cell, so that it is computed again; one with more repetitions than the cell's is kept.

    Waits for a process that is computing the cell.
    """
    path = cell.path(root)
    with _locked(path, say):
        try:
            if read_provenance(path)["runs"] > cell.runs:
                return
        except (FileNotFoundError, ResultFileError):
            pass
        path.unlink(missing_ok=True)


def _locked(path: Path, say: Callable[[str], None]) -> AbstractContextManager[None]:
    """The lock of a cell's file: one process computes it."""
    return exclusive(path.with_name(f".{path.stem}.lock"), say)


def _remove_joined(path: Path, runs: int) -> None:
    """Remove what a finished file was joined from: a kill may have come before `run_cell` did.

    What a longer run left there when it was interrupted stays.
    """
    folder = shard_folder(path)
    ends = [int(file.stem.rpartition("-")[2]) for file in folder.glob("*-*.parquet")]
    under_way = [*folder.glob("*-*.jsonl"), *folder.glob(f"*-*.{PROPOSALS}")]  # evaluations and proposals
    begun = [int(file.stem.rpartition("-")[2]) for file in under_way]
    if max(ends, default=0) <= runs and max(begun, default=-1) < runs:
        shutil.rmtree(folder, ignore_errors=True)


def _reuse_as_shards(path: Path, shards: Iterable[range]) -> None:
    """Split a shorter finished file into the whole shards that a longer run would have made."""
    records, all_notes = read_records(path)
    for runs in shards:
        part = records[records["run"].isin(runs)]
        if part["run"].nunique() == len(runs):
            share = len(runs) / all_notes["runs"]
            notes = {**all_notes, "runs": len(runs), "wall_seconds": all_notes["wall_seconds"] * share}
            write_records(shard_file(path, runs), part, notes)


def _run_shard(context: Context, function: ExperimentFunction, file: Path) -> None:
    """Compute one shard and write it, with its part of the provenance."""
    start = time.perf_counter()
    with counting() as counts:
        frame = compute_shard(context, function)
    fits = together([as_record(counts), context.resumed.get("fits", {})])
    notes = {
        "cell": context.cell.name,
        "scale": context.cell.scale,
        "settings": context.cell.settings.model_dump(mode="json"),
        "settings_hash": context.cell.settings_hash,
        "overrides": list(context.cell.overrides),
        "runs": len(context.runs),
        "seeds": context.handed_out,
        "read": context.read,
        "commit": context.commits,
        **provenance.machine(),
        "device": device_model(context.device),
        "threads": _threads(),
        "wall_seconds": time.perf_counter() - start + context.resumed.get("wall_seconds", 0.0),
        "peak_memory_mb": provenance.peak_memory_mb(),
        **({provenance.FITS: fits} if fits else {}),
    }
    write_records(file, frame, notes)
    unfinished_file(context.cell, context.runs, context.root, PROPOSALS).unlink(missing_ok=True)


def compute_shard(context: Context, function: ExperimentFunction) -> pd.DataFrame:
    """The records of one shard, with `status` and `message`, and `RAISED` where a repetition raised; writes nothing.

    Raises:
        UserError: raised by the experiment itself, records of repetitions other than the shard's, or memory, a disk, a
            file or a network that failed.
    """
    try:
        return _checked(context, function(context))
    except UserError:
        raise
    except Exception as error:
        _stop_unless_its_own(error, context)
        return pd.concat([_run_alone(context, function, run) for run in context.runs], ignore_index=True)


def _run_alone(context: Context, function: ExperimentFunction, run: int) -> pd.DataFrame:
    single = replace(context, runs=range(run, run + 1))
    try:
        return _checked(single, function(single))
    except UserError:
        raise
    except Exception as error:
        _stop_unless_its_own(error, single)
        where = traceback.extract_tb(error.__traceback__)[-1]
        message = f"repetition raised {type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        return pd.DataFrame({"run": [run], "status": ["failed"], "message": [message], RAISED: [True]})


def _stop_unless_its_own(error: Exception, context: Context) -> None:
    """Raise if an error is not the experiment's own: the echo of an interruption, or what this machine lacks."""
    if was_interrupted():
        raise KeyboardInterrupt from None
    if is_environmental(error):
        runs = f"repetitions {context.runs.start} to {context.runs.stop - 1}"
        said = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise UserError(
            f"{context.cell.name}: {runs}: {said}; this machine's failure and no result: nothing of these repetitions "
            "is kept, finished shards are, and the same command continues from there"
        ) from error


def is_environmental(error: Exception) -> bool:
    """Whether an error says that memory, a disk, a file or a network failed, so that a rerun may well succeed.

    Torch reports exhausted memory as a RuntimeError. On a device it has a type of its own; on the CPU only the text of
    the message says so.
    """
    torch_memory = type(error).__name__ == "OutOfMemoryError" or "can't allocate memory" in str(error)
    return isinstance(error, (MemoryError, OSError)) or (isinstance(error, RuntimeError) and torch_memory)


def _checked(context: Context, frame: pd.DataFrame) -> pd.DataFrame:
    """The experiment's records with `status` and `message`: every repetition present, non-finite metrics marked.

    An experiment whose rows are evaluations provides both columns itself, for the evaluations that failed.
    """
    if "run" not in frame:
        runs = f"context.runs, {context.runs.start} to {context.runs.stop - 1}"
        wanted = f"a data frame whose column 'run' has each of {runs}, in a row or more"
        raise UserError(f"{context.cell.name}: the experiment returned no column 'run'; allowed: {wanted}")
    present, expected = set(frame["run"]), set(context.runs)
    if present != expected:
        returned = f"returned repetitions {sorted(present)}, not {sorted(expected)}"
        raise UserError(f"{context.cell.name}: the experiment {returned}")
    numbers = frame.select_dtypes(np.floating)
    bad = ~np.isfinite(numbers.to_numpy(dtype=float))
    columns = np.array(numbers.columns)
    own = frame.get("message", [""] * len(frame))
    messages = [f"non-finite {', '.join(columns[row])}" if row.any() else said for row, said in zip(bad, own)]
    return frame.assign(status=np.where(bad.any(axis=1), "failed", frame.get("status", "ok")), message=messages)


def _threads() -> int:
    if "torch" in sys.modules:
        return sys.modules["torch"].get_num_threads()
    return int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1))
