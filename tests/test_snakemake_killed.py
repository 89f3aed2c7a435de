"""Snakemake or its jobs, killed: nothing that was finished is lost, and nothing is computed twice."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from core.experiment.storage import read_records

CELL = "results/run/paper/toy/fit/line/noisy.parquet"
NOTHING = "Nothing to be done (all requested files are present and up to date)."


@pytest.mark.slow
class TestKilled:
    def begin(self, start, repository: Path, log: Path) -> subprocess.Popen:
        """Snakemake with a job that is held in its third shard."""
        command = ["snakemake", "--", CELL]
        process = start(command, repository, TOY_LOG=log, TOY_HOLD=repository / "go", TOY_HOLD_AT=20)
        while not (repository / "go.reached").exists():
            assert process.poll() is None, process.stdout.read()
            time.sleep(0.01)
        return process

    def check(self, repository: Path, log: Path, shards: list[int]) -> None:
        assert [int(line.split()[2]) for line in log.read_text().splitlines()] == shards
        records, _ = read_records(repository / CELL)
        assert list(records["run"]) == list(range(25))

    def test_snakemake_and_its_job_killed_and_rerun_without_unlock(self, call, start, repository, tmp_path):
        log = tmp_path / "log"
        process = self.begin(start, repository, log)
        os.killpg(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        assert not (repository / CELL).exists()
        status, output = call("--", CELL, TOY_LOG=log)
        assert status == 0, output
        self.check(repository, log, [0, 10, 20, 20])
        assert NOTHING in call("-n", "--", CELL)[1]

    def test_snakemake_killed_alone_the_orphan_is_waited_for(self, call, start, repository, tmp_path):
        """The job lives on; the rerun's job waits for it at the cell's lock and finds the work done."""
        log, told = tmp_path / "log", repository / "logs/run/paper/toy/fit/line/noisy.log"
        process = self.begin(start, repository, log)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        orphan = log.read_text().split()[0]
        rerun = start(["snakemake", "--", CELL], repository, TOY_LOG=log)
        while not told.exists() or "waiting for it" not in told.read_text():  # Snakemake makes the log anew
            assert rerun.poll() is None, rerun.stdout.read()
            time.sleep(0.01)
        assert f"being computed by process {orphan}" in told.read_text()
        (repository / "go").touch()
        output, _ = rerun.communicate()
        assert rerun.returncode == 0, output
        self.check(repository, log, [0, 10, 20])
