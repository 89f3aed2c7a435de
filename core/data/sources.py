"""Conversion of a canonical source to a file in the catalogue's own format.

* OpenML: `api/v1/json/data/ID` describes the set (address and MD5 of the ARFF file, default target, row identifiers).
* Text: a CSV or whitespace-separated file at UCI, by itself or in a zip archive. The UCI sets whose archives hold
  spreadsheets (concrete, energy, power plant) come from UCI's own `data.csv` of the same table, so that no reader of
  spreadsheets is needed.
* File: kept as published (MNIST's IDX, CIFAR's tar.gz, SVHN's MATLAB files).
* Repository: files of a GitHub repository at a commit, in the forms of `core.data.repositories`.

Tables are stored with their columns in the source's order and the target last, under the catalogue's name for it.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core.data.arff import parse_arff
from core.data.catalogue import Entry, File, OpenML, Repository, Text
from core.data.errors import CorruptDataError, DownloadError
from core.data.places import Network
from core.data.repositories import DAMAGED_ZIP, addresses, read_member, repository_table
from core.data.tables import parse_text, write_table
from core.data.transfer import Progress, download, storage_error

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
