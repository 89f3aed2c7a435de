"""Evaluations that hang, in all the ways that Python can: the limit ends each, and the search goes on."""

from __future__ import annotations

import itertools
import queue
import socket
import subprocess
import sys
import threading
import time

import pytest

from core import minimize
from tests.core.study.bowl import SPACE, bowl, outcomes
from tests.faults.tally import FAULTS

LIMIT = 0.2


def sleeping() -> None:
    time.sleep(600)


def counting() -> None:
    for _ in itertools.count():
        pass


def at_a_lock() -> None:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def at_a_queue() -> None:
    queue.Queue().get()


def at_a_socket() -> None:
    one, _other = socket.socketpair()
    one.recv(1)


def at_a_process() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        try:
            process.wait()
        finally:
            process.kill()


HANGING = (sleeping, counting, at_a_lock, at_a_queue, at_a_socket, at_a_process)


@pytest.mark.slow
@pytest.mark.parametrize("hang", HANGING)
def test_an_evaluation(tmp_path, hang):
    """Two in a search; the journal has them as failures, so that a search that is resumed does not wait again."""
    calls = []

    def loss(configuration):
        calls.append(configuration)
        if len(calls) in (2, 4):
            hang()
        return bowl(configuration)

    def call():
        return minimize(
            loss, SPACE, "random", 6, seed=3, evaluation_seconds=LIMIT, journal=tmp_path / "run", progress=False
        )

    result = call()
    failed = [record for record in result.records if record.failure]
    assert len(failed) == FAULTS["evaluations that hang"] // len(HANGING) and len(calls) == 6
    assert all(record.failure == f"TimeLimitError: took longer than {LIMIT:g} s" for record in failed)
    assert all(record.finished - record.started >= LIMIT * 0.99 for record in failed)
    undisturbed = outcomes(minimize(bowl, SPACE, "random", 6, seed=3, progress=False))
    assert [each for each in outcomes(result) if each[0] not in (1, 3)] == [
        each for each in undisturbed if each[0] not in (1, 3)
    ]
    assert outcomes(call()) == outcomes(result) and len(calls) == 6
