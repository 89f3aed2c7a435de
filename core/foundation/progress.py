"""Long work: callbacks that report how far it has come, and Ctrl-C that takes effect within seconds, whatever the
interpreter is doing.

Python checks for signals between two of its instructions; machine code that runs for a minute, such as training a
network, delays them that long. Here a thread learns of the signal at once, if that code releases the interpreter's lock
(in numba: `nogil=True`). It gives the program a moment to end by its own exception, and if that has not happened, ends
the process. That is safe because results are written whole or not at all, and locks die with their process.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

Progress = Callable[[float], None]
"""Called with the share that is done, increasing from 0 to 1."""


def silent(share: float) -> None:
    """Report nothing."""


def within(progress: Progress, start: float, stop: float) -> Progress:
    """The callback for a part that leads from one share of the whole to another: its 0 to 1 become start to stop."""
    return lambda share: progress(start + share * (stop - start))


SIGNALS = (signal.SIGINT, signal.SIGTERM)
GRACE = 1.0
"""Seconds between a signal and the end of the process, if the program does not end by itself."""
SHOW_CURSOR = "\x1b[?25h"

_received: list[int] = []


class Interrupted(KeyboardInterrupt):
    """SIGINT or SIGTERM has arrived.

    Attributes:
        status: the exit status by which shells recognise it.
        notice: what to tell the user.
    """

    def __init__(self, number: int, notice: str) -> None:
        super().__init__(signal.Signals(number).name)
        self.status, self.notice = 128 + number, notice


def was_interrupted() -> bool:
    """Whether a signal has arrived in the innermost `prompt_interruption`: a later exception may be its echo."""
    return bool(_received)


@contextmanager
def prompt_interruption(notice: str, grace: float = GRACE) -> Iterator[None]:
    """Raise `Interrupted` in the block on SIGINT and SIGTERM; end the process if it is still in it `grace` later.

    A signal that the process was started to ignore, as background jobs of a script are, stays ignored. Python
    allows signal handlers only in the main thread: elsewhere the block runs unchanged.

    Args:
        notice: message of the exception, or written to stderr when the process is ended.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    left = threading.Event()
    _received.clear()
    obeyed = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, partial(_raise, notice)) for number in obeyed}
    descriptor = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    watch = threading.Thread(target=_watch, args=(reader, left, notice, grace), daemon=True)
    watch.start()
    try:
        yield
    finally:
        left.set()
        signal.set_wakeup_fd(descriptor)
        for number, handler in before.items():
            signal.signal(number, handler)
        _received.clear()
        os.close(writer)  # ends the watch
        watch.join()
        os.close(reader)


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Raise `Interrupted` in the block on SIGTERM, which otherwise ends the process without any cleaning up.

    A handler that the program has set stays, and so does the choice to ignore the signal; only that of an open journal,
    which also ends the process, gives way. Outside the main thread the block runs unchanged.
    """
    before = signal.getsignal(signal.SIGTERM)
    ends = before is signal.SIG_DFL or getattr(before, "__module__", "") == "core.study.journal"
    if not ends or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGTERM, partial(_raise, ""))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _raise(notice: str, number: int, frame: object) -> None:
    _received.append(number)
    raise Interrupted(number, notice)


def _watch(reader: int, left: threading.Event, notice: str, grace: float) -> None:
    while arrived := os.read(reader, 1):
        if arrived[0] in SIGNALS and not left.wait(grace):
            cursor = SHOW_CURSOR if sys.stderr.isatty() else ""
            os.write(2, f"{cursor}\n{notice}\n".encode())
            os._exit(128 + arrived[0])
