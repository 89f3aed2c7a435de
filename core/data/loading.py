"""Loading by name: `load` gives inputs and targets as arrays, `load_frame` a table as it is stored.

Tables are encoded as numbers:

* A numeric column stays unchanged. Missing numbers (credit_approval and higgs have some) become the column's
  median over all rows, and a further column `NAME=missing` marks them, 1.0 or 0.0.
* A column of categories becomes one 0/1 column per category, `NAME=CATEGORY`, in alphabetical order; of two categories,
  only the second one, as the first is its complement. Missing is a category of its own, the last one.
* Categories written as numerals (the day in electricity) are numbers.
* Classes are coded 0..K-1 in the order of their labels, numerically if they are numbers.

The papers don't say how they encoded categories; OpenML's Python client, which they used, gives integer codes, which
put an order on categories that have none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.data.catalogue import FOLDERS_VARIABLE, Bundled, Entry, Places, entries, lookup, warn_once
from core.data.errors import CorruptDataError, DataError, DataUnavailableError, DownloadError
from core.data.images import read_cifar, read_coded, read_idx, read_svhn
from core.data.sources import fetch
from core.data.verify import Pin, read_pins, verified_table, verify_file


def encode_inputs(frame: pd.DataFrame) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Inputs (n, d) and the names of their d columns."""
    columns, names = [], []
    for name in frame.columns:
        encode = _numbers if pd.api.types.is_numeric_dtype(frame[name]) else _categories
        for label, column in encode(str(name), frame[name]):
            names.append(label)
            columns.append(column)
    return np.column_stack(columns).astype(np.float64), tuple(names)


def encode_values(column: pd.Series, name: str) -> NDArray[np.float64]:
    """Regression targets (n,).

    Raises:
        CorruptDataError: missing, infinite or not numeric.
    """
    if not pd.api.types.is_numeric_dtype(column) or not np.isfinite(column.to_numpy(dtype=np.float64)).all():
        raise CorruptDataError(f"{name}: the target {column.name!r} has values that are not finite numbers")
    return column.to_numpy(dtype=np.float64)


