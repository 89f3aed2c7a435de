"""What workers cost: the time of a search whose evaluations sleep, as a multiple of the ideal time.

The ideal is evaluations times seconds of one over workers. Ours, with and without a journal, beside Dask's own
`client.map`, which is given all evaluations at the beginning and proposes nothing, and Optuna's `n_jobs`, which are
threads of one process. All use the same two clusters: one process of many threads under a scheduler that was started
from the command line, and local processes of one thread. The shortest of a few repetitions, in turns. To connect is not
part of it, nor is the start of local workers, which has a line of its own, with their memory.

The target holds for evaluations of a quarter of a second. With 64 threads on tenths of a second, 640 trials a second,
the worker's one interpreter is the limit: there Dask alone misses it too, and the row has no target.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from rich.table import Table

from core import minimize
from core.study import SCHEDULER_VARIABLE, local_workers

TARGET = 1.3  # times the ideal, of random search
REPEATS = 3
THREADS, THREAD_EVALUATIONS, SHORT_SECONDS = 64, 640, 0.1
PROCESSES, PROCESS_EVALUATIONS = 16, 160
SECONDS = 0.25  # of an evaluation


def ours(address: str, workers: int, evaluations: int, seconds: float, journal: Path | None = None) -> float:
    """Seconds of `minimize` with method "random" on the scheduler at an address, from its first trial to its last."""

    def asleep(configuration: dict[str, float]) -> float:
        time.sleep(seconds)
        return configuration["x"]

    before = os.environ.get(SCHEDULER_VARIABLE)
    os.environ[SCHEDULER_VARIABLE] = address
    try:
        records = minimize(
            asleep, {"x": (0.0, 1.0)}, "random", evaluations, workers=workers, journal=journal, progress=False
        ).records
        return max(record.finished for record in records) - min(record.started for record in records)
    finally:
        os.environ.pop(SCHEDULER_VARIABLE)
        os.environ |= {} if before is None else {SCHEDULER_VARIABLE: before}


def journalled(address: str, workers: int, evaluations: int, seconds: float) -> float:
    """The same with a journal."""
    with tempfile.TemporaryDirectory() as folder:
        return ours(address, workers, evaluations, seconds, Path(folder) / "run.jsonl")


def plain_dask(address: str, workers: int, evaluations: int, seconds: float) -> float:
    """Seconds of the same evaluations by Dask alone."""
    from distributed import Client, as_completed

    def asleep(number: int) -> int:
        time.sleep(seconds)
        return number

    with Client(address) as client:
        start = time.perf_counter()
        futures = client.map(asleep, range(evaluations), pure=False)
        assert sum(1 for _ in as_completed(futures, with_results=True)) == evaluations
        return time.perf_counter() - start


def optuna_threads(address: str, workers: int, evaluations: int, seconds: float) -> float:
    """Seconds of Optuna's random search with as many jobs, which are threads, in memory."""
    import optuna

    def asleep(trial: "optuna.Trial") -> float:
        time.sleep(seconds)
        return trial.suggest_float("x", 0.0, 1.0)

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    start = time.perf_counter()
    study.optimize(asleep, evaluations, n_jobs=workers)
    return time.perf_counter() - start


WAYS: dict[str, Callable[[str, int, int, float], float]] = {
    "minimize": ours,
    "with a journal": journalled,
    "Dask": plain_dask,
    "Optuna": optuna_threads,
}


def multiples(address: str, workers: int, evaluations: int, seconds: float, repeats: int = REPEATS) -> dict[str, float]:
    """The shortest time of each of `WAYS`, as a multiple of the ideal."""
    ideal = evaluations * seconds / workers
    rounds = [
        {name: way(address, workers, evaluations, seconds) / ideal for name, way in WAYS.items()}
        for _ in range(repeats)
    ]
    return {name: min(each[name] for each in rounds) for name in WAYS}


@contextmanager
def threaded_cluster(threads: int) -> Iterator[str]:
    """The address of a scheduler, started from the command line, with one worker process of so many threads."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        common = ["--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", str(file)]
        commands = [
            ["scheduler", "--port", "0", *common],
            ["worker", "--nthreads", str(threads), "--no-nanny", *common],
        ]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        started = [
            subprocess.Popen(
                [sys.executable, "-m", "dask", *command], cwd=folder, env=environment, stderr=subprocess.DEVNULL
            )
            for command in commands
        ]
        try:
            while not file.exists() or not file.read_text().strip():
                if started[0].poll() is not None:
                    raise RuntimeError("the scheduler did not start")
                time.sleep(0.05)
            yield json.loads(file.read_text())["address"]
        finally:
            for process in reversed(started):
                process.kill()
                process.wait()


@contextmanager
def all_cores() -> Iterator[None]:
    """Workers may run on every core, as those of users do."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def report() -> tuple[list[Table], list[str]]:
    """A table of multiples of the ideal time, and lines that say which targets are met."""
    table = Table(title="time of a search whose evaluations sleep, times the ideal")
    for column in ("workers", "evaluations", *WAYS):
        table.add_column(column, justify="left" if column == "workers" else "right")
    lines = []

    def add(workers: str, evaluations: int, seconds: float, found: dict[str, float]) -> None:
        table.add_row(workers, f"{evaluations} of {seconds:g} s", *(f"{value:.2f}" for value in found.values()))
        if seconds >= SECONDS:
            met = "met" if found["minimize"] <= TARGET else "MISSED"
            lines.append(f"{workers}: {found['minimize']:.2f} times the ideal, target {TARGET:g}: {met}")

    with all_cores():
        with threaded_cluster(THREADS) as address:
            for each in (SHORT_SECONDS, SECONDS):
                found = multiples(address, THREADS, THREAD_EVALUATIONS, each)
                add(f"{THREADS} threads of a process", THREAD_EVALUATIONS, each, found)
        start = time.perf_counter()
        with local_workers(PROCESSES) as address:
            ready = time.perf_counter() - start
            processes = psutil.Process().children(recursive=True)
            memory = sum(process.memory_full_info().uss for process in processes) / 2**20 / PROCESSES
            found = multiples(address, PROCESSES, PROCESS_EVALUATIONS, SECONDS)
        add(f"{PROCESSES} processes", PROCESS_EVALUATIONS, SECONDS, found)
    lines.append(f"{PROCESSES} local workers start in {ready:.1f} s and take {memory:.0f} MB each")
    return [table], lines
