"""Files that are written whole: what killed writers left behind, and checksums of everything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.foundation.errors import UserError, WriteError
from core.foundation.files import remove_temporaries, require_writable, with_checksum, without_checksum, write_whole

MACHINE = os.uname().nodename


def write(path: Path) -> None:
    write_whole(path, lambda stream: stream.write(b"whole"))


@pytest.fixture
def dead() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_what_killed_writers_left_is_removed_by_the_next(tmp_path, dead):
    (tmp_path / f".file[1].{MACHINE}.{dead}.tmp").write_bytes(b"ha")
    write(tmp_path / "file[1]")
    assert [path.name for path in tmp_path.iterdir()] == ["file[1]"]


def test_what_others_may_be_writing_stays(tmp_path, dead):
    """Of this machine and another, and of another file; a name without a number was written by none of ours."""
    living = f".file.{MACHINE}.{os.getppid()}.tmp"
    others = [living, f".file.elsewhere.{dead}.tmp", f".other.{MACHINE}.{dead}.tmp", f".file.{MACHINE}.none.tmp"]
    for name in others:
        (tmp_path / name).touch()
    write(tmp_path / "file")
    assert {path.name for path in tmp_path.iterdir()} == {"file", *others}


def test_whoever_may_write_alone_removes_all(tmp_path, dead):
    for name in (
        f".file.{MACHINE}.{os.getppid()}.tmp",
        f".file.elsewhere.{dead}.tmp",
        ".file.4711.tmp",
        ".other.4.tmp",
    ):
        (tmp_path / name).touch()
    write(tmp_path / "file")
    remove_temporaries(tmp_path / "file")
    assert {path.name for path in tmp_path.iterdir()} == {"file", ".other.4.tmp"}


def test_a_writer_that_fails_leaves_the_old_file(tmp_path):
    write(tmp_path / "file")

    def fail(stream) -> None:
        stream.write(b"ha")
        raise OSError(28, "No space left on device")

    with pytest.raises(UserError, match="no space left on the device"):
        write_whole(tmp_path / "file", fail)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"whole")]


@pytest.mark.parametrize("name", ["the temporary name", "its own name"])
def test_a_link_that_somebody_has_put_there_is_replaced(tmp_path, name):
    """And what it points to stays as it is."""
    victim, path = tmp_path / "victim", tmp_path / "file"
    victim.write_text("precious")
    link = path if name == "its own name" else tmp_path / f".file.{MACHINE}.{os.getpid()}.tmp"
    link.symlink_to(victim)
    write(path)
    assert victim.read_text() == "precious" and path.read_bytes() == b"whole" and not path.is_symlink()
    assert {each.name for each in tmp_path.iterdir()} == {"file", "victim"}


def test_permissions_are_those_asked_for(tmp_path):
    for mode in (0o600, 0o644):
        write_whole(tmp_path / "file", lambda stream: stream.write(b"whole"), mode=mode)
        assert (tmp_path / "file").stat().st_mode & 0o777 & ~mode == 0


@pytest.mark.parametrize("content", [b"", b"\n", b"a\nb\n", bytes(range(256))])
def test_a_checksum_covers_every_bit(content):
    whole = with_checksum(content)
    assert without_checksum(whole) == content
    for bit in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        assert without_checksum(bytes(flipped)) is None
    for length in range(len(whole)):
        assert without_checksum(whole[:length]) is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("folder", "folder: cannot be written: Is a directory"),
        ("here/below", "here/below: cannot be written: "),
        ("x" * 250, "x: cannot be written: File name too long"),
    ],
)
def test_what_cannot_be_written_is_found_beforehand(tmp_path, name, message):
    (tmp_path / "folder").mkdir()
    (tmp_path / "here").write_text("kept")
    before = sorted(tmp_path.rglob("*"))
    require_writable(tmp_path / "here")
    with pytest.raises(WriteError, match=message):
        require_writable(tmp_path / name)
    assert sorted(tmp_path.rglob("*")) == before and (tmp_path / "here").read_text() == "kept"
