"""Kills with SIGKILL at random moments: of commands with all their processes, and of workers that forget to import.

A worker is forked from a server that has imported everything: its moments fall into the work, not into the imports.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["tests.faults.warm"])


class Job(Protocol):
    """Something that runs."""

    def ended(self, seconds: float | None) -> bool:
        """Whether it ends within so many seconds."""

    def kill(self) -> None:
        """Kill it with everything that it started, and wait for its end."""

    def succeeded(self) -> bool:
        """Whether it has ended well; prints what it said if not."""


class Command:
    """A command in a process group of its own, whose output goes to a file."""

    def __init__(self, command: list[str], folder: Path, variables: dict[str, str], name: str = "") -> None:
        self._log = folder.with_name(f"{folder.name}{name}.log")
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                command, cwd=folder, env=variables, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )

    def ended(self, seconds: float | None) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def succeeded(self) -> bool:
        if self._process.returncode:
            print(self._log.read_text(errors="replace"))
        return self._process.returncode == 0


class Worker:
    """A function in a process of its own."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._process = SERVER.Process(target=function, args=arguments)
        self._process.start()

    def ended(self, seconds: float | None) -> bool:
        self._process.join(seconds)
        return self._process.exitcode is not None

    def kill(self) -> None:
        self._process.kill()
        self._process.join()

    def succeeded(self) -> bool:
        return self._process.exitcode == 0


def seconds_of(begin: Callable[[], Job]) -> float:
    """How long a job takes that nobody kills."""
    start = time.monotonic()
    job = begin()
    assert job.ended(None) and job.succeeded()
    return time.monotonic() - start


def end_well(jobs: Sequence[Job]) -> None:
    """Wait until all of some jobs that are under way have ended well; none is left behind."""
    try:
        assert all(job.ended(None) and job.succeeded() for job in jobs)
    finally:
        for job in jobs:
            if not job.ended(0):
                job.kill()


def endure(
    begin: Callable[[], Job],
    kills: int,
    seconds: float,
    killed: Callable[[], None],
    finished: Callable[[], None],
) -> None:
    """Begin a job until it was killed so many times, and once more to its end.

    Args:
        seconds: A job is killed at a uniform moment of as many, unless it has ended before.
        killed: Looks at what a killed job left.
        finished: Looks at what a finished job left, and clears it away.
    """
    generator, injected, job = np.random.default_rng(), 0, None
    try:
        while injected < kills:
            job = begin()
            if job.ended(generator.uniform(0, seconds)):
                assert job.succeeded()
                finished()
            else:
                job.kill()
                killed()
                injected += 1
        job = begin()
        assert job.ended(None) and job.succeeded()
        finished()
    finally:
        if job is not None and not job.ended(0):
            job.kill()
