"""A long computation on many items, in chunks of one file each, so that an interruption loses at most one chunk.

A chunk file (`chunk_<number>.npz`) holds plain arrays by name, the items first, with `key`, what was computed, and
`names`, the names of the arrays: files of another collection are refused, damaged ones are computed again. Several
processes may fill a folder, each one shard: chunk k belongs to shard k modulo the number of shards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.tables import DamagedArraysError, read_arrays
from core.foundation.errors import UserError
from core.foundation.files import write_whole
from core.foundation.progress import Progress, silent, within

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Chunks:
    """The chunks of a computation on `items` items, `size` in each except the last.

    Args:
        folder: Folder of the files; created if missing.
        key: Description of the computation: everything that the arrays depend on.

    Raises:
        UserError: a size or a number of items below 1.
    """

    folder: Path
    key: str
    items: int
    size: int

    def __post_init__(self) -> None:
        if self.size < 1 or self.items < 1:
            raise UserError(f"chunks of {self.size} items out of {self.items}; allowed: at least 1 of at least 1")

    @property
    def count(self) -> int:
        return -(-self.items // self.size)

    def fill(
        self,
        compute: Callable[[NDArray[np.int64], Progress], Arrays],
        shard: tuple[int, int] = (0, 1),
        progress: Progress = silent,
    ) -> None:
        """Compute the missing chunks of a shard.

        Args:
            compute: Function that receives the numbers of a chunk's items and a callback for the share of them that is
                done, and returns their arrays.
            shard: Number of the shard, and number of shards.
            progress: Callback that receives the share of the shard that is done.

        Raises:
            UserError: a shard that does not exist, a file of another collection, or one that cannot be written.
        """
        which, shards = shard
        if not 0 <= which < shards:
            raise UserError(f"shard {which} of {shards}; allowed: 0 to {shards - 1}")
        numbers = range(which, self.count, shards)
        for done, number in enumerate(numbers, start=1):
            if self._read(number) is None:
                share = within(progress, (done - 1) / len(numbers), done / len(numbers))
                arrays = compute(self._items(number), share)
                if {"key", "names"} & arrays.keys() or any(
                    len(array) != len(self._items(number)) for array in arrays.values()
                ):
                    raise UserError(
                        f"compute: must return arrays of {len(self._items(number))} items, none named key or names"
                    )
                self._write(number, arrays)
            progress(done / len(numbers))

    def missing(self) -> list[int]:
        """Numbers of the chunks still missing."""
        return [number for number in range(self.count) if self._read(number) is None]

    def gather(self) -> Arrays:
        """All items together.

        Raises:
            UserError: chunks are missing.
        """
        chunks = {number: arrays for number in range(self.count) if (arrays := self._read(number)) is not None}
        if absent := [number for number in range(self.count) if number not in chunks]:
            raise UserError(f"{self.folder}: {len(absent)} of {self.count} chunks are missing, first {absent[0]}")
        return {name: np.concatenate([arrays[name] for arrays in chunks.values()]) for name in chunks[0]}

    def _items(self, number: int) -> NDArray[np.int64]:
        return np.arange(number * self.size, min((number + 1) * self.size, self.items))

    def _path(self, number: int) -> Path:
        return self.folder / f"chunk_{number:05d}.npz"

    def _read(self, number: int) -> Arrays | None:
        """The arrays of a chunk; None without a file, for a damaged one, or the last of a collection of fewer items."""
        try:
            arrays = read_arrays(self._path(number))
            key, names = str(arrays.pop("key")), arrays.pop("names").tolist()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UserError(f"{self._path(number)}: cannot be read ({error.strerror})") from None
        except (DamagedArraysError, KeyError):
            return None
        if key != self.key:
            raise UserError(f"{self._path(number)}: holds {key}, expected {self.key}; use another folder")
        whole = sorted(arrays) == names and all(len(array) == len(self._items(number)) for array in arrays.values())
        return arrays if whole else None

    def _write(self, number: int, arrays: Arrays) -> None:
        named: dict[str, Any] = {"key": np.array(self.key), "names": np.array(sorted(arrays)), **arrays}
        write_whole(self._path(number), lambda stream: np.savez_compressed(stream, **named))
