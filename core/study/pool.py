"""Asynchronous evaluation on worker processes, by dask.distributed.

    records = run_parallel(optimizer, objective, evaluations=100, seed=0)  # on 4 local processes
    records = run_parallel(optimizer, objective, evaluations=100, seed=0, address="tcp://head:8786")

As many trials are under way as there are worker threads. As soon as one finishes, the optimizer is told and asked for
the next, which it proposes with knowledge of the pending trials. The objective is sent once to each worker, including
workers that join later or are restarted.

* **A worker that dies** takes its trial with it: the trial is submitted again, and recorded as failed once that has
  happened `attempts` times. Your own scheduler first resubmits by its setting `allowed-failures` (3 times unless
  set otherwise), which counts as one of the attempts here.
* **No worker left** for a minute, or no scheduler: the run ends with an error rather than wait forever. What was
  finished is in the journal, from which the same call resumes.
* Evaluations of a run that ends early are abandoned; your own scheduler lets those under way finish.
"""

from __future__ import annotations

import queue
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from core.benchmarks.base import Objective
from core.errors import UserError
from core.extras import needed_for
from core.optimizers.base import Optimizer, Trial
from core.study.cluster import connect
from core.study.evaluation import TrialResult, evaluate_trial
from core.study.journal import open_journal
from core.study.loop import RealTime, Report, drive
from core.study.record import Record
from core.study.replay import run_header
from core.study.serial import check_run

with needed_for("evaluation by several workers"):
    import cloudpickle
    from distributed import Client, Future, KilledWorker, WorkerPlugin, get_worker
from core.validation import require_count

POLL_SECONDS = 1.0
PATIENCE_SECONDS = 60.0


def run_parallel(
    optimizer: Optimizer,
    objective: Objective,
    evaluations: int,
    seed: int,
    workers: int | None = None,
    address: str | None = None,
    journal: str | Path | None = None,
    attempts: int = 3,
    report: Report = lambda record: None,
) -> list[Record]:
    """As `run_serial`, on worker processes; records are in the order in which results arrived.

    Args:
        workers: Number of local processes, 4 unless given; with a scheduler's address, the maximum number of trials
            under way.
        address: Address of a Dask scheduler; the default is that of the environment variable HPO_SCHEDULER, else local
            workers.
        attempts: Number of times that a trial is started before the deaths of its workers are recorded as its failure.

    Raises:
        UserError: bad arguments, a scheduler that does not answer, an objective that cannot be sent, a journal of
            another run, all before any work; or no worker left.
    """
    evaluations, seed = check_run(evaluations, seed)
    attempts = require_count("attempts", attempts)
    workers = None if workers is None else require_count("workers", workers)
    with (
        open_journal(journal, run_header(optimizer, seed), optimizer.space) as book,
        worker_pool(objective, seed, workers, address, attempts) as pool,
    ):
        return drive(optimizer, pool, evaluations, book, report)


@contextmanager
def worker_pool(
    objective: Objective, seed: int, workers: int | None = None, address: str | None = None, attempts: int = 3
) -> Iterator[WorkerPool]:
    """The pool of a run, which gives up what is under way at the end of the block; arguments as `run_parallel`.

    Raises:
        UserError: a scheduler that does not answer, or an objective that cannot be sent.
    """
    payload = _payload(objective)
    with connect(address, workers) as client:
        pool = WorkerPool(client, payload, float(objective.worst_loss), seed, workers, attempts)
        try:
            yield pool
        finally:
            pool.close()


