"""A limit on how long a block may take. What overran has failed, whatever it returned or raised.

A thread waits for the end of the block's time. Then it interrupts the block, again and again until the block ends, so
that one that catches everything once does not go on for ever. The first interruption comes after `seconds`, the next
ones after as long again, but at least `SHORTEST` and at most `LONGEST` seconds: what cleans up has that long.

In the main thread a signal interrupts the block, even while it waits. It is one that nobody else uses, so that the
block may have alarms and limits of its own. In other threads, such as those of workers, the interpreter interrupts the
block before its next step, and not while it waits. In both, compiled code that does not return to Python for long, such
as one fit of a library, is interrupted only when it returns; and a block that catches every single interruption ends
when it likes.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
import time
import weakref
from contextlib import AbstractContextManager, nullcontext
from types import FrameType, TracebackType

SHORTEST, LONGEST = 0.1, 1.0
SIGNAL: int = signal.SIGRTMAX - 1 if hasattr(signal, "SIGRTMAX") else getattr(signal, "SIGUSR2", 0)  # 0: there is none


class TimeLimitError(Exception):
    """A block took longer than it may."""


class _TooLongError(BaseException):
    """Not an Exception, so that a function that catches exceptions is stopped all the same."""


def time_limit(seconds: float | None) -> AbstractContextManager[object]:
    """A context that interrupts its block after so many seconds; None for no limit.

    Raises:
        TimeLimitError: the block took longer. A KeyboardInterrupt passes all the same.
    """
    return nullcontext() if seconds is None else _Limit(seconds)


class _Limit:
    """The limit of one block."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.over, self.inside = float(min(seconds, threading.TIMEOUT_MAX)), False, False
        self._ended, self._lock = threading.Event(), threading.Lock()

    def __enter__(self) -> None:
        self._thread = threading.get_ident()
        self._by_signal, self._begun = _signal_is_ours(), time.perf_counter()
        watch = threading.Thread(target=_watch, args=(weakref.ref(self), self._ended, self.seconds), daemon=True)
        try:
            if self._by_signal:
                _limits.append(weakref.ref(self))
            watch.start()
        except BaseException:  # an interruption by an outer limit, say
            self._end()
            raise
        self.inside = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self._end()
        except _TooLongError:  # an interruption of a thread, sent before
            self._end()
        if self.over and not isinstance(error, KeyboardInterrupt):
            raise TimeLimitError(f"took longer than {self.seconds:g} s") from None

    def _end(self) -> None:
        # Compiled code may have kept the interpreter to itself, so that nobody could wait for the end of the time.
        self.over = self.over or time.perf_counter() - self._begun >= self.seconds
        with self._lock:
            _limits[:] = [each for each in _limits if each() not in (self, None)]
            self._ended.set()
            if not self._by_signal:  # what was sent and has not arrived yet
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), None)

    def interrupt(self) -> None:
        """Called by the thread that waits."""
        with self._lock:
            if self._ended.is_set():
                return
            self.over = True
            if not self.inside:
                return
            if self._by_signal:
                signal.pthread_kill(self._thread, SIGNAL)
                return
            frame = sys._current_frames().get(self._thread)
            if frame is not None and not _is_here(frame):
                error = ctypes.py_object(_TooLongError)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), error)


_limits: list[weakref.ref[_Limit]] = []
"""Those of blocks of the main thread that a signal interrupts."""


def _watch(waited_for: weakref.ref[_Limit], ended: threading.Event, seconds: float) -> None:
    """Interrupt the block until it has ended; the limit itself is gone if even its end was interrupted."""
    wait = seconds
    while not ended.wait(wait):
        limit = waited_for()
        if limit is None:
            return
        limit.interrupt()
        wait = min(max(seconds, SHORTEST), LONGEST)
        del limit


def _signal_is_ours() -> bool:
    """Whether this is the main thread and the signal is free or ours; it stays ours, for it may be on its way."""
    if not SIGNAL or threading.current_thread() is not threading.main_thread():
        return False
    handler = signal.getsignal(SIGNAL)
    if handler is signal.SIG_DFL:
        signal.signal(SIGNAL, _stop)
    return handler in (signal.SIG_DFL, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    """Interrupt the main thread if a block's time is over, unless it is just leaving or entering one."""
    limits = [limit for each in _limits if (limit := each()) is not None]
    if frame is not None and not _is_here(frame) and any(limit.over and limit.inside for limit in limits):
        raise _TooLongError


def _is_here(frame: FrameType) -> bool:
    return frame.f_code.co_filename == __file__
