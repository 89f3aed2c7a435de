"""The content fingerprint: one number for what a table says, in whatever order or bytes it is stored.

Copies of the same data set differ in header names, order of rows and columns, notation ("24", "24.0", "2.4e1") and
compression. The fingerprint ignores all of these and nothing else:

1. Each value becomes a 64-bit key. A number is rounded to 10 significant digits, m * 10^e with 10^9 <= |m| < 10^10, and
   its key is 1024 m + (e + 512); zero is 0. Text is stripped and its key is the start of its SHA-256; the bytes
   of an image are hashed as they are. A missing value has a key of its own. A column is numeric when all its present
   values are numbers.
2. The keys of each row's inputs are sorted and the target's key is put in front; the rows are sorted.
3. The keys of each input column are sorted; the columns are sorted.
4. The fingerprint is the SHA-256 of the number of rows and columns and of the keys of 2 and 3, little-endian.

Step 2 alone would accept values moved between columns within a row, step 3 alone values moved between rows.

Files that are not tables (images) have the SHA-256 of their bytes as fingerprint, after decompression if they are
gzip files, whose header holds a time and an operating system.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.data.errors import CorruptDataError
from core.foundation.unpacking import Unpacked, UnpackedSizeError

DIGITS = 10
MISSING = np.iinfo(np.int64).min
INFINITE = {np.inf: MISSING + 1, -np.inf: MISSING + 2}
_CHUNK = 1 << 20
_POWERS = np.array([float(f"1e{k}") for k in range(309)])  # as read, not computed: the same on every machine


def table_fingerprint(frame: pd.DataFrame, target: str) -> str:
    """Fingerprint of a table with a target column; a hexadecimal SHA-256."""
    keys = np.column_stack([value_keys(frame[name]) for name in frame.columns if name != target])
    rows = np.column_stack([value_keys(frame[target]), np.sort(keys, axis=1)])
    digest = hashlib.sha256(np.array(frame.shape, dtype="<i8").tobytes())
    for line in sorted(row.tobytes() for row in rows.astype("<i8")):
        digest.update(line)
    for line in sorted(column.tobytes() for column in np.sort(keys, axis=0).T.astype("<i8")):
        digest.update(line)
    return digest.hexdigest()


def file_fingerprint(path: Path, limit: int | None = None) -> str:
    """Fingerprint of a file that is not a table.

    Raises:
        CorruptDataError: a gzip file that is truncated or damaged, or unpacks to more bytes than the limit.
    """
    if path.suffix != ".gz":
        return file_sha256(path)
    try:
        with Unpacked(path, limit) as stream:
            return _stream_sha256(stream)
    except (EOFError, zlib.error, gzip.BadGzipFile, UnpackedSizeError) as error:
        raise CorruptDataError(f"{path}: truncated or damaged gzip file ({error})") from error


def file_sha256(path: Path) -> str:
    """SHA-256 of the bytes of a file."""
    with open(path, "rb") as stream:
        return _stream_sha256(stream)


def value_keys(column: pd.Series) -> NDArray[np.int64]:
    """Step 1 above: one key per value, (n,)."""
    if pd.api.types.is_numeric_dtype(column):
        return number_keys(column.to_numpy(dtype=np.float64))
    codes, texts = pd.factorize(column)
    contents = (text if isinstance(text, bytes) else str(text).strip().encode() for text in texts)
    hashes = b"".join(hashlib.sha256(content).digest()[:8] for content in contents)
    return np.append(np.frombuffer(hashes, dtype="<i8"), MISSING).astype(np.int64)[codes]  # a missing value has code -1


def number_keys(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Keys of numbers, (n,); NaN is missing."""
    keys = np.full(values.shape, MISSING, dtype=np.int64)
    for infinity, key in INFINITE.items():
        keys[values == infinity] = key
    present = np.isfinite(values)
    x = values[present]
    exponent = np.floor(np.log10(np.abs(x), where=x != 0, out=np.zeros_like(x))).astype(np.int64) - (DIGITS - 1)
    mantissa = _scaled(x, exponent)
    # The logarithm can be off by one next to a power of ten, and rounding can reach the next power.
    for correction in (1, -1):
        size = np.abs(mantissa)
        off = size >= 10**DIGITS if correction == 1 else (size < 10 ** (DIGITS - 1)) & (size > 0)
        exponent = exponent + correction * off
        mantissa = np.where(off, _scaled(x, exponent), mantissa)
    keys[present] = np.where(mantissa == 0, 0, mantissa * 1024 + exponent + 512)
    return keys


def _scaled(x: NDArray[np.float64], exponent: NDArray[np.int64]) -> NDArray[np.int64]:
    """x / 10^exponent, rounded to an integer."""
    divisor, factor = (_POWERS[np.clip(power, 0, 308)] for power in (exponent, -exponent))
    return np.rint(x / divisor * factor).astype(np.int64)


def _stream_sha256(stream: BinaryIO | gzip.GzipFile) -> str:
    digest = hashlib.sha256()
    while chunk := stream.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()
