"""Tables, their records and their files."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.experiment.storage import read_records, write_records
from core.foundation.errors import UserError
from core.tabular.frame import from_records, pack_split, to_records, unpack_split
from core.tabular.grid import FCNET
from core.tabular.table import TEST, half_precision, mean_error, synthetic_table
from core.tabular.values import VALUES

ARRAYS = ("train_mse", "valid_mse", "test_mse", "seconds", "parameters", "curves", "split")


def assert_equal(first, second) -> None:
    for name in ("dataset", "source", "grid", "epochs"):
        assert getattr(first, name) == getattr(second, name)
    for name in ARRAYS:
        a, b = getattr(first, name), getattr(second, name)
        assert (a is None and b is None) or a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def save(table, path) -> None:
    """A raw-run file, as the experiments of the paper write it."""
    made = {"settings_hash": "", "commit": "", "seeds": {}, "wall_seconds": 0.0, "peak_memory_mb": 0.0, "runs": 1}
    write_records(path, to_records(table).assign(run=0, status="ok", message=""), made)


@pytest.mark.parametrize("curves", [True, False])
@pytest.mark.parametrize("split", [True, False])
def test_a_table_survives_its_file(table, tmp_path, curves, split):
    parts = np.random.default_rng(0).integers(0, 3, size=101).astype(np.uint8)
    table = replace(table, curves=table.curves if curves else None, split=parts if split else None)
    save(table, tmp_path / "table.parquet")
    assert_equal(from_records(read_records(tmp_path / "table.parquet")[0], table.grid), table)


def test_records_may_come_in_any_order_and_chunks(table):
    records = to_records(table)
    shuffled = pd.concat([records.iloc[90:], records.iloc[:90]]).sample(frac=1, random_state=0)
    assert_equal(from_records(shuffled), table)


def test_a_set_of_half_the_grid_is_below_15_megabytes(tmp_path):
    """Errors that are all noise compress worst; 1,728 configurations are what parkinsons ships."""
    grid = FCNET.restricted(batch_size=(64,), n_units_1=(16, 32, 64), n_units_2=(16, 32, 64), dropout_1=(0.0, 0.3))
    grid = grid.restricted(dropout_2=(0.0, 0.3))
    assert grid.size == 1728
    table = replace(synthetic_table(grid, 0), split=np.random.default_rng(0).integers(0, 3, 5875).astype(np.uint8))
    save(table, tmp_path / "table.parquet")
    assert (tmp_path / "table.parquet").stat().st_size < 15e6 * 1728 / 9000


def test_another_grid_is_named(table):
    other = table.grid.restricted(init_lr=(0.0005, 0.005))
    with pytest.raises(UserError, match=r"belongs to another grid, 288 configurations.*; allowed: 192 configurations"):
        from_records(to_records(table), other)


def test_missing_and_repeated_configurations_are_named(table):
    records = to_records(table)
    with pytest.raises(UserError, match=r"1 of 288 configurations are missing, first \{'init_lr': 0.0005, 'batch"):
        from_records(records.drop(index=7))
    with pytest.raises(UserError, match="288 of 576 configurations are missing"):
        from_records(records, FCNET.restricted(**_wider(table)))
    with pytest.raises(UserError, match=r"\{'init_lr': 0.0005.* occurs 2 times; allowed: once"):
        from_records(pd.concat([records, records.iloc[:1]]))
    with pytest.raises(UserError, match="holds no configuration"):
        from_records(records.iloc[:0])


def _wider(table):
    values = {name: own for name, own in table.grid.values.items() if own != VALUES[name]}
    return values | {"activation_fn_1": ("relu", "tanh")}


def test_other_records_are_refused(table):
    records = to_records(table)
    with pytest.raises(UserError, match="no column 'test_mse'; allowed: the records of a tabular benchmark"):
        from_records(records.drop(columns="test_mse"))
    with pytest.raises(UserError, match="no column 'valid_mse_100'"):
        from_records(records[[name for name in records if not name.startswith("valid_mse_")]])
    with pytest.raises(UserError, match="2 different values of 'dataset'; allowed: one"):
        from_records(records.assign(dataset=["naval"] * 100 + ["protein"] * 188))
    with pytest.raises(UserError, match="configuration 62208; allowed: 0 to 62207"):
        from_records(records.assign(configuration=np.arange(62_208 - 287, 62_209)))
    ragged = records.assign(seconds=[row[: 4 - (i == 3)] for i, row in enumerate(records["seconds"])])
    with pytest.raises(UserError, match=r"seconds has lists of \[3, 4\] numbers"):
        from_records(ragged)
    short = records.assign(curve=[row[:-1] for row in records["curve"]])
    with pytest.raises(UserError, match="curves of 399 numbers; allowed: a multiple of 100 epochs"):
        from_records(short)


def test_impossible_tables_are_refused(table):
    with pytest.raises(UserError, match=r"test_mse of shape \(287, 4\); allowed: \(288, 4\)"):
        replace(table, test_mse=table.test_mse[:-1])
    with pytest.raises(UserError, match=r"epochs \(3, 3, 33, 100\); allowed: ascending"):
        replace(table, epochs=(3, 3, 33, 100))
    with pytest.raises(UserError, match="seconds that are negative or not finite"):
        replace(table, seconds=-table.seconds)


def test_diverged_repetitions_make_a_configuration_infinitely_bad(table):
    diverged = np.isnan(table.test_mse).any(axis=1)
    assert 0 < diverged.sum() < len(diverged)
    assert (np.isinf(table.mean_test) == diverged).all()
    assert np.isfinite(table.mean_test[table.best])
    np.testing.assert_allclose(table.mean_test[~diverged], table.test_mse[~diverged].mean(1), rtol=1e-6)
    assert mean_error(np.float32([[1, np.inf], [1, 3]])).tolist() == [np.inf, 2]


def test_epochs_between_those_in_full_come_from_the_curve(table):
    stored = table.valid_at(33)
    np.testing.assert_array_equal(stored, table.valid_mse[:, 2])
    np.testing.assert_allclose(table.curves[:, :, 32].astype(float) ** 2, stored, rtol=2e-3)
    between = table.valid_at(34)
    assert not np.array_equal(between, stored) and between.shape == stored.shape
    with pytest.raises(UserError, match="epoch 101 is not stored; allowed: 1 to 100"):
        table.valid_at(101)
    with pytest.raises(UserError, match="epoch 34 is not stored; allowed: 3, 11, 33, 100"):
        replace(table, curves=None).valid_at(34)


@settings(deadline=None)
@given(st.floats(1e-7, 4e9))
def test_half_precision_keeps_three_digits_of_any_error(error):
    assert float(half_precision(np.array([error]))[0]) ** 2 == pytest.approx(error, rel=1.1e-3)


def test_half_precision_of_extremes():
    roots = half_precision(np.array([0.0, 1e12, np.inf, np.nan]))
    assert roots[:3].tolist() == [0.0, 65504.0, np.inf] and np.isnan(roots[3])


@settings(deadline=None)
@given(arrays(np.uint8, st.integers(0, 40), elements=st.integers(0, TEST)))
def test_splits_survive_packing(split):
    np.testing.assert_array_equal(unpack_split(pack_split(split)), split)
