"""Files of tables and arrays, and what may be in them.

Tables are in the catalogue's own formats: gzip-compressed CSV, one header line, UTF-8; or Parquet, by the file's name.
In CSV, missing values are empty or "?"; no other word means missing ("none" and "NA" are categories in some sets). Text
is stripped of blanks and of the quotes that ARFF files put around it. A column is numeric when all its present values
are numbers, so categories that are written as numerals count as numbers.

Compressed files of others may hold thousands of times their own size: no more than stated is unpacked.

Arrays are in files of `numpy.savez`, every byte of which is checked. `numpy.load` reads as much of an array as its
header says, and compares the archive's checksum only where that is all there is: with one bit of the header flipped, an
array loses rows without a word.
"""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.data.errors import CorruptDataError

if TYPE_CHECKING:
    import pandas as pd
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


MISSING = ("", "?")
PARQUET = ".parquet"
_QUOTED = re.compile(r"^(['\"])(.*)\1$", re.DOTALL)


def read_table(path: Path, limit: int | None = None) -> pd.DataFrame:
    """A table of one of the catalogue's formats.

    Raises:
        CorruptDataError: truncated, not gzip, not a table, or unpacks to more bytes than the limit.
    """
    if path.suffix == PARQUET:
        return _read_parquet(path, limit)
    try:
        with io.TextIOWrapper(Unpacked(path, limit), encoding="utf-8", newline="") as stream:
            return parse_text(stream)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CorruptDataError(f"{path}: truncated or damaged gzip file ({error})") from error
    except ValueError as error:  # pandas' own errors are such
        raise CorruptDataError(f"{path}: not a table ({' '.join(str(error).split())})") from error


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table so that reading it back gives the same numbers; as CSV it always gives the same bytes."""
    if path.suffix == PARQUET:
        frame.to_parquet(path, index=False, compression="zstd")
        return
    with (
        open(path, "wb") as raw,
        gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0) as compressed,
        io.TextIOWrapper(compressed, encoding="utf-8", newline="") as text,
    ):
        frame.to_csv(text, index=False, lineterminator="\n")


def _read_parquet(path: Path, limit: int | None) -> pd.DataFrame:
    try:
        return read_parquet(path, limit).to_pandas()
    except Exception as error:  # whatever Arrow and pandas raise on a damaged or hostile file
        raise CorruptDataError(f"{path}: truncated or not a Parquet file ({' '.join(str(error).split())})") from error


def parse_text(stream: Any, **options: Any) -> pd.DataFrame:
    """Delimited text as a frame of float and text columns; `options` go to `pandas.read_csv`."""
    import pandas as pd  # takes a second, which readers of records may do without

    frame = pd.read_csv(
        stream,
        keep_default_na=False,
        na_values=list(MISSING),
        skipinitialspace=True,
        low_memory=False,  # one type per column, not one per chunk
        float_precision="round_trip",
        **options,
    )
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            frame[name] = _clean(frame[name])
    return frame


def _clean(column: pd.Series) -> pd.Series:
    """Text without surrounding blanks and quotes; numbers, if nothing else is left."""
    text = column.astype(object).map(lambda value: _QUOTED.sub(r"\2", value.strip()).strip(), na_action="ignore")
    return numbers_if_all(text.where(~text.isin(MISSING), None))


def numbers_if_all(column: pd.Series) -> pd.Series:
    """A column as numbers if all its present values are."""
    import pandas as pd

    try:
        return pd.to_numeric(column)
    except (ValueError, TypeError):
        return column


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