def encode_classes(column: pd.Series, name: str) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Class codes (n,) and the K labels that they stand for.

    Raises:
        CorruptDataError: a missing label.
    """
    if column.isna().any():
        raise CorruptDataError(f"{name}: the target {column.name!r} has missing labels")
    codes, labels = pd.factorize(column, sort=True)
    return codes.astype(np.int64), tuple(_label(label) for label in labels)


def _numbers(name: str, column: pd.Series) -> list[tuple[str, NDArray]]:
    values = column.to_numpy(dtype=np.float64)
    missing = np.isnan(values)
    if not missing.any():
        return [(name, values)]
    middle = np.median(values[~missing]) if not missing.all() else 0.0
    return [(name, np.where(missing, middle, values)), (f"{name}=missing", missing)]


def _categories(name: str, column: pd.Series) -> list[tuple[str, NDArray]]:
    codes, labels = pd.factorize(column, sort=True)  # code -1: missing
    levels = [(f"{name}={label}", codes == code) for code, label in enumerate(labels)]
    if (codes == -1).any():
        levels.append((f"{name}=missing", codes == -1))
    return levels[1:] if len(levels) == 2 else levels


def _label(label: object) -> str:
    return str(int(label)) if isinstance(label, int | float | np.number) and float(label).is_integer() else str(label)


T = TypeVar("T")


@dataclass(frozen=True)
class Dataset:
    """A supervised data set.

    Attributes:
        name: Name in the catalogue.
        X: Inputs, (n, d) float64; for images the bytes, (n, channels * height * width) uint8.
        y: Targets, (n,) float64, or class codes 0..K-1, (n,) int64.
        feature_names: Names of the d inputs; empty for images.
        task: Kind of the task, "regression" or "classification".
        classes: Labels of the K classes in the order of their codes; empty for regression.
        source: Origin of the data, in words.
        train_rows: Number of rows at the start that are the official training part; None if there is no such part.
        image_shape: Channels, height and width; None if the inputs are not images.
    """

    name: str
    X: NDArray
    y: NDArray
    feature_names: tuple[str, ...]
    task: str
    classes: tuple[str, ...]
    source: str
    train_rows: int | None = None
    image_shape: tuple[int, int, int] | None = None


def load(name: str, download: bool = True, places: Places | None = None) -> Dataset:
    """A data set as arrays, encoded as described in `core.data.loading`.

    Args:
        name: Name in the catalogue.
        download: Whether the set is downloaded if no folder has it.
        places: Places to search; by default taken from the environment (`core.data.catalogue`).

    Raises:
        UnknownNameError: no such data set.
        DataUnavailableError: it is in none of the places and could not be downloaded.
        CorruptDataError: a file that is damaged or not what the catalogue says.
        DataError: a table without inputs and targets; read it with `load_frame`.
    """
    entry = lookup(name)
    places = places or Places.from_environment()
    if entry.task not in ("regression", "classification"):
        raise DataError(f"{name} is a table ({entry.task}), not a data set of inputs and targets: use load_frame")
    if not entry.is_table:
        dataset = _image_set(entry, download, places)
    else:
        dataset = _from_frame(entry, _frame(entry, download, places))
    if entry.classes not in (None, len(dataset.classes)):
        raise CorruptDataError(f"{name}: {len(dataset.classes)} classes, the catalogue says {entry.classes}")
    return dataset


def load_frame(name: str, download: bool = True, places: Places | None = None) -> pd.DataFrame:
    """A table as it is stored: columns of floats and of text, missing values as NaN, nothing encoded.

    Raises:
        UnknownNameError, DataUnavailableError, CorruptDataError: as `load`.
        DataError: a set of images, which has no table.
    """
    entry = lookup(name)
    if not entry.is_table:
        raise DataError(f"{name} is a set of images, not a table: use load")
    return _frame(entry, download, places or Places.from_environment())


def _frame(entry: Entry, download: bool, places: Places) -> pd.DataFrame:
    if isinstance(entry.source, Bundled):
        return _bundled_frame(entry)
    return _verified(entry.name, entry, download, places, verified_table)[1]


def _bundled_frame(entry: Entry) -> pd.DataFrame:
    import sklearn.datasets  # slow to import, and needed only by these five sets

    options = {"scaled": False} if entry.source.loader == "load_diabetes" else {}
    bunch = getattr(sklearn.datasets, entry.source.loader)(as_frame=True, **options)
    target = bunch.target if entry.task == "regression" else bunch.target.map(dict(enumerate(bunch.target_names)))
    return bunch.data.assign(**{entry.target: target})


def _from_frame(entry: Entry, frame: pd.DataFrame) -> Dataset:
    X, names = encode_inputs(frame.drop(columns=entry.target))
    if entry.task == "regression":
        y, classes = encode_values(frame[entry.target], entry.name), ()
    else:
        y, classes = encode_classes(frame[entry.target], entry.name)
    return Dataset(entry.name, X, y, names, entry.task, classes, entry.origin)


def _image_set(entry: Entry, download: bool, places: Places) -> Dataset:
    if not entry.parts and entry.format not in ("cifar10", "cifar100"):
        sets = [name for name, other in entries().items() if any(entry.name in part for part in other.parts)]
        raise DataError(f"{entry.name} is one file of an image set: load {' or '.join(sets)}")
    train_rows, names = None, tuple(map(str, range(entry.classes or 10)))
    if entry.parts:
        parts = [_part(entry.name, [lookup(name) for name in files], download, places) for files in entry.parts]
        X, y = np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])
        train_rows = len(parts[0][1]) if len(parts) > 1 else None
        height = 28 if X.shape[1] == 784 else 32
    else:
        path, _ = _verified(entry.name, entry, download, places, verify_file)
        X, y, train_rows, names = read_cifar(path, entry.format)
        height = 32
    pixels = entry.columns - 1
    if X.shape != (entry.rows, pixels):
        raise CorruptDataError(f"{entry.name}: images {X.shape}, the catalogue says ({entry.rows}, {pixels})")
    shape = (X.shape[1] // height**2, height, height)
    return Dataset(entry.name, X, y, (), entry.task, names, entry.origin, train_rows, shape)


def _part(
    wanted: str, files: list[Entry], download: bool, places: Places
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Images and labels of one official part: one file of SVHN or of coded images, or two IDX files."""
    paths = [_verified(wanted, file, download, places, verify_file)[0] for file in files]
    if files[0].format == "svhn":
        return read_svhn(paths[0], files[0].rows * files[0].columns)
    if files[0].format == "coded images":
        return read_coded(paths[0])
    images, labels = (read_idx(path, file.rows * file.columns) for path, file in zip(paths, files, strict=True))
    return images.reshape(len(images), -1), labels.astype(np.int64)


def _verified(
    wanted: str,
    entry: Entry,
    download: bool,
    places: Places,
    verify: Callable[[Entry, Path, Pin | None], T],
) -> tuple[Path, T]:
    """The first file of an entry that matches the catalogue, and what `verify` returns for it.

    A file that does not match is skipped, with a warning, if a later folder has a match; `wanted` is the set that was
    requested. The file is downloaded if no folder has one.
    """
    refused: list[CorruptDataError] = []
    for path, folder in list(places.find_all(entry)) or [_download(wanted, entry, download, places)]:
        try:
            result = verify(entry, path, read_pins(folder).get(entry.name))
        except CorruptDataError as error:
            refused.append(error)
            continue
        for error in refused:
            warn_once(f"{error}; {path} is used instead")
        return path, result
    raise refused[0]


def _download(wanted: str, entry: Entry, download: bool, places: Places) -> tuple[Path, Path]:
    """The file of an entry and its folder, after downloading it."""
    failure = "downloading was not asked for"
    if download:
        try:
            return fetch(entry.name, places)[0], places.root
        except DownloadError as error:
            failure = f"downloading failed: {error}"
    raise DataUnavailableError(
        f"data set {wanted!r} is not here: no {entry.file} in {places.describe()}; {failure}. "
        f"Put the file at {places.root / entry.file}, or let {FOLDERS_VARIABLE} name a folder that holds {entry.file}"
    )
