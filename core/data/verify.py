"""What a file of the catalogue holds: its fingerprint, that of the first download, and the comparison.

A file must be what the catalogue says: shape first, then identity. A file is the right one if its bytes have a known
SHA-256 or its content has the known fingerprint. These come from the folder's pin, or else from the catalogue; if
neither has them, the shape must do.

Trust on first use: what a data folder's files were when they arrived, in its `fingerprints.json`.

The catalogue knows the content of the sets it was made from. For the others the right content cannot be known offline,
so the first download is trusted once its shape is right (and the publisher's checksum, if there is one),
and its fingerprint is pinned. From then on the file must stay what it was, and a later download must be the same or is
refused. `python -m core.data fetch NAME --accept` accepts changed content as the one to use; the
pin then replaces the catalogue's fingerprint.

The content fingerprint is one number for what a table says, in whatever order or bytes it is stored.

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
import json
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.data.catalogue import Entry
from core.data.errors import CorruptDataError, StorageError
from core.data.images import read_idx
from core.data.tables import Unpacked, UnpackedSizeError, read_table
from core.foundation.errors import UserError
from core.foundation.files import write_whole

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


FILE = "fingerprints.json"


@dataclass(frozen=True)
class Pin:
    """SHA-256 of a file's bytes, fingerprint of its content, the address it came from and the day (ISO 8601)."""

    sha256: str
    fingerprint: str
    url: str
    day: str


def read_pins(folder: Path) -> dict[str, Pin]:
    """The pins of a data folder, by data set; empty if it has no such file.

    Raises:
        CorruptDataError: the file is not what `write_pin` writes.
    """
    path = folder / FILE
    try:
        return {name: Pin(**fields) for name, fields in json.loads(path.read_text()).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise CorruptDataError(f"{path}: not a file of fingerprints ({error}); remove it to pin again") from error


def write_pin(folder: Path, name: str, pin: Pin) -> None:
    """Add or replace one pin; the caller holds the folder's lock.

    Raises:
        StorageError: the disk is full or the folder cannot be written; the pins are as they were.
    """
    pins = {**read_pins(folder), name: pin}
    text = json.dumps({key: asdict(value) for key, value in sorted(pins.items())}, indent=1) + "\n"
    try:
        write_whole(folder / FILE, lambda stream: stream.write(text.encode()))
    except UserError as error:
        raise StorageError(str(error)) from error


def verified_table(entry: Entry, path: Path, pin: Pin | None) -> pd.DataFrame:
    """Read a table and make sure that it is the right one.

    Raises:
        CorruptDataError: damaged, of another shape, without its target, or with other content.
    """
    frame = read_shaped_table(entry, path)
    _require_identity(entry, path, pin, lambda: table_fingerprint(frame, entry.target))
    return frame


def verify_file(entry: Entry, path: Path, pin: Pin | None) -> None:
    """Make sure that a file that is not a table is the right one.

    Raises:
        CorruptDataError: damaged, of another shape, or with other content.
    """
    _require_identity(entry, path, pin, lambda: shaped_fingerprint(entry, path))


def shaped_fingerprint(entry: Entry, path: Path) -> str:
    """The fingerprint of a file of the right shape.

    Raises:
        CorruptDataError: damaged or of another shape.
    """
    if entry.format == "table":
        return table_fingerprint(read_shaped_table(entry, path), entry.target)
    if entry.format == "idx":
        array = read_idx(path, entry.rows * entry.columns)
        _require_shape(entry, path, (len(array), int(np.prod(array.shape[1:], dtype=int))))
    return file_fingerprint(path, entry.most_bytes)


def read_shaped_table(entry: Entry, path: Path) -> pd.DataFrame:
    """A table of the right shape with its target in it."""
    frame = read_table(path, entry.most_bytes)
    _require_shape(entry, path, frame.shape)
    if entry.target not in frame.columns:
        raise CorruptDataError(f"{entry.name}: {path} has no column {entry.target!r}")
    return frame


def _require_shape(entry: Entry, path: Path, shape: tuple[int, int]) -> None:
    if shape != (entry.rows, entry.columns):
        raise CorruptDataError(
            f"{entry.name}: {path} has {shape[0]} rows and {shape[1]} columns, "
            f"the catalogue says {entry.rows} and {entry.columns}: truncated, or another version"
        )


def _require_identity(entry: Entry, path: Path, pin: Pin | None, fingerprint: Callable[[], str]) -> None:
    authority = f"the pin of {pin.day} in its folder" if pin else "the catalogue"
    known_bytes = pin.sha256 if pin else entry.sha256
    known_content = pin.fingerprint if pin else entry.fingerprint
    if known_bytes is not None and file_sha256(path) == known_bytes:
        return
    content = fingerprint()
    if known_content is not None and content != known_content:
        raise CorruptDataError(
            f"{entry.name}: {path} has content fingerprint {content[:16]}..., {authority} says "
            f"{known_content[:16]}...: another version or a damaged file; remove it to have it fetched again"
        )
