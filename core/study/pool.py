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

import io
import math
import multiprocessing
import os
import pickle
import queue
import sys
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

from core.foundation.errors import UserError
from core.foundation.installation import needed_for
from core.foundation.progress import interrupted_by_sigterm
from core.objectives.base import Objective
from core.optimizers.base import Optimizer, Trial
from core.study.cluster import connect
from core.study.evaluation import TrialResult, evaluate_trial
from core.study.journal import open_journal
from core.study.loop import RealTime, Report, check_run, drive
from core.study.record import Record
from core.study.replay import run_header

with needed_for("evaluation by several workers"):
    import cloudpickle
    from distributed import Client, Future, KilledWorker, WorkerPlugin, get_worker
from core.foundation.validation import require_count

POLL_SECONDS = 1.0
PATIENCE_SECONDS = 60.0
CLOSE_SECONDS = 1.0

GATHER_SECONDS = 0.002  # during which trials and results gather before they travel together
_Outcome = bytes | BaseException


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

    SIGTERM interrupts the block like SIGINT: there are workers to end.

    Raises:
        UserError: a scheduler that does not answer, or an objective that cannot be sent.
        KeyboardInterrupt: SIGINT or SIGTERM.
    """
    payload = _payload(objective)
    with interrupted_by_sigterm(), connect(address, workers) as client:
        pool = WorkerPool(client, payload, float(objective.worst_loss), seed, workers, attempts)
        try:
            yield pool
        finally:
            pool.close()


class WorkerPool(RealTime):
    """The workers of a client as a `Pool`.

    Dask's own thread sends trials and fetches results, in messages of all that has gathered; the loop only writes to
    one queue and reads from another. The scheduler is asked for its workers at most once a second.
    """

    def __init__(
        self, client: Client, payload: bytes, worst_loss: float, seed: int, most: int | None, attempts: int
    ) -> None:
        super().__init__()
        self.client, self.worst_loss, self.seed, self.most, self.attempts = client, worst_loss, seed, most, attempts
        self.address = "" if client.scheduler is None else client.scheduler.address
        self._loop: Any = client.loop  # runs in Dask's thread
        self._plugin = f"objective-{uuid.uuid4().hex}"
        self._leaving: deque[tuple[Trial, int]] = deque()  # with the number of the attempt, until they are sent
        self._arrived: queue.SimpleQueue[tuple[int, _Outcome]] = queue.SimpleQueue()
        self._running: dict[int, tuple[Trial, int]] = {}
        self._futures: dict[int, Future[bytes]] = {}  # of trials that were sent
        self._done: dict[int, Future[bytes]] = {}  # trials that have ended, but were not fetched yet
        self._ended: list[tuple[Trial, TrialResult]] = []  # collected, but not yet returned
        self._again: list[tuple[Trial, int]] = []  # until a worker is available
        self._slots, self._looked, self._last_worker = 0, -math.inf, time.monotonic()
        client.register_plugin(_ObjectivePlugin(payload), name=self._plugin)

    def slots(self) -> int:
        """Worker threads as of the last second, at most `most`.

        Raises:
            UserError: there has been none for a minute, or the scheduler is gone.
        """
        if time.monotonic() - self._looked >= POLL_SECONDS:
            self._look()
        return self._slots if self.most is None else min(self._slots, self.most)

    def submit(self, trial: Trial) -> None:
        self._start(trial, 1)

    def wait(self, seconds: float | None) -> list[tuple[Trial, TrialResult]] | None:
        """As `Pool.wait`, but returns after a second even without results, so that the loop can check the workers.

        What stops the run, such as an objective that cannot be loaded, is raised; results that were collected before
        are returned by the next call. With a limit the run has been stopped: then only results count.
        """
        while seconds is None and self._again and len(self._running) < self.slots():
            self._start(*self._again.pop(0))
        if self._leaving:
            self._loop.add_callback(self._send)
        try:
            arrived = self._arrived.get(timeout=POLL_SECONDS) if seconds is None else self._arrived.get_nowait()
            while True:
                with nullcontext() if seconds is None else suppress(Exception):
                    self._ended += self._collect(*arrived)
                arrived = self._arrived.get_nowait()
        except queue.Empty:
            ended, self._ended = self._ended, []
            return ended

    def close(self) -> None:
        """Abandon what is under way and remove the objective from the workers; nothing without a scheduler.

        A worker whose evaluation holds the interpreter's lock does not answer: it is not waited for.
        """
        if self.client.status == "running":
            with suppress(OSError):  # it may have gone since; a TimeoutError is one too
                self.client.cancel(list(self._futures.values()), force=True)
                asked = self.client.unregister_worker_plugin
                self.client.sync(partial(asked, self._plugin), callback_timeout=CLOSE_SECONDS)

    def _look(self) -> None:
        try:
            self._slots = sum(map(int, self.client.nthreads().values()))
        except OSError as error:
            raise self._gone(error) from error
        self._looked = time.monotonic()
        if self._slots:
            self._last_worker = self._looked
        elif self._looked - self._last_worker > PATIENCE_SECONDS:
            raise UserError(
                f"no worker is connected to the scheduler for {PATIENCE_SECONDS:g} s; start some and resume"
            )

    def _start(self, trial: Trial, attempt: int) -> None:
        self._running[trial.number] = (trial, attempt)
        self._leaving.append((trial, attempt))
        if len(self._leaving) == 1:
            self._soon(self._send)

    def _soon(self, call: Callable[[], object]) -> None:
        """Call in Dask's thread, in a moment: what gathers until then travels in one message."""
        self._loop.add_callback(self._loop.call_later, GATHER_SECONDS, call)

    def _send(self) -> None:
        """In Dask's thread: send all trials that wait."""
        batch = []
        while self._leaving:
            batch.append(self._leaving.popleft())
        if not batch:
            return
        keys = [f"{self._plugin}-trial-{trial.number}-{attempt}" for trial, attempt in batch]
        trials = [trial for trial, _ in batch]
        futures = self.client.map(_evaluate_on_worker, trials, name=self._plugin, seed=self.seed, key=keys, pure=False)
        for trial, future in zip(trials, futures, strict=True):
            self._futures[trial.number] = future
            self._loop.add_callback(self._follow, trial.number, future)

    async def _follow(self, number: int, future: Future[bytes]) -> None:
        """In Dask's thread: wait for the end of a trial."""
        try:
            error = await future.exception()
        except CancelledError as cancelled:
            error = cancelled
        if error is not None or future.status != "finished":
            self._arrived.put((number, error or CancelledError(future.status)))
            return
        self._done[number] = future
        if len(self._done) == 1:
            self._soon(self._fetch)

    async def _fetch(self) -> None:
        """In Dask's thread: the outcomes of all trials that have ended."""
        done, self._done = self._done, {}
        try:
            outcomes: Sequence[_Outcome] = await self.client.gather(list(done.values()), asynchronous=True)
        except (OSError, CancelledError) as error:  # they were on their way
            outcomes = [self._gone(error)] * len(done)
        except Exception as error:  # one of them was lost with its worker, and again: all begin again
            outcomes = [error] * len(done)
        for arrived in zip(done, outcomes, strict=True):
            self._arrived.put(arrived)

    def _collect(self, number: int, outcome: _Outcome) -> list[tuple[Trial, TrialResult]]:
        """The result of a trial that ended; empty if it is started again."""
        trial, attempt = self._running.pop(number)
        del self._futures[number]
        if not isinstance(outcome, BaseException):
            return [(trial, TrialResult(**pickle.loads(outcome)))]
        if not isinstance(outcome, (KilledWorker, CancelledError)):
            raise outcome
        self._looked = -math.inf  # there are fewer workers
        if attempt < self.attempts:
            self._again.append((trial, attempt + 1))
            return []
        return [(trial, TrialResult(self.worst_loss, 0.0, f"its worker died, {attempt} times in a row"))]

    def _gone(self, error: BaseException) -> UserError:
        return UserError(f"the scheduler {self.address} is gone: {error}")


