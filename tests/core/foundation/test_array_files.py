"""Arrays in files: whole, or an error."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from core.data.tables import DamagedArraysError, read_arrays

ARRAYS = {"key": np.array("squares"), "a": np.arange(130.0 * 37).reshape(130, 37), "empty": np.zeros((0, 3), np.int8)}


@pytest.fixture(params=[np.savez, np.savez_compressed])
def path(tmp_path, request) -> Path:
    with open(tmp_path / "arrays.npz", "wb") as stream:
        request.param(stream, **ARRAYS)
    return tmp_path / "arrays.npz"


def same(found) -> bool:
    return found.keys() == ARRAYS.keys() and all(np.array_equal(found[name], ARRAYS[name]) for name in ARRAYS)


def test_what_is_written_is_read(path):
    found = read_arrays(path)
    assert same(found) and all(found[name].dtype == ARRAYS[name].dtype for name in ARRAYS)


def test_a_flipped_bit_changes_no_array(path):
    """In the headers at both ends every bit: of the shape 130 by 37, NumPy alone would read 120 by 37."""
    whole = path.read_bytes()
    unnoticed = 0
    for bit in [
        *range(8 * 900),
        *range(8 * 900, 8 * len(whole) - 4000, 997),
        *range(8 * len(whole) - 4000, 8 * len(whole)),
    ]:
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        try:
            found = read_arrays(path)
        except DamagedArraysError:
            continue
        unnoticed += not found.keys() < ARRAYS.keys()  # an archive may lose a member, which its reader will miss
        assert all(np.array_equal(found[name], ARRAYS[name]) for name in found)
    assert unnoticed < 3000  # times and the like


@pytest.mark.parametrize("content", [b"", b"no archive", np.lib.format.magic(1, 0)])
def test_something_else(path, content):
    path.write_bytes(content)
    with pytest.raises(DamagedArraysError):
        read_arrays(path)


def test_objects_are_not_read(path):
    stream = io.BytesIO()
    np.savez(stream, a=np.array([{}], dtype=object))
    path.write_bytes(stream.getvalue())
    with pytest.raises(DamagedArraysError, match="allow_pickle=False"):
        read_arrays(path)


def test_an_absent_file_is_an_error_of_the_file_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_arrays(tmp_path / "absent.npz")
