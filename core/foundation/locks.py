"""One writer of a file: an advisory operating-system lock that dies with its process.

Unlike a lock file that merely exists, it cannot be left stale by a kill, so a rerun is never blocked by a dead process.
A second writer waits for the first and then finds its work done. A lock belongs to the process that took it: a child
that this process forks closes its copy, so that the lock does not outlive its holder.

Whoever can write in a folder can put something else where a lock file is to be: a link is not followed, and nothing but
an empty file or one with the number of a process is written to.
"""

from __future__ import annotations

import fcntl
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.foundation.errors import UserError, WriteError

LONGEST = 20  # digits of the number of a process
SOMETHING_ELSE = "it is something else; allowed: a lock file, or none"

_held: dict[int, int] = {}  # threads by the descriptors of this process's locks


def _let_go() -> None:
    """In a forked child: close its copies, which would hold the locks of its parent."""
    for handle in _held:
        os.close(handle)
    _held.clear()


os.register_at_fork(after_in_child=_let_go)


@contextmanager
def exclusive(path: Path, say: Callable[[str], None], poll_seconds: float = 0.2) -> Iterator[None]:
    """Hold the lock file at `path` while the block runs; if it must wait, `say` is told once for which process.

    The file itself stays: removing it would let two processes lock two different files of the same name.

    Raises:
        UserError: the folder cannot be written, its file system has no locks, or something else lies there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
    except OSError as error:
        why = SOMETHING_ELSE if path.is_symlink() else error.strerror
        raise UserError(f"{path}: cannot be locked: {why}") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise UserError(f"{path}: cannot be locked: {SOMETHING_ELSE}")
    name = f"{path.parent}/{path.stem.lstrip('.')}"
    with locked(handle, path, lambda: say(waiting(name, _noted(handle))), poll_seconds):
        _write_holder(handle, path)
        yield


@contextmanager
def locked(handle: int, path: Path, wait: Callable[[], None], poll_seconds: float = 0.2) -> Iterator[None]:
    """Hold the lock of an open file while the block runs, and close the file then.

    All names of a file share this lock.

    Args:
        path: Name of the file in messages.
        wait: Called once if another process holds the lock.

    Raises:
        UserError: its file system has no locks.
    """
    mine, thread = os.fstat(handle), threading.get_ident()
    if any(holder == thread and os.path.samestat(mine, os.fstat(other)) for other, holder in list(_held.items())):
        os.close(handle)
        raise UserError(f"{path}: is being written by what calls this; allowed: another file")
    _held[handle] = thread
    try:
        announced = False
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not announced:
                    wait()
                    announced = True
                time.sleep(poll_seconds)
            except OSError as error:
                raise UserError(f"{path}: cannot be locked: {error.strerror}") from error
        yield
    finally:
        if handle in _held:  # a forked child has closed it
            del _held[handle]
            os.close(handle)


def waiting(name: str, holder: str) -> str:
    """What is said before waiting for the process that has a lock, whose number is empty if it is not known."""
    return f"{name}: being computed by {f'process {holder}' if holder else 'another process'}; waiting for it"


def holder_of(handle: int) -> str:
    """The number of the process that holds the lock of an open file, where the system tells; else empty."""
    found = os.fstat(handle)
    place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    try:
        locks = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    except OSError:
        return ""
    return next((line[4] for line in locks if line[1] == "FLOCK" and line[5] == place), "")


def require_process(number: int, what: str) -> None:
    """Stop in a child that process `number` has forked, which returned where it should have ended.

    Raises:
        WriteError: this is another process; it is no outcome of an evaluation.
    """
    if os.getpid() != number:
        raise WriteError(
            f"{what} belongs to process {number}; this is process {os.getpid()}, which the function has forked and "
            "which has returned; allowed: a child that ends with os._exit"
        )


def _noted(handle: int) -> str:
    noted = os.pread(handle, LONGEST, 0)
    return noted.decode() if noted.isdigit() else ""


def _write_holder(handle: int, path: Path) -> None:
    """Note the holder for waiting processes; on a full disk the note is lost, but not the lock."""
    noted = os.pread(handle, LONGEST + 1, 0)
    if len(noted) > LONGEST or (noted and not noted.isdigit()):
        raise UserError(f"{path}: cannot be locked: {SOMETHING_ELSE}")
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
