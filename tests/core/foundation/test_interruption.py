"""SIGINT and SIGTERM against code that sleeps, code that swallows exceptions, and machine code that does not return."""

from __future__ import annotations

import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from core.foundation.progress import Interrupted, prompt_interruption, was_interrupted

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import hashlib, signal, sys, time
from core.foundation.progress import prompt_interruption

def sleep():
    time.sleep(600)

def swallow():
    while True:
        try:
            time.sleep(600)
        except KeyboardInterrupt:
            pass

def compute():
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)  # minutes of machine code that leaves others the interpreter

try:
    with prompt_interruption("finished shards are kept", grace=0.3):
        print("ready", flush=True)
        {work}()
except KeyboardInterrupt as interruption:
    print("ended by its own exception:", interruption.notice)
    sys.exit(interruption.status)
"""


def interrupted(start, work: str, number: int) -> tuple[int, str]:
    """Exit status and output."""
    process = start([sys.executable, "-c", PROGRAM.format(work=work)], ROOT)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    process.send_signal(number)
    output, _ = process.communicate(timeout=60)
    return process.returncode, output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "work, output",
    [
        ("sleep", "ended by its own exception: finished shards are kept\n"),
        ("swallow", "\nfinished shards are kept\n"),
        ("compute", "\nfinished shards are kept\n"),
    ],
)
def test_the_process_ends(start, work, output, number):
    """Without the watch, the last two go on for minutes: `communicate` would run into its limit."""
    status, told = interrupted(start, work, number)
    assert status == 128 + number
    assert told == output


def test_a_signal_in_the_block_is_known_until_its_end():
    with pytest.raises(Interrupted) as caught, prompt_interruption("", grace=60):
        assert not was_interrupted()
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            assert was_interrupted()
    assert caught.value.status == 128 + signal.SIGTERM
    assert not was_interrupted()


def test_handlers_are_those_of_before_again():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with prompt_interruption(""):
        assert signal.getsignal(signal.SIGTERM) != before[1]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_an_ignored_signal_stays_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with prompt_interruption("", grace=60):
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_in_another_thread_the_block_is_run_as_it_is():
    done = []

    def run() -> None:
        with prompt_interruption(""):
            done.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert done == [signal.getsignal(signal.SIGTERM)]
