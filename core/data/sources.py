"""Conversion of a canonical source to a file in the catalogue's own format.

* OpenML: `api/v1/json/data/ID` describes the set (address and MD5 of the ARFF file, default target, row identifiers).
* Text: a CSV or whitespace-separated file at UCI, by itself or in a zip archive. The UCI sets whose archives hold
  spreadsheets (concrete, energy, power plant) come from UCI's own `data.csv` of the same table, so that no reader of
  spreadsheets is needed.
* File: kept as published (MNIST's IDX, CIFAR's tar.gz, SVHN's MATLAB files).
* Repository: files of a GitHub repository at a commit, in the forms of `core.data.repositories`.

Tables are stored with their columns in the source's order and the target last, under the catalogue's name for it.

`fetch` is the way of a data set to its place: download, convert, check, pin, and only then put in place.

All work happens in a temporary folder next to the destination, which is removed whatever happens; the file appears by
a rename. One process fetches a set at a time; a second one waits and finds it there. A killed process leaves a
temporary folder behind, which the next fetch of the same set removes.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core.data.arff import parse_arff
from core.data.catalogue import Entry, File, Network, OpenML, Places, Repository, Text, lookup
from core.data.errors import CorruptDataError, DownloadError
from core.data.repositories import DAMAGED_ZIP, addresses, read_member, repository_table
from core.data.tables import parse_text, write_table
from core.data.transfer import Progress, download, storage_error
from core.data.verify import Pin, file_sha256, read_pins, shaped_fingerprint, write_pin
from core.foundation.locks import exclusive

OPENML = "https://www.openml.org/api/v1/json/data/{id}"
DESCRIPTION = 2**24
"""The most bytes of a description."""
_SEPARATORS = {"comma": ",", "semicolon": ";", "whitespace": r"\s+"}


def canonical_url(source: OpenML | Text | File | Repository) -> str:
    """The address where a download starts."""
    if isinstance(source, Repository):
        return addresses(source)[0]
    return OPENML.format(id=source.id) if isinstance(source, OpenML) else source.url


def materialise(entry: Entry, folder: Path, network: Network, progress: Progress | None = None) -> Path:
    """Download an entry and write it in the catalogue's format, all inside `folder`; returns the path of the result.

    Raises:
        DownloadError, CorruptDataError, StorageError: see `core.data.transfer.download`; a file that cannot be parsed.
    """
    raw = folder / "download"
    source = entry.source
    if isinstance(source, File):
        download(source.url, raw, network, limit=entry.most_bytes, md5=source.md5, progress=progress)
        # The name determines the compression.
        return raw.rename(folder / Path(entry.file).name)
    if isinstance(source, Repository):
        frame, target = repository_table(source, raw, network, entry.most_bytes, progress), entry.target
    elif isinstance(source, OpenML):
        frame, target = _openml_table(source, raw, network, entry.most_bytes, progress)
    elif isinstance(source, Text):
        download(source.url, raw, network, limit=entry.most_bytes, progress=progress)
        frame, target = _text_table(source, raw, entry.most_bytes), source.target
    else:
        raise DownloadError(f"no download is known; origin: {entry.origin}")
    path = folder / Path(entry.file).name
    try:
        write_table(_arranged(frame, entry, target), path)
    except OSError as error:
        raise storage_error(path, error) from error
    return path


def _openml_table(
    source: OpenML, raw: Path, network: Network, limit: int, progress: Progress | None
) -> tuple[pd.DataFrame, str]:
    """The columns of an OpenML set except its row identifiers, and the name of its target."""
    url = canonical_url(source)
    download(url, raw, network, limit=DESCRIPTION, progress=progress)
    try:
        description = json.loads(raw.read_bytes())["data_set_description"]
        address = _text(description, "url")
        target = source.target or _text(description, "default_target_attribute")
        md5 = _text(description, "md5_checksum") if description.get("md5_checksum") else None
        no_inputs = [*_listed(description, "row_id_attribute"), *_listed(description, "ignore_attribute")]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CorruptDataError(f"{url}: not the description of a data set ({_brief(error)})") from error
    download(address, raw, network, limit=limit, md5=md5, progress=progress)
    try:
        frame = parse_arff(raw.read_bytes().decode())
    except UnicodeDecodeError as error:
        raise CorruptDataError(f"{address}: not an ARFF file ({error})") from error
    except CorruptDataError as error:
        raise CorruptDataError(f"{address}: {error}") from error
    dropped = {*source.drop, *no_inputs}
    return frame[[name for name in frame.columns if name not in dropped]], target


def _text(description: Any, key: str) -> str:
    """A field of a description that is text."""
    if not isinstance(description[key], str):
        raise TypeError(f"{key} is {repr(description[key])[:80]}; allowed: text")
    return description[key]


def _listed(description: Any, key: str) -> list[str]:
    """Names in a description: OpenML gives a name, names joined by commas, or a list."""
    names = description.get(key) or []
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return names
    return [name.strip() for name in _text(description, key).split(",")]


def _brief(error: Exception) -> str:
    """An error in a few words of one line, whatever text of others it repeats."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def _text_table(source: Text, raw: Path, limit: int) -> pd.DataFrame:
    try:
        content = _member(raw, source.member, limit) if source.member else raw.read_bytes()
        frame = parse_text(
            io.StringIO(content.decode()),
            sep=_SEPARATORS[source.separator],
            header=None if source.names else 0,
            names=list(source.names) or None,
            index_col=False,
        )
    except (*DAMAGED_ZIP, KeyError, UnicodeDecodeError) as error:
        message = f"{source.url}: truncated, or not the archive it should be ({_brief(error)})"
        raise CorruptDataError(message) from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError) as error:
        raise CorruptDataError(f"{source.url}: not a table ({_brief(error)})") from error
    frame = frame[[name for name in frame.columns if name not in source.drop]]
    return frame if source.centred_digits is None else _centred(frame, source.centred_digits)


def _member(archive: Path, name: str, limit: int) -> bytes:
    """A file in a zip archive by its name, in any folder."""
    with zipfile.ZipFile(archive) as content:
        matches = [member for member in content.namelist() if member.rsplit("/", 1)[-1] == name]
        if not matches:
            raise KeyError(f"no member {name!r}, only {', '.join(content.namelist()[:8])}")
        return read_member(content, matches[0], limit)


def _centred(frame: pd.DataFrame, digits: int) -> pd.DataFrame:
    """Columns minus their means, rounded to the given number of significant digits."""
    values = frame.to_numpy(dtype=np.float64)
    centred = [[float(f"{value:.{digits}g}") for value in row] for row in values - values.mean(0)]
    return pd.DataFrame(centred, columns=frame.columns)


def _arranged(frame: pd.DataFrame, entry: Entry, target: str) -> pd.DataFrame:
    if target not in frame.columns:
        columns = ", ".join(map(str, frame.columns[:8]))
        raise CorruptDataError(f"{entry.name}: the source has no column {target!r}, but {columns}")
    if entry.target != target and entry.target in frame.columns:
        raise CorruptDataError(
            f"{entry.name}: the source has a column {entry.target!r} that is not its target, {target!r}"
        )
    return frame[[*frame.columns.drop(target), target]].rename(columns={target: entry.target})


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
