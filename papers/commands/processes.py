"""Work shared by forked processes: what was imported before is there in each of them."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from core.errors import UserError

Task = TypeVar("Task")

CAN_FORK = sys.platform == "linux"  # elsewhere, libraries of the system may not survive a fork
NUMBER = 4  # bytes of the number of a task in the pipe


def shared_out(tasks: Sequence[Task], work: Callable[[Task], int], processes: int) -> int:
    """Let processes take one task after another until none is left; returns the largest of their exit statuses.

    A process whose parent has died ends after the task in progress. Where forking is not safe, everything is done here.

    Raises:
        UserError: a process was killed, for instance for lack of memory; the others finish the other tasks.
    """
    if processes < 2 or len(tasks) < 2 or not CAN_FORK:
        return max(map(work, tasks), default=0)
    numbers, write = os.pipe()  # a read takes a whole number from it, whichever process reads
    os.write(write, b"".join(number.to_bytes(NUMBER, "little") for number in range(len(tasks))))
    os.close(write)
    fork = multiprocessing.get_context("fork")
    workers = [
        fork.Process(target=_take, args=(numbers, tasks, work, os.getpid())) for _ in range(min(processes, len(tasks)))
    ]
    for worker in workers:
        worker.start()
    os.close(numbers)
    for worker in workers:
        worker.join()
    if killed := [worker.exitcode for worker in workers if (worker.exitcode or 0) < 0]:
        raise UserError(f"a process was ended by signal {-killed[0]}; what it had finished is kept")
    return max(worker.exitcode or 0 for worker in workers)


def _take(numbers: int, tasks: Sequence[Task], work: Callable[[Task], int], parent: int) -> None:
    """One process: the next number from the pipe, its task, and so on."""
    status = 0
    try:
        while os.getppid() == parent and (number := os.read(numbers, NUMBER)):
            status = max(status, work(tasks[int.from_bytes(number, "little")]))
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)
