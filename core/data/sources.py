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

import numpy as np
import pandas as pd

from core.data.arff import parse_arff
from core.data.catalogue import Entry, File, OpenML, Repository, Text
from core.data.errors import CorruptDataError, DownloadError
from core.data.places import Network
from core.data.repositories import addresses, repository_table
from core.data.tables import parse_text, write_table
from core.data.transfer import Progress, download, storage_error

OPENML = "https://www.openml.org/api/v1/json/data/{id}"
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
        download(source.url, raw, network, md5=source.md5, progress=progress)
        # The name determines the compression.
        return raw.rename(folder / Path(entry.file).name)
    if isinstance(source, Repository):
        frame, target = repository_table(source, raw, network, progress), entry.target
    elif isinstance(source, OpenML):
        frame, target = _openml_table(source, raw, network, progress)
    elif isinstance(source, Text):
        download(source.url, raw, network, progress=progress)
        frame, target = _text_table(source, raw), source.target
    else:
        raise DownloadError(f"no download is known; origin: {entry.origin}")
    path = folder / Path(entry.file).name
    try:
        write_table(_arranged(frame, entry, target), path)
    except OSError as error:
        raise storage_error(path, error) from error
    return path


def _openml_table(source: OpenML, raw: Path, network: Network, progress: Progress | None) -> tuple[pd.DataFrame, str]:
    """The columns of an OpenML set except its row identifiers, and the name of its target."""
    url = canonical_url(source)
    download(url, raw, network, progress=progress)
    try:
        description = json.loads(raw.read_bytes())["data_set_description"]
        address = description["url"]
        target = source.target or description["default_target_attribute"]
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptDataError(f"{url}: not the description of a data set ({error!r})") from error
    download(address, raw, network, md5=description.get("md5_checksum") or None, progress=progress)
    try:
        frame = parse_arff(raw.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise CorruptDataError(f"{address}: not an ARFF file ({error})") from error
    no_inputs = [description.get("row_id_attribute"), description.get("ignore_attribute")]
    dropped = {*source.drop, *(name for names in no_inputs for name in _listed(names))}
    return frame[[name for name in frame.columns if name not in dropped]], target


def _listed(names: str | list[str] | None) -> list[str]:
    """OpenML gives a name, names joined by commas, or a list."""
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names or ())


def _text_table(source: Text, raw: Path) -> pd.DataFrame:
    try:
        content = _member(raw, source.member) if source.member else raw.read_bytes()
        frame = parse_text(
            io.StringIO(content.decode()),
            sep=_SEPARATORS[source.separator],
            header=None if source.names else 0,
            names=list(source.names) or None,
            index_col=False,
        )
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError) as error:
        raise CorruptDataError(f"{source.url}: truncated, or not the archive it should be ({error})") from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise CorruptDataError(f"{source.url}: not a table ({error})") from error
    frame = frame[[name for name in frame.columns if name not in source.drop]]
    return frame if source.centred_digits is None else _centred(frame, source.centred_digits)


def _member(archive: Path, name: str) -> bytes:
    """A file in a zip archive by its name, in any folder."""
    with zipfile.ZipFile(archive) as content:
        matches = [member for member in content.namelist() if member.rsplit("/", 1)[-1] == name]
        if not matches:
            raise KeyError(f"no member {name!r}, only {', '.join(content.namelist()[:8])}")
        return content.read(matches[0])


def _centred(frame: pd.DataFrame, digits: int) -> pd.DataFrame:
    """Columns minus their means, rounded to the given number of significant digits."""
    values = frame.to_numpy(dtype=np.float64)
    centred = [[float(f"{value:.{digits}g}") for value in row] for row in values - values.mean(0)]
    return pd.DataFrame(centred, columns=frame.columns)


def _arranged(frame: pd.DataFrame, entry: Entry, target: str) -> pd.DataFrame:
    if target not in frame.columns:
        columns = ", ".join(map(str, frame.columns[:8]))
        raise CorruptDataError(f"{entry.name}: the source has no column {target!r}, but {columns}")
    return frame[[*frame.columns.drop(target), target]].rename(columns={target: entry.target})
