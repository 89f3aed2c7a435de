"""The authors' own tables, and what they printed of them.

The authors' own tables (Klein and Hutter 2019): all 62,208 configurations, final validation errors only.

    benchmark = TabularBenchmark(authors_table("protein"))     # a drawn repetition, as in thesis 7.4
    TabularBenchmark(authors_table("protein"), averaged=True)  # the average of the four, without noise

Times, learning curves, test and training errors are not among what was published in this form: an evaluation costs 1,
and regrets are measured on the validation set.

The published tables (nas_benchmarks, `fcnet_*_data.hdf5`) as `Table`.

One group per configuration, named by its JSON with sorted keys, has arrays valid_mse and train_mse (repetitions,
epochs), final_test_error, n_params and runtime (repetitions,). train_loss and valid_loss are present, not read. The
splits were never published.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.data import CorruptDataError, load_frame
from core.foundation.errors import UnknownNameError, UserError
from core.foundation.installation import needed_for
from core.tabular.grid import FCNET, Grid
from core.tabular.table import EPOCHS, Table, half_precision
from core.tabular.values import VALUES

if TYPE_CHECKING:
    import h5py

TABLES = {
    "protein": "authors_fcnet_protein_structure",
    "slice_localization": "authors_fcnet_slice_localization",
    "naval": "authors_fcnet_naval_propulsion",
    "parkinsons": "authors_fcnet_parkinsons_telemonitoring",
}
"""The catalogue's names of the tables, by those of their data sets."""
REPETITIONS = 4


@lru_cache(maxsize=4)
def authors_table(dataset: str, download: bool = True) -> Table:
    """The table of one data set.

    Args:
        dataset: Name of the data set, a key of `TABLES`.
        download: Whether the table is downloaded if no folder has it.

    Raises:
        UnknownNameError: no table has that name.
        DataUnavailableError: it is in none of the catalogue's places.
        CorruptDataError: a configuration that Table 7.2 does not have, or one that is missing.
    """
    if dataset not in TABLES:
        raise UnknownNameError("authors' table", dataset, TABLES)
    frame = load_frame(TABLES[dataset], download=download)
    errors = frame[[f"valid_mse_{number}" for number in range(REPETITIONS)]].to_numpy(np.float32)
    ordered = np.empty_like(errors)
    ordered[_positions(TABLES[dataset], frame)] = errors
    return Table(dataset, "the authors' table", FCNET, (100,), valid_mse=ordered[:, None])


def _positions(name: str, frame: pd.DataFrame) -> np.ndarray:
    """The position of each row's configuration in the whole grid."""
    levels = [pd.Index(values).get_indexer(frame[column]) for column, values in VALUES.items()]
    positions = np.ravel_multi_index(levels, FCNET.shape) if min(map(np.min, levels)) >= 0 else np.array([])
    if len(np.unique(positions)) != FCNET.size:
        raise CorruptDataError(f"{name}: not every configuration of Table 7.2 once")
    return positions


CURVES = ("train_mse", "valid_mse")
NUMBERS = ("final_test_error", "n_params", "runtime")
FILES = {
    "protein": "fcnet_protein_structure_data.hdf5",
    "slice_localization": "fcnet_slice_localization_data.hdf5",
    "naval": "fcnet_naval_propulsion_data.hdf5",
    "parkinsons": "fcnet_parkinsons_telemonitoring_data.hdf5",
}
"""File names by the data-set names of `core.data`."""


def read_published(path: str | Path, dataset: str, grid: Grid = FCNET) -> Table:
    """Read a published file.

    Args:
        dataset: Name of the data set in `core.data`.
        grid: Configurations to read, by default all; others in the file are ignored.

    Raises:
        UserError: no such file, not HDF5 or truncated, or another layout: a configuration that is missing, an array
            that is missing or of another shape than the first configuration's, or fewer than 100 epochs.
    """
    with needed_for("reading a published table"):
        import h5py
    try:
        with h5py.File(path, "r") as file:
            return _read(file, str(path), dataset, grid)
    except OSError as error:
        reason = "no such file" if not Path(path).is_file() else f"truncated or not HDF5 ({error})"
        raise UserError(f"{path}: {reason}; allowed: a file of nas_benchmarks such as {FILES['protein']}") from error


def group_name(configuration: dict[str, Any]) -> str:
    """The name of a configuration's group."""
    return json.dumps(configuration, sort_keys=True)


def _read(file: h5py.File, path: str, dataset: str, grid: Grid) -> Table:
    names = [group_name(configuration) for configuration in grid.configurations(np.arange(grid.size))]
    repetitions, epochs = _shape(file, path, names[0])
    last = min(epochs, EPOCHS[-1])
    if last < EPOCHS[-1]:
        raise UserError(f"{path}: learning curves of {epochs} epochs; allowed: {EPOCHS[-1]}")
    errors = {name: np.empty((grid.size, len(EPOCHS), repetitions), np.float32) for name in CURVES}
    curves = np.empty((grid.size, repetitions, last), np.float16)
    test, seconds = (np.empty((grid.size, repetitions), np.float32) for _ in range(2))
    parameters = np.empty(grid.size, np.int64)
    stored = np.array(EPOCHS) - 1
    for i, name in enumerate(names):
        for curve in CURVES:
            values = _array(file, path, name, curve, (repetitions, epochs))
            errors[curve][i] = values[:, stored].T
        curves[i] = half_precision(values[:, :last])  # the last of CURVES is the validation error
        test[i] = _array(file, path, name, "final_test_error", (repetitions,))
        parameters[i] = _array(file, path, name, "n_params", (repetitions,))[0]
        seconds[i] = _array(file, path, name, "runtime", (repetitions,))
    return Table(
        dataset,
        "published",
        grid,
        EPOCHS,
        **errors,
        test_mse=test,
        seconds=seconds,
        parameters=parameters,
        curves=curves,
    )


def _shape(file: h5py.File, path: str, name: str) -> tuple[int, int]:
    """Repetitions and epochs of a configuration's learning curves."""
    shape = _dataset(file, path, name, "valid_mse").shape
    if len(shape) != 2:
        raise UserError(f"{path}: valid_mse of shape {shape} in {name}; allowed: (repetitions, epochs)")
    return shape


def _array(file: h5py.File, path: str, name: str, key: str, shape: tuple[int, ...]) -> NDArray[Any]:
    array = _dataset(file, path, name, key)
    if array.shape != shape:
        raise UserError(f"{path}: {key} of shape {array.shape} in {name}; allowed: {shape}")
    return array[()]


def _dataset(file: h5py.File, path: str, name: str, key: str) -> h5py.Dataset:
    import h5py

    if name not in file:
        raise UserError(f"{path}: no group {name}; allowed: one per configuration of Table 7.2")
    array = file[name].get(key) if isinstance(file[name], h5py.Group) else None
    if not isinstance(array, h5py.Dataset):
        raise UserError(f"{path}: no array {key!r} in {name}; allowed: {', '.join((*CURVES, *NUMBERS))}")
    return array
