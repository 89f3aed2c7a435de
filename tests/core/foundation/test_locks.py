"""The lock of a cell within one process; test_processes.py kills its holders."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from core.foundation.errors import UserError
from core.foundation.locks import exclusive


def fail(message: str) -> None:
    pytest.fail(f"said {message!r}")


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


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
    before = open_files()
    with (
        pytest.raises(UserError, match="cannot be locked: No locks available"),
        exclusive(tmp_path / ".plain.lock", fail),
    ):
        pass
    assert open_files() == before


@pytest.mark.parametrize("kind", ["a link", "a link to nothing", "another name of a file", "a pipe", "a folder"])
def test_what_somebody_has_put_there_is_neither_followed_nor_written(tmp_path, kind):
    victim, lock = tmp_path / "victim", tmp_path / ".plain.lock"
    victim.write_text("precious\n")
    if kind == "a link":
        lock.symlink_to(victim)
    elif kind == "a link to nothing":
        lock.symlink_to(tmp_path / "new")
    elif kind == "another name of a file":
        lock.hardlink_to(victim)
    elif kind == "a pipe":
        os.mkfifo(lock)
    else:
        lock.mkdir()
    before = open_files()
    with pytest.raises(UserError, match=r"\.plain\.lock: cannot be locked: "), exclusive(lock, fail):
        pass
    assert victim.read_text() == "precious\n" and not (tmp_path / "new").exists() and open_files() == before


def test_a_number_of_an_earlier_process_is_replaced(tmp_path):
    (tmp_path / ".plain.lock").write_text("9" * 20)
    with exclusive(tmp_path / ".plain.lock", say=fail):
        assert (tmp_path / ".plain.lock").read_text() == str(os.getpid())


def test_a_forked_child_neither_holds_the_lock_nor_frees_it(tmp_path):
    """It leaves the block while its parent is in it, and lives on when its parent has left it."""
    path, (reader, writer) = tmp_path / ".plain.lock", os.pipe()
    with exclusive(path, say=fail):
        child = os.fork()
        if child:
            os.close(writer)
            assert os.read(reader, 4) == b"left"
            handle = os.open(path, os.O_RDWR)
            with pytest.raises(BlockingIOError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(handle)
    if not child:
        os.write(writer, b"left")
        time.sleep(60)
        os._exit(0)
    with exclusive(path, say=fail):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_on_a_full_disk_the_lock_is_held_without_its_note(tmp_path, monkeypatch):
    def full(handle: int, content: bytes, offset: int) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with exclusive(tmp_path / ".plain.lock", say=fail):
        handle = os.open(tmp_path / ".plain.lock", os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(handle)
