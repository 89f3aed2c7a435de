"""One writer per cell: an advisory operating-system lock that dies with its process.

Unlike a lock file that merely exists, it cannot be left stale by a kill, so a rerun is never blocked by a dead process.
A second writer waits for the first and then finds its work done.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import UserError


@contextmanager
def exclusive(path: Path, say: Callable[[str], None], poll_seconds: float = 0.2) -> Iterator[None]:
    """Hold the lock file at `path` while the block runs; if it must wait, `say` is told once for which process.

    The file itself stays: removing it would let two processes lock two different files of the same name.

    Raises:
        UserError: the folder cannot be written, or its file system has no locks.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UserError(f"{path}: cannot be locked: {error.strerror}") from error
    try:
        announced = False
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not announced:
                    holder = os.pread(handle, 64, 0).decode(errors="replace").strip() or "unknown"
                    say(f"{path.parent}/{path.stem.lstrip('.')}: being computed by process {holder}; waiting for it")
                    announced = True
                time.sleep(poll_seconds)
            except OSError as error:
                raise UserError(f"{path}: cannot be locked: {error.strerror}") from error
        _write_holder(handle)
        yield
    finally:
        os.close(handle)


def _write_holder(handle: int) -> None:
    """Note the holder for waiting processes; on a full disk the note is lost, but not the lock."""
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
    except OSError:
        pass
