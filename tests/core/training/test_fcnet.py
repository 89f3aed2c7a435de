"""A small table from end to end, on a synthetic set."""

import numpy as np
import pytest

import core.training.fcnet as fcnet
from core.data import Dataset
from core.foundation.errors import UserError
from core.tabular.grid import FCNET
from core.tabular.table import TEST, TRAIN, VALID
from core.training.fcnet import FCNetCollection

GRID = FCNET.restricted(
    init_lr=(0.01, 0.1), batch_size=(32, 64), n_units_1=(16, 32), n_units_2=(16,), dropout_1=(0.0,), dropout_2=(0.3,)
)


@pytest.fixture(autouse=True)
def dataset(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal((200, 3)), np.ones(200)])
    made = Dataset("made", X, 5 + 10 * np.sin(X[:, 0]) * X[:, 1], tuple("abcd"), "regression", (), "made")
    monkeypatch.setattr(fcnet, "load_tabular", lambda name: made)


def collection(folder, grid=GRID, **options):
    return FCNetCollection("made", grid, folder, repetitions=2, epochs=5, **{"chunk_size": 10, **options})


def test_a_table_of_trained_networks(tmp_path):
    made = collection(tmp_path)
    made.fill((0, 2))
    with pytest.raises(UserError, match="missing"):
        made.table()
    made.fill((1, 2))
    table = made.table()
    assert table.epochs == (3, 5)
    assert table.valid_mse.shape == (GRID.size, 2, 2)
    np.testing.assert_array_equal(np.bincount(table.split), [120, 40, 40])
    assert (table.seconds > 0).all()
    for position, configuration in enumerate(GRID.configurations(np.arange(GRID.size))):
        wide = configuration["n_units_1"]
        assert table.parameters[position] == 4 * wide + (wide + 1) * 16 + 17  # three inputs vary
    np.testing.assert_allclose(table.valid_at(4), made.arrays()["valid_mse"][:, :, 3], rtol=2e-3)
    assert table.mean_test.min() < 0.6  # of a target with variance 1
    assert (table.test_mse[:, 0] != table.test_mse[:, 1]).all()


def test_progress_is_told_network_by_network(tmp_path):
    told = []
    made = collection(tmp_path, chunk_size=GRID.size)
    made.fill(progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    assert len(set(np.round(told, 9))) >= 2 * GRID.size  # of one chunk, 2 repetitions each


def test_records_do_not_depend_on_the_rest_of_the_grid(tmp_path):
    whole = collection(tmp_path / "whole")
    whole.fill()
    part_grid = GRID.restricted(init_lr=(0.1,), lr_schedule=("const",))
    part = collection(tmp_path / "part", part_grid, chunk_size=3)
    part.fill()
    places = GRID.positions(part_grid.configurations(np.arange(part_grid.size)))
    np.testing.assert_array_equal(part.table().test_mse, whole.table().test_mse[places])
    with pytest.raises(UserError, match="use another folder"):
        collection(tmp_path / "whole", part_grid).fill()


def test_preparation():
    parts, split = fcnet.prepare(fcnet.load_tabular("made"), 3)
    assert parts.train.X.shape == (120, 3) and parts.classes == 0
    np.testing.assert_allclose(parts.train.X.mean(0), 0, atol=1e-6)
    np.testing.assert_allclose(parts.train.X.std(0), 1, rtol=1e-5)
    assert parts.train.y.std() == pytest.approx(1, rel=1e-5)
    source = fcnet.load_tabular("made")
    for code, part in ((TRAIN, parts.train), (VALID, parts.validation), (TEST, parts.test)):
        rows = source.X[split == code]
        scaled = (rows - source.X[split == TRAIN].mean(0))[:, :3] / source.X[split == TRAIN].std(0)[:3]
        np.testing.assert_allclose(np.sort(part.X, axis=0), np.sort(scaled, axis=0), rtol=1e-4, atol=1e-6)


def test_nothing_to_learn_from():
    constant = Dataset("flat", np.ones((9, 2)), np.arange(9.0), ("a", "b"), "regression", (), "made")
    with pytest.raises(UserError, match="flat"):
        fcnet.prepare(constant, 0)


def test_no_repetitions(tmp_path):
    with pytest.raises(UserError, match="repetitions is 0"):
        FCNetCollection("made", GRID, tmp_path, repetitions=0)
