"""Compressed files of others, which may hold thousands of times their own size: no more than stated is unpacked."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


class UnpackedSizeError(ValueError):
    """A file that unpacks to more bytes than it may."""


class Unpacked(gzip.GzipFile):
    """A gzip file for reading.

    Args:
        path: Path of the file.
        limit: The most bytes that it may unpack to; None for any number.
    """

    def __init__(self, path: Path, limit: int | None = None) -> None:
        super().__init__(path, "rb")
        self._left, self._limit = limit, limit

    def read(self, size: int | None = -1) -> bytes:
        return self._counted(super().read(self._bounded(size)))

    def read1(self, size: int = -1) -> bytes:
        return self._counted(super().read1(self._bounded(size)))

    def _bounded(self, size: int | None) -> int:
        """The number of bytes to read at once: one too many shows that there are more."""
        size = -1 if size is None else size
        return size if self._left is None else min(size, self._left + 1) if size >= 0 else self._left + 1

    def _counted(self, content: bytes) -> bytes:
        if self._left is not None:
            self._left -= len(content)
            if self._left < 0:
                raise UnpackedSizeError(f"unpacks to more than {self._limit:,} bytes, the most that it may have")
        return content


def read_parquet(source: Any, limit: int | None = None, **options: Any) -> pa.Table:
    """The table in a Parquet file.

    A file may repeat one value, or one long text, any number of times in a few bytes. Its numbers are counted before
    anything is decoded; columns of text are read as their distinct values, and counted before these are repeated.

    Args:
        source: What `pyarrow.parquet.ParquetFile` takes.
        limit: The most bytes that the decoded table may have; None for any number.
        options: Further arguments of `ParquetFile`.

    Raises:
        UnpackedSizeError: it has more.
        Exception: whatever Arrow raises for a damaged file.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(source, **options)
    if limit is None:
        return file.read(use_threads=False)  # Arrow's pool aborts some processes at their end: apache/arrow#34314
    notes = file.metadata
    groups = [notes.row_group(number) for number in range(notes.num_row_groups)]
    columns = [group.column(number) for group in groups for number in range(group.num_columns)]
    claimed = sum(8 * column.num_values + column.total_uncompressed_size for column in columns)
    schema = file.schema_arrow
    texts = [field.name for field in schema if _is_text(field.type)]
    whole = {field.name for field in schema if not pa.types.is_nested(field.type)}
    for column in columns:  # text in lists, which Arrow cannot read as distinct values: the longest, repeated
        if column.physical_type == "BYTE_ARRAY" and column.path_in_schema not in whole:
            claimed += column.num_values * column.total_uncompressed_size
    _require(notes.num_rows * notes.num_columns + claimed, limit)
    if not texts:
        return file.read(use_threads=False)
    if isinstance(source, pa.BufferReader):
        source.seek(0)
    again = pq.ParquetFile(source, metadata=notes, read_dictionary=texts, **options)
    table = again.read(use_threads=False)
    _require(table.drop_columns(texts).nbytes + sum(_repeated(table[name]) for name in texts), limit)
    return table.cast(schema)


def _is_text(kind: pa.DataType) -> bool:
    from pyarrow import types

    return any(
        is_one(kind) for is_one in (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    )


def _repeated(column: pa.ChunkedArray) -> int:
    """The bytes of a column of text once its distinct values are repeated."""
    import pyarrow.compute as pc

    lengths = (pc.take(pc.binary_length(chunk.dictionary), chunk.indices) for chunk in column.chunks)
    return sum(pc.sum(each.cast("int64")).as_py() or 0 for each in lengths)


def _require(size: int, limit: int) -> None:
    if size > limit:
        raise UnpackedSizeError(f"unpacks to {size:,} bytes; allowed: {limit:,}")
