"""Fetching a data set: download, convert, check, pin, and only then put in place.

All work happens in a temporary folder next to the destination, which is removed whatever happens; the file appears by
a rename. One process fetches a set at a time; a second one waits and finds it there. A killed process leaves a
temporary folder behind, which the next fetch of the same set removes.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from core.data.catalogue import Entry, lookup
from core.data.errors import CorruptDataError
from core.data.fingerprint import file_sha256
from core.data.pins import Pin, read_pins, write_pin
from core.data.places import Places
from core.data.sources import canonical_url, materialise
from core.data.transfer import Progress, storage_error
from core.data.verify import shaped_fingerprint
from core.foundation.locks import exclusive


def fetch(
    name: str, places: Places | None = None, *, accept: bool = False, progress: Progress | None = None
) -> list[Path]:
    """Download a data set into `places.root`, unless it is already there.

    Args:
        name: Name in the catalogue; an image set means all its files.
        places: Destination; by default taken from the environment.
        accept: Whether the content is accepted as it is now, even if it differs from what is known.
        progress: Function called for each piece that arrives.

    Returns:
        The files, empty for a set that is bundled with scikit-learn.

    Raises:
        UnknownNameError, DownloadError, CorruptDataError, StorageError: with nothing left behind.
    """
    places = places or Places.from_environment()
    entry = lookup(name)
    if entry.parts:
        fetched = [fetch(file, places, accept=accept, progress=progress) for part in entry.parts for file in part]
        return [path for paths in fetched for path in paths]
    return [_fetch_file(entry, places, accept, progress)] if entry.file else []


def _fetch_file(entry: Entry, places: Places, accept: bool, progress: Progress | None) -> Path:
    destination = places.root / entry.file
    with exclusive(_lock(places, entry.name), _say_nothing):
        if destination.is_file() and not accept:
            return destination
        folder = _empty_folder(places.root, entry.name)
        try:
            path = materialise(entry, folder, places.network, progress)
            pin = Pin(
                sha256=file_sha256(path),
                fingerprint=shaped_fingerprint(entry, path),
                url=canonical_url(entry.source),
                day=datetime.now(UTC).date().isoformat(),
            )
            with exclusive(_lock(places, "fingerprints"), _say_nothing):
                if not accept:
                    _require_known_content(entry, pin, read_pins(places.root).get(entry.name))
                write_pin(places.root, entry.name, pin)
            _put_in_place(path, destination)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return destination


def _empty_folder(root: Path, name: str) -> Path:
    """A new temporary folder; those of killed processes, whose lock we now hold, are removed."""
    try:
        for abandoned in root.glob(f".{name}-*"):
            shutil.rmtree(abandoned, ignore_errors=True)
        return Path(tempfile.mkdtemp(prefix=f".{name}-", dir=root))
    except OSError as error:
        raise storage_error(root / name, error) from error


def _require_known_content(entry: Entry, new: Pin, old: Pin | None) -> None:
    known = old.fingerprint if old else entry.fingerprint
    if known is not None and new.fingerprint != known:
        authority = f"the download of {old.day}" if old else "the copy the catalogue was made from"
        raise CorruptDataError(
            f"{entry.name}: {new.url} now has content fingerprint {new.fingerprint[:16]}..., {authority} has "
            f"{known[:16]}...; if you have reason to trust it: python -m core.data fetch {entry.name} --accept"
        )


def _put_in_place(path: Path, destination: Path) -> None:
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "rb") as stream:
            os.fsync(stream.fileno())
        os.replace(path, destination)
    except OSError as error:
        raise storage_error(destination, error) from error


def _lock(places: Places, name: str) -> Path:
    return places.root / ".locks" / f"{name}.lock"


def _say_nothing(message: str) -> None:
    """Does nothing: while waiting for another process's download there is no progress to show."""
