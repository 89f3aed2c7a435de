"""Checks that a file is what the catalogue says: shape first, then identity.

A file is the right one if its bytes have a known SHA-256 or its content has the known fingerprint. These come from the
folder's pin (`core.data.pins`), or else from the catalogue; if neither has them, the shape must do.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from core.data.catalogue import Entry
from core.data.errors import CorruptDataError
from core.data.fingerprint import file_fingerprint, file_sha256, table_fingerprint
from core.data.images import read_idx
from core.data.pins import Pin
from core.data.tables import read_table


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
