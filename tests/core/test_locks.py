"""The lock of a cell within one process; test_processes.py kills its holders."""

from __future__ import annotations

import errno
import fcntl
import os
import threading
from pathlib import Path

import pytest

from core.errors import UserError
from core.locks import exclusive


def fail(message: str) -> None:
    pytest.fail(f"said {message!r}")


def test_a_free_lock_is_taken_without_a_word(tmp_path):
    path = tmp_path / "deeper" / ".plain.lock"
    for _ in range(2):  # the file of the first remains and blocks nobody
        with exclusive(path, say=fail):
            assert path.read_text() == str(os.getpid())


def test_the_second_waits_and_says_once_for_whom(tmp_path):
    path, said, order, waiting = tmp_path / ".plain.lock", [], [], threading.Event()

    def say(message: str) -> None:
        said.append(message)
        waiting.set()

    def second() -> None:
        with exclusive(path, say, poll_seconds=0.001):
            order.append("second")

    with exclusive(path, say=fail):
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(timeout=60)
        order.append("first")
    thread.join(timeout=60)
    assert order == ["first", "second"]
    assert said == [f"{tmp_path}/plain: being computed by process {os.getpid()}; waiting for it"]


def test_an_exception_frees_it(tmp_path):
    with pytest.raises(KeyboardInterrupt), exclusive(tmp_path / ".plain.lock", say=fail):
        raise KeyboardInterrupt
    with exclusive(tmp_path / ".plain.lock", say=fail):
        pass


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "line").touch()
    with (
        pytest.raises(UserError, match=r"\.plain\.lock: cannot be locked: "),
        exclusive(tmp_path / "line/.plain.lock", fail),
    ):
        pass


def test_a_file_system_without_locks(tmp_path, monkeypatch):
    def refuse(handle: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    before = len(list(Path("/proc/self/fd").iterdir()))
    with (
        pytest.raises(UserError, match="cannot be locked: No locks available"),
        exclusive(tmp_path / ".plain.lock", fail),
    ):
        pass
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_on_a_full_disk_the_lock_is_held_without_its_note(tmp_path, monkeypatch):
    def full(handle: int, content: bytes, offset: int) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with exclusive(tmp_path / ".plain.lock", say=fail):
        handle = os.open(tmp_path / ".plain.lock", os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(handle)
