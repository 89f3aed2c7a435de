"""The worker processes: local ones, or those of a running Dask scheduler.

`local_workers` starts each worker as a process of its own from the command line, under a nanny that restarts it if it
dies. Nothing is forked and the calling script is not imported again, so it needs no `if __name__` guard; what it
defines itself reaches the workers by value. Workers run in a session of their own, so that keyboard interrupts reach
only the driver, which decides what to do. They end when the scheduler in the driver's process is gone, however it
ended.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import UserError
from core.extras import needed_for
from core.validation import require_count

with needed_for("evaluation by several workers"):
    from dask import config
    from distributed import Client, Scheduler, SpecCluster
    from distributed.comm.core import connect as connect_to
    from distributed.deploy.subprocess import Subprocess

SCHEDULER_VARIABLE = "HPO_SCHEDULER"  # address of the scheduler to use if none is given
CONNECT_SECONDS = 5.0
START_SECONDS = 60.0

NO_DASHBOARD = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}  # its server starts anyway, on any port

SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,  # a death is reported at once: the driver counts and resubmits
    "distributed.worker.daemon": False,  # objectives may start processes of their own
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
        cluster = SpecCluster(
            scheduler={"cls": Scheduler, "options": {"host": "127.0.0.1", "port": 0, **NO_DASHBOARD}},
            workers={place: {"cls": _WorkerProcess, "options": options} for place in range(count)},
            silence_logs=logging.CRITICAL,
        )
    with cluster:
        with Client(cluster) as client:
            try:
                client.wait_for_workers(count, timeout=START_SECONDS)
            except TimeoutError as error:
                raise UserError(f"{count} worker processes did not start within {START_SECONDS:g} s") from error
        yield cluster.scheduler_address


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
            f"allowed: the address of a running Dask scheduler as tcp://host:port, as argument or {SCHEDULER_VARIABLE}"
        ) from error
    with Client(address, timeout=CONNECT_SECONDS, set_as_default=False) as client:
        yield client


async def _knock(address: str) -> None:
    """Shake hands. A `Client` that cannot do so would retry in the background and report it only at the end."""
    comm = await connect_to(address, timeout=CONNECT_SECONDS)
    await comm.close()


class _WorkerProcess(Subprocess):
    """A nanny and its worker, with this process's import path."""

    def __init__(self, scheduler: str, name: object = None, **options: object) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # distributed has no annotations here
        self.scheduler, self.name, self.options = scheduler, name, options

    async def _start(self) -> None:
        spec = json.dumps({"cls": "distributed.Nanny", "opts": {"name": str(self.name), **self.options}})
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "dask", "spec", self.scheduler, "--spec", spec),
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
                "DASK_LOGGING__DISTRIBUTED": "error",
            },
            start_new_session=True,
        )
