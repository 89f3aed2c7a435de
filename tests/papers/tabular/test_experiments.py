"""The experiment that trains the tables, at smoke scale and on bad settings."""

import numpy as np
import pytest

from core.errors import UserError
from core.experiment.catalogue import Catalogue
from core.experiment.context import Context
from core.tabular.frame import from_records
from core.tabular.grid import FCNET
from papers.tabular.experiments.grid import groups
from tests.papers.functions import Functions

experiments = Functions("tabular", "experiments")


def cell(runs: int = 8, **overrides):
    return Catalogue().find_cells("tabular/grid/diabetes", "smoke", runs=runs, overrides=overrides)[0]


def test_groups_are_the_grid():
    small = FCNET.restricted(n_units_1=(16, 512), n_units_2=(32,), batch_size=(8, 64), init_lr=(0.1,))
    parts = groups(small)
    assert len(parts) == 36 and {part.size for part in parts} == {8} and len(groups(FCNET)) == 432
    assert np.array_equal(np.sort(np.concatenate([part.indices for part in parts])), small.indices)


@pytest.mark.parametrize(
    ("scale", "sizes"),
    [
        ("smoke", {"diabetes": 64}),
        ("quick", {"protein": 768, "naval": 768, "parkinsons": 1728}),
        ("paper", dict.fromkeys(("protein", "slice_localization", "naval", "parkinsons"), 62_208)),
    ],
)
def test_the_runs_of_a_scale_make_whole_grids(scale, sizes):
    cells = Catalogue().find_cells("tabular/grid", scale)
    grids = {cell.benchmark: FCNET.restricted(**cell.settings.values) for cell in cells}
    assert {name: grid.size for name, grid in grids.items()} == sizes
    assert {cell.runs - len(groups(grids[cell.benchmark])) for cell in cells} == {0}


def test_the_smoke_scale_makes_a_table():
    smoke = cell(epochs=2, lr_schedule=["cosine"], activation_fn_1=["relu"])
    frame = experiments.grid(Context(smoke, range(4)))
    table = from_records(frame)
    assert (table.dataset, table.epochs, table.repetitions, table.grid.size) == ("diabetes", (2,), 2, 16)
    assert np.isfinite(table.test_mse).all() and (table.seconds > 0).all()
    assert np.bincount(table.split).tolist() == [265, 88, 89]
    part = experiments.grid(Context(smoke, range(2, 4)))
    whole = frame[frame["run"] >= 2].reset_index(drop=True)
    np.testing.assert_array_equal(np.stack(part["test_mse"]), np.stack(whole["test_mse"]))


def test_more_runs_than_parts_are_refused():
    with pytest.raises(UserError, match=r"tabular/grid/diabetes/fcnet: 9 runs; allowed: 8, one per part"):
        experiments.grid(Context(cell(9), range(9)))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"batch_size": [128]}, r"batch_size = \[128\]: .*some of 8, 16, 32, 64, in this order"),
        ({"n_units_1": [64, 16]}, r"n_units_1 = \[64, 16\]: .*in this order"),
        ({"init_lr": []}, r"init_lr = \[\]: .*some of 0.0005"),
        ({"epochs": 0}, "epochs = 0: "),
    ],
)
def test_settings_that_are_no_part_of_the_table_are_refused(setting, message):
    with pytest.raises(UserError, match=message):
        cell(**setting)
