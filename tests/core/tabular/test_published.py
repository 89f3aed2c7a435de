"""Files in the published layout, written here, and files of other layouts."""

import json
from pathlib import Path

import h5py
import numpy as np
import pytest

from core.foundation.errors import UserError
from core.tabular.authors import group_name, read_published
from core.tabular.grid import FCNET
from core.tabular.table import EPOCHS


@pytest.fixture(scope="module")
def grid():
    return FCNET.restricted(
        init_lr=(0.0005, 0.1),
        batch_size=(8, 64),
        n_units_1=(16,),
        n_units_2=(512,),
        dropout_1=(0.0,),
        dropout_2=(0.3, 0.6),
    )


@pytest.fixture(scope="module")
def arrays(grid) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    n = grid.size
    return {
        **{name: rng.lognormal(size=(n, 4, 100)) for name in ("train_loss", "train_mse", "valid_loss", "valid_mse")},
        "final_test_error": rng.lognormal(size=(n, 4)),
        "n_params": np.repeat(rng.integers(100, 10_000, size=(n, 1)), 4, axis=1).astype(float),
        "runtime": rng.lognormal(size=(n, 4)),
    }


@pytest.fixture
def file(grid, arrays, tmp_path) -> Path:
    """As ORIGINALS describes: a group a configuration, named by its JSON."""
    path = tmp_path / "fcnet_protein_structure_data.hdf5"
    with h5py.File(path, "w") as stream:
        for i, configuration in enumerate(grid.configurations(np.arange(grid.size))):
            group = stream.create_group(json.dumps(configuration, sort_keys=True))
            for name, values in arrays.items():
                group.create_dataset(name, data=values[i])
    return path


def test_a_published_file_is_read(file, grid, arrays):
    table = read_published(file, "protein", grid)
    assert (table.dataset, table.source, table.grid, table.epochs, table.split) == (
        "protein",
        "published",
        grid,
        EPOCHS,
        None,
    )
    for i, epoch in enumerate(EPOCHS):
        np.testing.assert_allclose(table.valid_mse[:, i], arrays["valid_mse"][:, :, epoch - 1], rtol=1e-6)
        np.testing.assert_allclose(table.train_mse[:, i], arrays["train_mse"][:, :, epoch - 1], rtol=1e-6)
    np.testing.assert_allclose(table.test_mse, arrays["final_test_error"], rtol=1e-6)
    np.testing.assert_allclose(table.seconds, arrays["runtime"], rtol=1e-6)
    np.testing.assert_array_equal(table.parameters, arrays["n_params"][:, 0])
    np.testing.assert_allclose(table.valid_at(50), arrays["valid_mse"][:, :, 49], rtol=1.1e-3)


def test_names_are_those_of_the_published_groups():
    configuration = FCNET.configurations([0])[0]
    assert group_name(configuration) == (
        '{"activation_fn_1": "relu", "activation_fn_2": "relu", "batch_size": 8, "dropout_1": 0.0, "dropout_2": 0.0, '
        '"init_lr": 0.0005, "lr_schedule": "cosine", "n_units_1": 16, "n_units_2": 16}'
    )


def test_a_missing_configuration_is_named(file, grid):
    with h5py.File(file, "a") as stream:
        del stream[group_name(grid.configurations([3])[0])]
    with pytest.raises(UserError, match=r"structure_data.hdf5: no group \{\"activation_fn_1\": \"relu\".*Table 7.2"):
        read_published(file, "protein", grid)


def test_the_whole_grid_is_expected_by_default(file):
    with pytest.raises(UserError, match="no group"):
        read_published(file, "protein")


def test_missing_and_misshapen_arrays_are_named(file, grid):
    name = group_name(grid.configurations([2])[0])
    with h5py.File(file, "a") as stream:
        del stream[name]["runtime"]
    with pytest.raises(UserError, match=r"no array 'runtime' in .*; allowed: train_mse, valid_mse, final_test_error"):
        read_published(file, "protein", grid)
    with h5py.File(file, "a") as stream:
        stream[name].create_dataset("runtime", data=np.ones(3))
    with pytest.raises(UserError, match=r"runtime of shape \(3,\) in .*; allowed: \(4,\)"):
        read_published(file, "protein", grid)


@pytest.mark.parametrize(("shape", "message"), [((4, 50), "learning curves of 50 epochs"), ((400,), r"shape \(400,\)")])
def test_other_learning_curves_are_refused(grid, tmp_path, shape, message):
    with h5py.File(tmp_path / "other.hdf5", "w") as stream:
        group = stream.create_group(group_name(grid.configurations([0])[0]))
        group.create_dataset("valid_mse", data=np.ones(shape))
    with pytest.raises(UserError, match=message):
        read_published(tmp_path / "other.hdf5", "protein", grid)


def test_other_files_are_refused(file, tmp_path):
    with pytest.raises(UserError, match=r"absent.hdf5: no such file"):
        read_published(tmp_path / "absent.hdf5", "protein")
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(UserError, match=r"structure_data.hdf5: truncated or not HDF5"):
        read_published(file, "protein")
    file.write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match=r"structure_data.hdf5: truncated or not HDF5"):
        read_published(file, "protein")
