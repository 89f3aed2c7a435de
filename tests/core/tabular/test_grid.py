"""Table 7.2: how many configurations, and their numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.foundation.errors import UserError
from core.spaces import CubeEncoding
from core.tabular.grid import FCNET, Grid
from core.tabular.values import VALUES

GRIDS = st.fixed_dictionaries(
    {
        name: st.lists(st.sampled_from(own), min_size=1, unique=True).map(
            lambda chosen, own=own: tuple(value for value in own if value in chosen)
        )
        for name, own in VALUES.items()
    }
).map(lambda values: FCNET.restricted(**values))


def test_table_7_2_has_62208_configurations():
    assert FCNET.size == 62_208
    assert (FCNET.indices == np.arange(62_208)).all()
    assert len(FCNET.space) == 9


def test_every_configuration_has_its_own_position():
    configurations = FCNET.configurations(np.arange(FCNET.size))
    assert len({tuple(configuration.values()) for configuration in configurations}) == FCNET.size
    assert (FCNET.positions(configurations) == np.arange(FCNET.size)).all()


@settings(deadline=None)
@given(GRIDS, st.data())
def test_a_part_numbers_the_same_configurations(grid, data):
    positions = np.array(data.draw(st.lists(st.integers(0, grid.size - 1), min_size=1, max_size=20)))
    configurations = grid.configurations(positions)
    assert (grid.positions(configurations) == positions).all()
    assert FCNET.configurations(grid.indices[positions]) == configurations
    assert (grid.positions_of(grid.indices[positions]) == positions).all()
    assert (np.diff(grid.indices) > 0).all() and len(grid.indices) == grid.size


@settings(deadline=None)
@given(GRIDS.filter(lambda grid: grid.size > 1), st.integers(0, 2**32 - 1))
def test_points_of_the_space_are_on_the_grid(grid, seed):
    encoding = CubeEncoding(grid.space)
    configurations = encoding.decode(encoding.sample(5, np.random.default_rng(seed)))
    assert grid.configurations(grid.positions(configurations)) == [
        {name: configuration[name] for name in VALUES} for configuration in configurations
    ]


def test_the_space_is_ordinal_in_numbers_and_categorical_in_names():
    encoding = CubeEncoding(FCNET.space)
    kinds = {column.name: column.kind for column in encoding.columns}
    assert [name for name, kind in kinds.items() if kind == "categorical"] == sorted(
        ["lr_schedule", "activation_fn_1", "activation_fn_2"]
    )
    assert set(kinds.values()) == {"categorical", "ordinal"}


def test_descriptions_say_what_is_left_out(grid):
    assert FCNET.description == "62,208 configurations, the whole grid"
    assert "288 configurations of 62,208: init_lr 0.0005, 0.005, 0.1; batch_size 8, 64;" in grid.description


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_units_1": 48}, r"configuration 1: n_units_1 = 48; allowed: 16, 64"),
        ({"n_units": 16}, r"unknown hyperparameter of configuration 1, 'n_units'; did you mean 'n_units_"),
        ({"dropout_2": None}, r"configuration 1: dropout_2 = None; allowed: 0.3"),
        ({"dropout_2": [0.3]}, r"configuration 1: dropout_2 = \[0.3\]; allowed: 0.3"),
    ],
)
def test_a_configuration_off_the_grid_is_named(grid, change, message):
    first = grid.configurations([0])[0]
    with pytest.raises(UserError, match=message):
        grid.positions([first, {**first, **change}])
    del first["init_lr"]
    with pytest.raises(UserError, match="configuration 0: 'init_lr' is missing"):
        grid.positions([first])


def test_impossible_grids_are_refused(grid):
    with pytest.raises(UserError, match=r"grid: batch_size = \[8, 128\]; allowed: some of \[8, 16, 32, 64\]"):
        FCNET.restricted(batch_size=(8, 128))
    with pytest.raises(UserError, match=r"grid: batch_size = \[64, 8\]; allowed: .*in this order"):
        FCNET.restricted(batch_size=(64, 8))
    with pytest.raises(UserError, match="unknown hyperparameter 'batchsize'; did you mean 'batch_size'"):
        FCNET.restricted(batchsize=(8,))
    with pytest.raises(UserError, match="grid over init_lr; allowed: all of"):
        Grid({"init_lr": (0.1,)})
    with pytest.raises(UserError, match="allowed: 0 to 287"):
        grid.configurations([288])
    with pytest.raises(UserError, match="index 62207 is not on this grid"):
        grid.positions_of([62_207])
