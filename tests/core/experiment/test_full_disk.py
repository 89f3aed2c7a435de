"""A full disk, for real: a tmpfs of 400 KiB, mounted where nobody else sees it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = Path(__file__).with_name("full_disk.py")


def namespace(folder: Path) -> list[str]:
    """The command that gives what follows mounts of its own: as root, or as root of a user namespace."""
    if shutil.which("unshare") is None:
        pytest.skip("no `unshare` on this machine, so no tmpfs can be mounted in private")
    for command in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        trial = [*command, "mount", "-t", "tmpfs", "tmpfs", str(folder)]
        if subprocess.run(trial, capture_output=True).returncode == 0:
            return command
    pytest.skip("this machine permits neither root nor a user to mount a tmpfs in a namespace of its own")


@pytest.mark.parametrize(
    "room, kept, lost",
    [
        (8, ["000000-000010.parquet", "000010-000020.parquet"], ".plain.shards/000020-000030.parquet"),
        (80, ["000000-000010.parquet", "000010-000020.parquet", "000020-000030.parquet"], "line/plain.parquet"),
    ],
    ids=["in the third shard", "in the last step"],
)
def test_finished_shards_are_kept_and_a_rerun_completes(tmp_path, environment, room, kept, lost):
    command = [*namespace(tmp_path), sys.executable, str(SCRIPT), str(tmp_path), str(room)]
    variables = environment | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])

    assert f"{lost}: no space left on the device (" in told["first"]
    assert "MiB free in" in told["first"]
    assert told["first"].endswith("finished shards are kept, free some space and rerun the same command")
    assert "\n" not in told["first"]
    assert told["files"] == [".plain.lock", *kept], "no half file, no temporary one"
    assert not told["finished"]

    assert told["calls"] == [0, 10, 20]
    assert told["calls_after"] == [0, 10, 20, *([20] if len(kept) == 2 else [])]
    assert told["files_after"] == [".plain.lock", "plain.parquet"]
    assert told["runs"] == list(range(30))

    assert "quick/toy/fit/line/plain.parquet: no space left on the device" in told["copy"]
    assert told["files_after_copy"] == told["files_after"]
