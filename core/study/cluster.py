"""The worker processes: local ones, or those of a running Dask scheduler.

`local_workers` starts each worker as a process of its own from the command line, under a nanny that restarts it if it
dies. Nothing is forked and the calling script is not imported again, so it needs no `if __name__` guard; what it
defines itself reaches the workers by value. Workers run in a session of their own, so that keyboard interrupts reach
only the driver, which decides what to do.

A worker, and every process that an evaluation started there, ends with the block, or within seconds of the driver's
end, however it ended. They are asked to end and a second later killed, whatever they are doing: an evaluation that
holds the interpreter's lock answers nobody.
"""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from core.foundation.errors import UserError
from core.foundation.installation import needed_for
from core.foundation.validation import require_count

with needed_for("evaluation by several workers"):
    import psutil  # type: ignore[import-untyped]
    from dask import config
    from distributed import Client, Scheduler, Security, SpecCluster
    from distributed.comm.core import connect as connect_to
    from distributed.deploy.subprocess import Subprocess

SCHEDULER_VARIABLE = "HPO_SCHEDULER"  # address of the scheduler to use if none is given
CONNECT_SECONDS = 5.0
START_SECONDS = 60.0
END_SECONDS = 1.0  # between the request to end and the end by force
LOOK_SECONDS = 0.5  # between two looks of a worker at whether its driver is there
PR_SET_CHILD_SUBREAPER = 36
DRIVER_VARIABLE = "HPO_DRIVER"  # process id of the driver, for its workers

NO_DASHBOARD = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}  # its server starts anyway, on any port

SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,  # a death is reported at once: the driver counts and resubmits
    "distributed.scheduler.worker-ttl": None,  # an evaluation that holds the interpreter's lock for long is no death
    # What each process does for a dashboard, up to 50 times a second, is time that evaluations lack.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
}


@contextmanager
def local_workers(count: int) -> Iterator[str]:
    """The address of a scheduler with `count` worker processes of one thread each, which end with the block.

    Raises:
        UserError: `count` is not a positive whole number, or the processes do not start within a minute.
    """
    count = require_count("workers", count)
    logging.getLogger("distributed").setLevel(logging.ERROR)  # Dask reports late, after `silence_logs` has ended
    options = {"nthreads": 1, "memory_limit": 0, "host": "127.0.0.1", "silence_logs": logging.CRITICAL}
    with config.set(SETTINGS):
        security = Security()  # as Dask is configured: usually none
        scheduling = {"host": "127.0.0.1", "port": 0, "security": security, **NO_DASHBOARD}
        cluster = SpecCluster(
            scheduler={
                "cls": Scheduler,
                "options": {**scheduling, "protocol": "tls"} if security.require_encryption else scheduling,
            },
            workers={place: {"cls": _WorkerProcess, "options": options} for place in range(count)},
            silence_logs=logging.CRITICAL,
        )
    with cluster:
        try:
            with Client(cluster) as client:
                try:
                    client.wait_for_workers(count, timeout=START_SECONDS)
                except TimeoutError as error:
                    raise UserError(f"{count} worker processes did not start within {START_SECONDS:g} s") from error
            yield cluster.scheduler_address
        finally:  # Dask would first ask workers that may not answer
            end_processes([worker.pid for worker in cluster.workers.values()])


@contextmanager
def connect(address: str | None, workers: int | None) -> Iterator[Client]:
    """A client of the scheduler at `address`, or at HPO_SCHEDULER's, or of local workers if neither is given.

    Raises:
        UserError: no scheduler answers at the address within five seconds.
    """
    address = address or os.environ.get(SCHEDULER_VARIABLE) or None
    if address is None:
        with local_workers(4 if workers is None else workers) as local, _client(local) as client:
            yield client
    else:
        with _client(address) as client:
            yield client


@contextmanager
def _client(address: str) -> Iterator[Client]:
    try:
        asyncio.run(asyncio.wait_for(_knock(address), CONNECT_SECONDS))
    except Exception as error:  # any kind of data may come from whatever listens at the address
        raise UserError(
            f"scheduler {address!r} does not answer as one within {CONNECT_SECONDS:g} s ({type(error).__name__}); "
            f"allowed: the address of a running Dask scheduler as tcp://host:port or tls://host:port, as argument or "
            f"{SCHEDULER_VARIABLE}"
        ) from error
    with Client(address, timeout=CONNECT_SECONDS, set_as_default=False) as client:
        yield client


async def _knock(address: str) -> None:
    """Shake hands. A `Client` that cannot do so would retry in the background and report it only at the end."""
    encryption = Security().get_connection_args("client")  # as Dask is configured
    comm = await connect_to(address, timeout=CONNECT_SECONDS, **encryption)
    await comm.close()


class _WorkerProcess(Subprocess):
    """A nanny and its worker, with this process's import path, as a process group of their own."""

    def __init__(self, scheduler: str, name: object = None, **options: object) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # distributed has no annotations here
        self.scheduler, self.name, self.options = scheduler, name, options
        self.pid = 0

    async def _start(self) -> None:
        options = {"name": str(self.name), "preload_nanny": [__name__], **self.options}
        spec = json.dumps({"cls": "distributed.Nanny", "opts": options})
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "dask", "spec", self.scheduler, "--spec", spec),
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
                "DASK_LOGGING__DISTRIBUTED": "error",
                **{f"DASK_{name.replace('.', '__').upper()}": str(value) for name, value in SETTINGS.items()},
                DRIVER_VARIABLE: str(os.getpid()),
            },
            start_new_session=True,
        )
        self.pid = self.process.pid

    async def close(self) -> None:
        """End the group."""
        if self.process is not None:
            await asyncio.to_thread(end_processes, [self.pid])
            await self.process.wait()
            self.process = None
        await super().close()


def dask_setup(nanny: object) -> None:
    """Watch the driver; Dask calls this in each nanny, which stays free to do so whatever its worker evaluates.

    Dask ends a nanny whose scheduler is gone, and before it the worker, whose own processes would be nobody's children.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)  # orphans become the nanny's children
    atexit.register(end_processes, [os.getpid()])
    threading.Thread(target=_end_with_driver, args=(int(os.environ[DRIVER_VARIABLE]),), daemon=True).start()


def _end_with_driver(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(LOOK_SECONDS)
    end_processes([os.getpid()])


def end_processes(leaders: Sequence[int]) -> None:
    """End process groups and all that descends from their leaders: what has not ended after a second is killed."""
    family = [process for leader in leaders for process in _descendants(leader)]
    for process in family:
        with suppress(psutil.Error):
            process.terminate()
    deadline = time.monotonic() + END_SECONDS
    while any(map(_lives, family)) and time.monotonic() < deadline:
        time.sleep(0.02)
    for process in [*family, *(each for leader in leaders for each in _descendants(leader))]:
        with suppress(psutil.Error):
            process.kill()
    for leader in leaders:
        with suppress(OSError):  # none of the group is left
            os.killpg(leader, signal.SIGKILL)


def _descendants(process: int) -> list[psutil.Process]:
    try:
        return list(psutil.Process(process).children(recursive=True))
    except psutil.Error:
        return []


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False
