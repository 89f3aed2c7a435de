"""Disks that are full, at any byte of what is written, and disks that can only be read.

A process may not write files beyond a limit (RLIMIT_FSIZE): what it writes fails at exactly that byte, as a quota does.
"""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.experiment.runner import run_cell
from core.foundation.errors import UserError
from tests.core.experiment.test_full_disk import namespace
from tests.core.study.bowl import outcomes
from tests.faults.searches import SEARCHES, Counted, expected_of, search
from tests.faults.tally import FAULTS
from tests.faults.toy_cell import CELL, Experiment, others, records, shards

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
VARIES = 100  # bytes by which files of the same records may differ: times have more digits or fewer


@contextmanager
def at_most(size: int) -> Iterator[None]:
    """No file of this process may grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_cell_whose_files_find_no_room(tmp_path):
    """Every shard that was finished stays, nothing else does, and the same call finishes the rest."""
    run_cell(CELL, Experiment(), tmp_path / "whole")
    expected, largest = records(tmp_path / "whole"), CELL.path(tmp_path / "whole").stat().st_size
    generator = np.random.default_rng()
    most = largest - VARIES
    for number in range(FAULTS["cells that find no room"]):
        root, limit, first = tmp_path / str(number), int(generator.integers(1, most)), Experiment()
        with at_most(limit), pytest.raises(UserError, match=r"\.parquet: cannot be written: File too large"):
            run_cell(CELL, first, root)
        kept = [int(path.stem.partition("-")[0]) for path in shards(root)]
        assert kept == first.begun[: len(kept)] and others(root) == [path.name for path in shards(root)]
        run_cell(CELL, second := Experiment(), root)
        assert kept + second.begun == [0, 10, 20]
        pd.testing.assert_frame_equal(records(root), expected, check_exact=True)
        assert others(root) == []


@pytest.mark.parametrize("kind", SEARCHES)
def test_a_search_whose_journal_finds_no_room(tmp_path, kind):
    """At whatever byte it ends, every evaluation in it counts, and only the one that found no room is made again."""
    expected = expected_of(kind)
    search(kind, tmp_path / "whole")
    sizes = np.cumsum([len(line) for line in (tmp_path / "whole").read_bytes().splitlines(keepends=True)])
    generator, journal = np.random.default_rng(), tmp_path / "run" / "run.jsonl"
    for _ in range(FAULTS["journals that find no room"] // len(SEARCHES)):
        journal.parent.mkdir()
        size = int(generator.integers(1, sizes[-1] - VARIES))
        first, second = Counted(), Counted()
        with at_most(size), pytest.raises(UserError, match=r"run\.jsonl.*: cannot be written: File too large"):
            search(kind, journal, first)
        assert outcomes(search(kind, journal, second)) == expected
        assert first.calls + second.calls in (len(expected), len(expected) + 1)
        assert not list(journal.parent.rglob("*.tmp"))
        shutil.rmtree(journal.parent)


def in_namespace(tmp_path: Path, environment: dict[str, str], what: str) -> dict:
    """What `disks.py` says, which mounts a disk of its own below the folder."""
    command = [*namespace(tmp_path), sys.executable, "-m", "tests.faults.disks", what, str(tmp_path)]
    elsewhere = tmp_path.with_name("elsewhere")  # where a journal that finds no room is kept
    elsewhere.mkdir(exist_ok=True)
    variables = {**environment, "PYTHONPATH": str(ROOT), "TMPDIR": str(elsewhere)}
    done = subprocess.run(command, env=variables, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_searches_on_a_disk_that_is_full(tmp_path, environment):
    """A real one of 256 KiB, with from none to all but a few of the pages that each search needs."""
    told = in_namespace(tmp_path, environment, "full")
    assert len(told) == FAULTS["full disks"]
    for kind, message, first, second, left, same in told:
        assert "No space left on device" in message or "no space left on the device" in message, (kind, message)
        assert "\n" not in message and same, (kind, message)
        states = kind == "checkpoints" and ".state: " in message  # the state of a training that found no room
        assert first + second <= len(expected_of(kind)) + states and left == [], (kind, message)


def test_whatever_writes_on_a_disk_that_can_only_be_read(tmp_path, environment):
    told = in_namespace(tmp_path, environment, "read-only")
    assert len(told) == FAULTS["read-only disks"]
    for name, message in told.items():
        assert "Read-only file system" in message and "\n" not in message, (name, message)
