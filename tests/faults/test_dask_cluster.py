"""`minimize` on a Dask cluster as a user starts one, without nannies, whose workers and scheduler are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import cloudpickle
import pytest

from core import minimize
from core.foundation.errors import UserError
from core.study import SCHEDULER_VARIABLE
from tests.faults.tally import DEATHS

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the workers cannot import the tests

SPACE = {"x": (0.0, 1.0)}
EVALUATIONS = 24
pytestmark = pytest.mark.slow


class DaskCluster:
    """`dask scheduler` and `dask worker` processes of one thread each."""

    def __init__(self, folder: Path) -> None:
        self._file, self._folder = folder / "scheduler.json", folder
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        while not self._file.exists() or not self._file.read_text().strip():
            assert self.scheduler.poll() is None
            time.sleep(0.05)
        self.address = json.loads(self._file.read_text())["address"]
        self.workers = [self.add_worker() for _ in range(3)]

    def add_worker(self) -> subprocess.Popen[bytes]:
        return self._start("worker", "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1")

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", kind, "--no-dashboard", "--scheduler-file", str(self._file), *options]
        with open(self._folder / "log", "ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder)


@pytest.fixture
def cluster(tmp_path, monkeypatch) -> Iterator[DaskCluster]:
    made = DaskCluster(tmp_path)
    monkeypatch.setenv(SCHEDULER_VARIABLE, made.address)
    yield made
    made.end()


def killing(folder: Path, victims: dict[int, int]) -> Callable[..., float]:
    """x and noise; the evaluations at which `victims` has a process id kill that process, once each."""
    begun = folder / "begun"
    begun.mkdir()

    def loss(configuration, generator):
        (begun / f"{configuration['x']!r}-{os.getpid()}-{time.time_ns()}").touch()
        for count, process in victims.items():
            mark = folder / f"killed-{count}"
            if len(list(begun.iterdir())) >= count and not mark.exists():
                mark.touch()
                os.kill(process, signal.SIGKILL)
        time.sleep(0.05)
        return configuration["x"] + generator.random()

    return loss


def by_number(result) -> dict:
    return {record.number: (record.configuration, record.loss, record.failure) for record in result.records}


def serial(folder: Path) -> dict:
    """What one process finds that nobody kills."""
    folder.mkdir()
    return by_number(minimize(killing(folder, {}), SPACE, "random", EVALUATIONS, seed=3, progress=False))


def test_workers_that_die_cost_no_trial_and_change_no_loss(cluster, tmp_path):
    """Two of three die, each in the middle of the run and of an evaluation; the third finishes it."""
    victims = {6: cluster.workers[1].pid, 12: cluster.workers[2].pid}
    result = minimize(killing(tmp_path, victims), SPACE, "random", EVALUATIONS, seed=3, workers=3, progress=False)
    assert [worker.wait(10) for worker in cluster.workers[1:]] == [-signal.SIGKILL] * DEATHS["workers of a cluster"]
    assert cluster.workers[0].poll() is None
    assert by_number(result) == serial(tmp_path / "serial")


def test_all_workers_die_and_one_that_joins_takes_over(cluster, tmp_path):
    victims = {4 + number: worker.pid for number, worker in enumerate(cluster.workers)}
    assert len(victims) == DEATHS["all workers of a cluster"]

    def join_when_all_are_dead() -> None:
        for worker in list(cluster.workers):
            worker.wait(60)
        cluster.workers.append(cluster.add_worker())

    joining = threading.Thread(target=join_when_all_are_dead)
    joining.start()
    try:
        result = minimize(killing(tmp_path, victims), SPACE, "random", EVALUATIONS, seed=3, workers=3, progress=False)
    finally:
        joining.join()
    assert len(cluster.workers) == 4 and cluster.workers[3].poll() is None
    assert by_number(result) == serial(tmp_path / "serial")


def test_a_scheduler_that_dies_ends_the_run_and_its_journal_goes_on_elsewhere(cluster, tmp_path):
    journal = tmp_path / "run.jsonl"
    loss = killing(tmp_path, {10: cluster.scheduler.pid})
    call = partial(minimize, loss, SPACE, "random", EVALUATIONS, seed=3, journal=journal, progress=False)
    with pytest.raises(UserError, match=r"the scheduler tcp://127.0.0.1:\d+ is gone"):
        call(workers=3)
    told = [json.loads(line)["told"] for line in journal.read_text().splitlines() if "told" in json.loads(line)]
    assert len(list(tmp_path.glob("killed-*"))) == DEATHS["a scheduler"]
    assert 0 < len(told) < EVALUATIONS and not any(each["failure"] for each in told)
    assert by_number(call(workers=1)) == serial(tmp_path / "serial")
