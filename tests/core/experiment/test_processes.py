"""Real processes on one cell: killed with SIGKILL in the middle, two at once, the holder killed while another waits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from core.experiment.storage import read_records

COMMAND = [sys.executable, "-m", "papers", "run", "toy/fit/line/noisy", "--scale", "paper"]
CELL = Path("results/run/paper/toy/fit/line/noisy.parquet")


@pytest.fixture
def repository(make_repository, tmp_path) -> Path:
    return make_repository(tmp_path / "repository")


@pytest.fixture(scope="module")
def expected(make_repository, tmp_path_factory, environment) -> pd.DataFrame:
    """The records of a run that nothing interrupts."""
    path = make_repository(tmp_path_factory.mktemp("expected") / "repository")
    subprocess.run(COMMAND, cwd=path, env=environment, check=True, capture_output=True)
    return read_records(path / CELL)[0].drop(columns="seconds")


@pytest.fixture
def hold(start, repository):
    """Starts the command and returns once it is in the middle of its third shard, where it stays until released."""

    def begin(log: Path) -> subprocess.Popen:
        process = start(COMMAND, repository, TOY_LOG=log, TOY_HOLD=repository / "go", TOY_HOLD_AT=20)
        wait_for(repository / "go.reached", process)
        return process

    return begin


def wait_for(path: Path, process: subprocess.Popen) -> None:
    while not path.exists():
        assert process.poll() is None, process.stdout.read()
        time.sleep(0.01)


def read_until(process: subprocess.Popen, text: str) -> str:
    for line in process.stdout:
        if text in line:
            return line
    pytest.fail(f"the process ended without saying {text!r}")


def calls(log: Path) -> list[tuple[int, int]]:
    """(process id, first repetition) of every call of the experiment function."""
    return [(int(line.split()[0]), int(line.split()[2])) for line in log.read_text().splitlines()]


def check(path: Path, expected: pd.DataFrame) -> None:
    records, provenance = read_records(path)
    pd.testing.assert_frame_equal(records.drop(columns="seconds"), expected, check_exact=True)
    assert provenance["runs"] == 25
    assert sorted(file.name for file in path.parent.iterdir()) == [".noisy.lock", "noisy.parquet"]


def test_killed_in_the_third_shard_and_rerun(repository, hold, start, expected, tmp_path):
    """The records are those of an undisturbed run bit for bit, and only the third shard is computed again."""
    log = tmp_path / "log"
    killed = hold(log)
    killed.kill()
    assert killed.wait() == -signal.SIGKILL
    assert not (repository / CELL).exists()
    assert len(list((repository / CELL).parent.glob(".noisy.shards/*"))) == 2

    rerun = start(COMMAND, repository, TOY_LOG=log)
    assert rerun.wait() == 0, rerun.stdout.read()
    assert calls(log) == [(killed.pid, 0), (killed.pid, 10), (killed.pid, 20), (rerun.pid, 20)]
    check(repository / CELL, expected)


def test_the_second_of_two_waits_and_finds_the_work_done(repository, hold, start, expected, tmp_path):
    log = tmp_path / "log"
    first = hold(log)
    second = start(COMMAND, repository, TOY_LOG=log)
    told = read_until(second, "waiting for it")
    assert f"line/noisy: being computed by process {first.pid}; waiting for it" in told
    (repository / "go").touch()
    assert first.wait() == second.wait() == 0
    assert {process for process, _ in calls(log)} == {first.pid}
    check(repository / CELL, expected)


def test_the_second_takes_over_when_the_first_is_killed(repository, hold, start, expected, tmp_path):
    log = tmp_path / "log"
    first = hold(log)
    second = start(COMMAND, repository, TOY_LOG=log)
    read_until(second, "waiting for it")
    os.kill(first.pid, signal.SIGKILL)
    assert second.wait() == 0, second.stdout.read()
    assert calls(log)[-1] == (second.pid, 20)
    assert len(calls(log)) == 4
    check(repository / CELL, expected)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(repository, hold, start, expected, tmp_path, number):
    """Ctrl-C, or Snakemake ending its jobs: one line says what is kept, and the same command continues from there."""
    log = tmp_path / "log"
    process = hold(log)
    process.send_signal(number)
    output, _ = process.communicate()
    assert process.returncode == 128 + number
    assert "interrupted; finished shards are kept, and the same command continues from there" in output
    assert "Traceback" not in output
    assert len(list((repository / CELL).parent.glob(".noisy.shards/*"))) == 2
    rerun = start(COMMAND, repository, TOY_LOG=log)
    assert rerun.wait() == 0, rerun.stdout.read()
    assert len(calls(log)) == 4
    check(repository / CELL, expected)
