"""Tables made from the files of public GitHub repositories, at a commit that is named.

Single files come from raw.githubusercontent.com; where a name has a `*`, its files come from the archive of the commit.
`READERS` has for each form the function that makes the table, with the catalogue's names of columns. Two forms are
pickles, which are read by `core.data.inert_pickle`: nothing in them is run.
"""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import pandas as pd

from core.data.catalogue import Repository
from core.data.errors import CorruptDataError
from core.data.places import Network
from core.data.published_forms import (
    arff_table,
    cnn_curves,
    fcnet_table,
    forest_nodes,
    logistic_regression_grid,
    optimizer_logs,
    svm_grid,
)
from core.data.transfer import Progress, download

RAW = "https://raw.githubusercontent.com/{repository}/{commit}/{file}"
ARCHIVE = "https://codeload.github.com/{repository}/zip/{commit}"

Contents = Mapping[str, bytes]
DAMAGED_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, OSError)
"""What damaged archives provoke in `zipfile`; the last but one where they are encrypted."""


def addresses(source: Repository) -> list[str]:
    """Where the files are: one address each, or that of the archive."""
    if any("*" in file for file in source.files):
        return [ARCHIVE.format(repository=source.repository, commit=source.commit)]
    return [RAW.format(repository=source.repository, commit=source.commit, file=file) for file in source.files]


def repository_table(
    source: Repository, raw: Path, network: Network, limit: int, progress: Progress | None
) -> pd.DataFrame:
    """Download the files, one after the other to `raw`, and make the table.

    Args:
        limit: The most bytes that the files may have together. The archive of a commit has `LIMIT`.

    Raises:
        DownloadError, CorruptDataError, StorageError: see `core.data.transfer.download`; files of another form.
    """
    contents: dict[str, bytes] = {}
    urls = addresses(source)
    for number, url in enumerate(urls):
        if "*" in "".join(source.files):
            download(url, raw, network, progress=progress)
            contents |= _members(source, raw, limit)
        else:
            download(url, raw, network, limit=limit, progress=progress)
            contents[source.files[number]] = raw.read_bytes()
    try:
        return READERS[source.form](contents)
    except CorruptDataError as error:
        raise CorruptDataError(f"{urls[0]}: {error}") from error
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, MemoryError) as error:
        problem = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise CorruptDataError(f"{urls[0]}: not of the form {source.form!r} ({problem})") from error


def read_member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    """A file of an archive, unpacked; one that is larger than the archive says has a wrong checksum.

    Raises:
        DAMAGED_ZIP: it cannot be read, or is larger than the limit.
    """
    size = archive.getinfo(name).file_size
    if size > limit:
        raise zipfile.BadZipFile(f"{name[:80]!r} unpacks to {size:,} bytes; allowed: {limit:,}")
    return archive.read(name)


def _members(source: Repository, archive: Path, limit: int) -> dict[str, bytes]:
    """The files of the archive that the names stand for, by their paths in the repository."""
    try:
        with zipfile.ZipFile(archive) as content:
            names = {name.split("/", 1)[-1]: name for name in content.namelist()}  # below the folder of the commit
            wanted = [path for path in names if any(fnmatchcase(path, file) for file in source.files)]
            members: dict[str, bytes] = {}
            for path in sorted(wanted):
                members[path] = read_member(content, names[path], limit)
                limit -= len(members[path])
            return members
    except DAMAGED_ZIP as error:
        raise CorruptDataError(f"{addresses(source)[0]}: truncated, or not an archive ({error})") from error


def _only(read: Callable[[bytes], pd.DataFrame]) -> Callable[[Contents], pd.DataFrame]:
    """A form of one file."""

    def made(contents: Contents) -> pd.DataFrame:
        (content,) = contents.values()
        return read(content)

    return made


READERS: dict[str, Callable[[Contents], pd.DataFrame]] = {
    "arff": _only(arff_table),
    "fcnet pickle": _only(fcnet_table),
    "forest pickle": _only(forest_nodes),
    "logistic regression matlab": _only(logistic_regression_grid),
    "svm grid": svm_grid,
    "curves json": cnn_curves,
    "optimizer logs": optimizer_logs,
}
