"""Arrays in files of `numpy.savez`, every byte of which is checked.

`numpy.load` reads as much of an array as its header says, and compares the archive's checksum only where that is all
there is: with one bit of the header flipped, an array loses rows without a word.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class DamagedArraysError(Exception):
    """A file that `numpy.savez` did not write, or that was damaged since."""


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """All arrays of a file, by name; arrays of objects are refused.

    Raises:
        OSError: the file cannot be read.
        DamagedArraysError: it is damaged or something else.
    """
    content = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}  # as a whole, with its checksum
        return {
            name.removesuffix(".npy"): np.lib.format.read_array(io.BytesIO(member), allow_pickle=False)
            for name, member in members.items()
        }
    except Exception as error:  # a damaged archive can make its readers raise almost anything
        raise DamagedArraysError(str(error) or type(error).__name__) from error
