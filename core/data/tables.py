"""Tables in the catalogue's own formats: gzip-compressed CSV, one header line, UTF-8; or Parquet, by the file's name.

In CSV, missing values are empty or "?"; no other word means missing ("none" and "NA" are categories in some sets). Text
is stripped of blanks and of the quotes that ARFF files put around it. A column is numeric when all its present values
are numbers, so categories that are written as numerals count as numbers.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from pathlib import Path
from typing import Any

import pandas as pd

from core.data.errors import CorruptDataError
from core.foundation.unpacking import Unpacked, read_parquet

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
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
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
    try:
        return pd.to_numeric(column)
    except (ValueError, TypeError):
        return column