class _ObjectivePlugin(WorkerPlugin):
    """Keeps the objective on a worker, unpacked when the first trial needs it.

    Evaluations may start processes of their own there, as they do with one worker: by the same start method, which on
    Linux forks, so that the new process has the script's functions. A worker that a nanny started is one of
    multiprocessing's daemons, which may not start any, and spawns its own, until it is told otherwise.
    """

    def __init__(self, payload: bytes) -> None:
        self.payload = payload
        self.start_method = multiprocessing.get_start_method()
        script = getattr(sys.modules["__main__"], "__file__", None)
        self.script = None if script is None else str(Path(script).resolve())
        self._objective: Objective | None = None
        self._before: str | None = None

    def setup(self, worker: object) -> None:
        """As Dask calls it on each worker."""
        multiprocessing.current_process().daemon = False
        self._before = multiprocessing.get_start_method(allow_none=True)
        multiprocessing.set_start_method(self.start_method, force=True)
        main = sys.modules["__main__"]
        if self.start_method != "fork" and self.script and not hasattr(main, "__file__"):
            main.__file__ = self.script  # from which a spawned process imports the script's functions

    def teardown(self, worker: object) -> None:
        """As Dask calls it when the run has ended."""
        multiprocessing.set_start_method(self._before, force=True)

    def objective(self) -> Objective:
        """The objective; raises UserError if the worker cannot import what it needs."""
        if self._objective is None:
            try:
                self._objective = _unpacked(self.payload)
            except Exception as error:
                raise UserError(
                    f"the objective cannot be loaded on the worker: {type(error).__name__}: {error}; "
                    "allowed: one whose modules the workers can import"
                ) from error
        return self._objective


