"""Trust on first use: what a data folder's files were when they arrived, in its `fingerprints.json`.

The catalogue knows the content of the sets it was made from. For the others the right content cannot be known offline,
so the first download is trusted once its shape is right (and the publisher's checksum, if there is one),
and its fingerprint is pinned. From then on the file must stay what it was, and a later download must be the same or is
refused. `python -m core.data fetch NAME --accept` accepts changed content as the one to use; the
pin then replaces the catalogue's fingerprint.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from core.data.errors import CorruptDataError, StorageError
from core.foundation.errors import UserError
from core.foundation.files import write_whole

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
