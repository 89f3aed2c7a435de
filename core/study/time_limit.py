"""A limit on how long a call may take.

In the main thread a signal interrupts the call, even while it waits. In other threads, such as those of workers, the
interpreter interrupts it before its next step. In both, compiled code that does not return to Python for long, such as
one fit of a library, is interrupted only when it returns.
"""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class TimeLimitError(Exception):
    """A call took longer than it may."""


class _TooLongError(BaseException):
    """Not an Exception, so that a function that catches exceptions is stopped all the same."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Interrupt the block after so many seconds; None for no limit.

    Raises:
        TimeLimitError: the block was interrupted.
    """
    if seconds is None:
        yield
        return
    alone = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    try:
        with _by_signal(seconds) if alone else _by_thread(seconds):
            yield
    except _TooLongError:
        raise TimeLimitError(f"took longer than {seconds:g} s") from None


@contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, _alarm)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _alarm(number: int, frame: Any) -> None:
    raise _TooLongError


@contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    lock, over, thread = threading.Lock(), threading.Event(), ctypes.c_ulong(threading.get_ident())

    def interrupt() -> None:
        with lock:
            if not over.is_set():
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(_TooLongError))

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            over.set()
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, None)  # what was raised but has not arrived yet