def _evaluate_on_worker(trial: Trial, name: str, seed: int) -> bytes:
    """Runs on the worker. Returns a pickled dictionary, so that another version of `TrialResult` there is detected."""
    plugin = get_worker().plugins[name]
    if not isinstance(plugin, _ObjectivePlugin):
        raise TypeError(f"the worker's plugin {name!r} is a {type(plugin).__name__}")
    process = os.getpid()
    try:
        return pickle.dumps(vars(evaluate_trial(plugin.objective(), trial, seed)))
    finally:
        if os.getpid() != process:  # a child that the function has forked: the worker's other threads are not in it
            said = f"trial {trial.number} has forked process {os.getpid()}, which has returned and ends here\n"
            os.write(2, said.encode())
            os._exit(1)


class _Packer(cloudpickle.Pickler):
    """Notes which functions and classes of the calling script it packs."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.of_script: dict[str, Any] = {}

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, (FunctionType, type)) and value.__module__ == "__main__":
            name = value.__qualname__
            self.of_script |= {name: value} if getattr(sys.modules["__main__"], name, None) is value else {}
        return super().reducer_override(value)


def _payload(objective: Objective) -> bytes:
    """The objective and, by name, what it uses of the calling script, as `_unpacked` reads it."""
    try:
        packer = _Packer(io.BytesIO())
        packer.dump(objective)
        payload: bytes = cloudpickle.dumps((objective, packer.of_script))
        return payload
    except Exception as error:
        raise UserError(
            f"the objective {type(objective).__name__} cannot be sent to worker processes: {error}; "
            "allowed: one that can be pickled (no open files, locks or generators)"
        ) from error


def _unpacked(payload: bytes) -> Objective:
    """The objective, on a worker, where processes that it starts look up the script's functions in `__main__`."""
    objective: Objective
    objective, of_script = cloudpickle.loads(payload)
    vars(sys.modules["__main__"]).update(of_script)
    return objective
