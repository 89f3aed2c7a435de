"""A small grid and a table by formula on it."""

import pytest

from core.tabular.grid import FCNET, Grid
from core.tabular.table import Table, synthetic_table


@pytest.fixture(scope="session")
def grid() -> Grid:
    return FCNET.restricted(
        init_lr=(0.0005, 0.005, 0.1),
        batch_size=(8, 64),
        activation_fn_1=("tanh",),
        n_units_1=(16, 64),
        n_units_2=(16, 32, 64),
        dropout_1=(0.0, 0.6),
        dropout_2=(0.3,),
    )


@pytest.fixture(scope="session")
def table(grid: Grid) -> Table:
    return synthetic_table(grid, seed=1)
