"""The published tables (nas_benchmarks, `fcnet_*_data.hdf5`) as `Table`.

One group per configuration, named by its JSON with sorted keys, has arrays valid_mse and train_mse (repetitions,
epochs), final_test_error, n_params and runtime (repetitions,). train_loss and valid_loss are present, not read. The
splits were never published.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.foundation.installation import needed_for
from core.tabular.grid import FCNET, Grid
from core.tabular.table import EPOCHS, Table, half_precision

with needed_for("reading a published table"):
    import h5py

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
    if name not in file:
        raise UserError(f"{path}: no group {name}; allowed: one per configuration of Table 7.2")
    array = file[name].get(key) if isinstance(file[name], h5py.Group) else None
    if not isinstance(array, h5py.Dataset):
        raise UserError(f"{path}: no array {key!r} in {name}; allowed: {', '.join((*CURVES, *NUMBERS))}")
    return array