class WorkerPool(RealTime):
    """The workers of a client as a `Pool`. Results wait in a queue that Dask's own thread fills."""

    def __init__(
        self, client: Client, payload: bytes, worst_loss: float, seed: int, most: int | None, attempts: int
    ) -> None:
        super().__init__()
        self.client, self.worst_loss, self.seed, self.most, self.attempts = client, worst_loss, seed, most, attempts
        self.address = "" if client.scheduler is None else client.scheduler.address
        self._plugin = f"objective-{uuid.uuid4().hex}"
        self._arrived: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._running: dict[int, tuple[Trial, Future[dict[str, Any]], int]] = {}
        self._ended: list[tuple[Trial, TrialResult]] = []  # collected, but not yet returned
        self._again: list[tuple[Trial, int]] = []  # with the number of the attempt, until a worker is available
        self._last_worker = time.monotonic()
        client.register_plugin(_ObjectivePlugin(payload), name=self._plugin)

    def slots(self) -> int:
        """Worker threads, at most `most`; trials that lost their worker take those that are free.

        Raises:
            UserError: there has been none for a minute, or the scheduler is gone.
        """
        try:
            threads = sum(map(int, self.client.nthreads().values()))
        except OSError as error:
            raise self._gone(error) from error
        if threads:
            self._last_worker = time.monotonic()
        elif time.monotonic() - self._last_worker > PATIENCE_SECONDS:
            raise UserError(
                f"no worker is connected to the scheduler for {PATIENCE_SECONDS:g} s; start some and resume"
            )
        threads = threads if self.most is None else min(threads, self.most)
        while self._again and len(self._running) < threads:
            self._start(*self._again.pop(0))
        return threads

    def submit(self, trial: Trial) -> None:
        self._start(trial, 1)

    def wait(self, seconds: float | None) -> list[tuple[Trial, TrialResult]]:
        """As `Pool.wait`, but returns after a second even without results, so that the loop can check the workers.

        What stops the run, such as an objective that cannot be loaded, is raised; results that were collected before
        are returned by the next call. With a limit the run has been stopped: then only results count.
        """
        try:
            number = self._arrived.get(timeout=POLL_SECONDS) if seconds is None else self._arrived.get_nowait()
            while True:
                with nullcontext() if seconds is None else suppress(Exception):
                    self._ended += self._collect(number)
                number = self._arrived.get_nowait()
        except queue.Empty:
            ended, self._ended = self._ended, []
            return ended

    def close(self) -> None:
        """Abandon what is under way and remove the objective from the workers; nothing without a scheduler."""
        if self.client.status == "running":
            with suppress(OSError):  # it may have gone since
                self.client.cancel([future for _, future, _ in self._running.values()], force=True)
                self.client.unregister_worker_plugin(self._plugin)

    def _start(self, trial: Trial, attempt: int) -> None:
        key = f"{self._plugin}-trial-{trial.number}-{attempt}"
        future = self.client.submit(_evaluate_on_worker, self._plugin, trial, self.seed, key=key, pure=False)
        self._running[trial.number] = (trial, future, attempt)
        future.add_done_callback(lambda _: self._arrived.put(trial.number))

    def _collect(self, number: int) -> list[tuple[Trial, TrialResult]]:
        """The result of a trial that ended; empty if it is started again."""
        trial, future, attempt = self._running.pop(number)
        if future.status == "finished":
            try:
                return [(trial, TrialResult(**future.result()))]
            except (OSError, CancelledError) as lost:  # the result was on its way
                raise self._gone(lost) from lost
        error = future.exception() if future.status == "error" else None
        if error is not None and not isinstance(error, KilledWorker):
            raise error
        if attempt < self.attempts:
            self._again.append((trial, attempt + 1))
            return []
        return [(trial, TrialResult(self.worst_loss, 0.0, f"its worker died, {attempt} times in a row"))]

    def _gone(self, error: BaseException) -> UserError:
        return UserError(f"the scheduler {self.address} is gone: {error}")


class _ObjectivePlugin(WorkerPlugin):
    """Keeps the objective on a worker, unpacked when the first trial needs it."""

    def __init__(self, payload: bytes) -> None:
        self.payload = payload
        self._objective: Objective | None = None

    def objective(self) -> Objective:
        """The objective; raises UserError if the worker cannot import what it needs."""
        if self._objective is None:
            try:
                self._objective = cloudpickle.loads(self.payload)
            except Exception as error:
                raise UserError(
                    f"the objective cannot be loaded on the worker: {type(error).__name__}: {error}; "
                    "allowed: one whose modules the workers can import"
                ) from error
        return self._objective


def _evaluate_on_worker(name: str, trial: Trial, seed: int) -> dict[str, Any]:
    """Runs on the worker. Returns a dictionary, so that another version of `TrialResult` on a worker is detected."""
    plugin = get_worker().plugins[name]
    if not isinstance(plugin, _ObjectivePlugin):
        raise TypeError(f"the worker's plugin {name!r} is a {type(plugin).__name__}")
    return vars(evaluate_trial(plugin.objective(), trial, seed))


def _payload(objective: Objective) -> bytes:
    try:
        payload: bytes = cloudpickle.dumps(objective)
        return payload
    except Exception as error:
        raise UserError(
            f"the objective {type(objective).__name__} cannot be sent to worker processes: {error}; "
            "allowed: one that can be pickled (no open files, locks or generators)"
        ) from error
