"""A real paper and a toy on a Slurm cluster of this machine, with a job and both daemons killed: make test-slurm.

The first run has two jobs: one that all short cells of the real paper share, and one of a toy cell, which is held in
its third shard of three. When the first has ended, slurmctld and slurmd are killed and started again, and then the
toy's job is killed. The daemons are killed only once slurmctld has saved its jobs: of one that starts in the seconds
before, the saved state says that it waits, slurmd that it runs, and Slurm holds it until an operator releases it.
The second run, by the same command, computes the third shard and nothing else. All records are those of a local run.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

from core.experiment.storage import read_records

sys.path.insert(0, str(Path(__file__).parent))
from one_machine import SAVED_AFTER, Cluster, reason_against, told, wait_until

ROOT = Path(__file__).resolve().parents[2]
TOY = "results/run/paper/toy/fit/line/noisy.parquet"
PAPER = "background"
COMMAND = (
    *(sys.executable, "-m", "snakemake", "--workflow-profile", "profiles/slurm"),
    *("--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2"),
    *("--seconds-between-status-checks", "1", "--latency-wait", "10", "--retries", "0"),
    *("--config", "scale=smoke", "runs=run"),
)
ALL = ("--states=all", "--noheader")
OF_THIS_RUN = {"commit", "wall_seconds", "peak_memory_mb", "migrated"}
"""What differs between two runs of the same cell."""
reason = reason_against() or ("" if find_spec("snakemake_executor_plugin_slurm") else "no Slurm plugin of Snakemake")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(reason), reason=reason)]


@pytest.fixture
def make(make_repository, tmp_path):
    """Makes a repository with the toy and a real paper."""

    def make_one(name: str) -> Path:
        repository = make_repository(tmp_path / name)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "papers" / PAPER, repository / "papers" / PAPER, ignore=ignored)
        return repository

    return make_one


@pytest.fixture
def expected(make, environment) -> Path:
    """A repository with the same cells, run here one after the other."""
    repository = make("local")
    for cells in ([PAPER, "--scale", "smoke"], ["toy/fit/line/noisy", "--scale", "paper"]):
        command = [sys.executable, "-m", "papers", "run", *cells]
        subprocess.run(command, cwd=repository, env=environment, check=True, capture_output=True)
    return repository


def shards(log: Path) -> list[int]:
    """The first repetition of every shard that was begun, in order."""
    return [int(line.split()[2]) for line in log.read_text().splitlines()]


def states() -> dict[str, str]:
    """The state of each job, by its number."""
    return dict(line.split() for line in told("squeue", *ALL, "--format=%i %T").splitlines())


def test_a_job_and_both_daemons_are_killed_and_nothing_is_lost(make, expected, start, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    repository, log, go = make("cluster"), tmp_path / "log", tmp_path / "go"
    files = sorted(str(path.relative_to(expected)) for path in expected.glob("results/run/**/*.parquet"))
    assert TOY in files and len(files) == 6
    command = [*COMMAND, "--", *files]
    with Cluster(tmp_path / "daemons") as cluster:
        first = start(command, repository, TOY_LOG=log, TOY_HOLD=go, TOY_HOLD_AT=20)

        def reached() -> bool:
            assert first.poll() is None, first.communicate()[0]
            return go.with_suffix(".reached").exists()

        wait_until(reached, "the third shard", cluster.logs, 300)
        jobs = told("squeue", *ALL, "--format=%l %m %C %i").splitlines()
        (asked_by_toy, held), (asked, shared) = sorted(line.rsplit(maxsplit=1) for line in jobs)
        assert asked_by_toy == "1-00:00:00 4000M 1"
        assert asked == "40:00 4000M 1", "all five short cells, of 8 minutes, are in one job, one after the other"
        at_rest = {shared: "COMPLETED", held: "RUNNING"}
        wait_until(lambda: states() == at_rest, "the end of the short cells", cluster.logs, 300)
        time.sleep(2 * SAVED_AFTER)

        for daemon in ("slurmctld", "slurmd"):
            cluster.end(daemon)
        for daemon in ("slurmctld", "slurmd"):
            cluster.start(daemon)

        def killed() -> bool:
            told("scancel", "--signal=KILL", "--full", held)  # again, until slurmd answers
            return states().get(held, "RUNNING") != "RUNNING"

        wait_until(killed, "the end of the toy's job", cluster.logs)
        output, _ = first.communicate(timeout=300)
        assert first.returncode != 0, output
        kept = (repository / TOY).parent.glob(".noisy.shards/*")
        assert sorted(path.name for path in kept) == ["000000-000010.parquet", "000010-000020.parquet"]

        go.touch()
        begun = shards(log)
        second = start(command, repository, TOY_LOG=log)
        output, _ = second.communicate(timeout=300)
        assert second.returncode == 0, output
        assert begun[:2] == [0, 10] and set(begun[2:]) == {20} and shards(log) == [*begun, 20]
    check_the_same(files, repository, expected)


def check_the_same(files: list[str], repository: Path, expected: Path) -> None:
    """Records are equal bit for bit, and so is their provenance except for what belongs to a run."""
    for file in files:
        (ours, notes), (theirs, known) = read_records(repository / file), read_records(expected / file)
        times = [name for name in ours if "seconds" in name]
        pd.testing.assert_frame_equal(ours.drop(columns=times), theirs.drop(columns=times), check_exact=True)
        assert {k: v for k, v in notes.items() if k not in OF_THIS_RUN} == {
            k: v for k, v in known.items() if k not in OF_THIS_RUN
        }


def test_nothing_is_left_running():
    """The cluster of the test above has ended with it."""
    assert not Path("/etc/slurm/slurm.conf").exists()
    running = [path.read_text().strip() for path in Path("/proc").glob("[0-9]*/comm") if path.exists()]
    alive = {name for name in running if name in ("slurmctld", "slurmd")}
    assert not alive
