"""Experiments at the smoke scale: training of tables, also with bad settings, and optimizers on the smoke table."""

import numpy as np
import pytest

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.runner import run_cell
from core.experiment.search import make_optimizer
from core.experiment.selection import find_cells
from core.foundation.errors import UserError
from core.tabular.frame import from_records
from core.tabular.grid import FCNET
from papers.tabular.experiments import groups, table_benchmark
from tests.papers.functions import Functions

experiments = Functions("tabular", "experiments")

CELLS = {cell.method: cell for cell in find_cells(Papers(), "tabular/methods", "smoke")}
NETWORKS = find_cells(Papers(), "tabular/bohamiann", "smoke")[0]


def cell(runs: int = 8, **overrides):
    return find_cells(Papers(), "tabular/grid/diabetes", "smoke", runs=runs, overrides=overrides)[0]


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
    cells = find_cells(Papers(), "tabular/grid", scale)
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


def neighbours_cell(runs: int, **overrides):
    overrides = {"epochs": 2, "changes": ["init_lr", "activation_fn_2"], **overrides}
    return find_cells(Papers(), "tabular/neighbours/diabetes", "smoke", runs=runs, overrides=overrides)[0]


def test_a_configuration_and_those_next_to_it():
    frame = experiments.neighbours(Context(cell := neighbours_cell(3), range(3)))
    start, *others = FCNET.configurations(FCNET.positions_of(frame["configuration"]))
    assert start == cell.settings.incumbent and frame["run"].tolist() == [0, 1, 2]
    assert others == [start | {"init_lr": 0.001}, start | {"activation_fn_2": "tanh"}]
    (position,) = FCNET.positions([start | {"init_lr": 0.001}])
    found = from_records(frame[frame["run"] == 1])
    assert found.grid.indices.tolist() == [position] and found.repetitions == 2
    middle = neighbours_cell(2, init_lr=0.05)
    assert len(experiments.neighbours(Context(middle, range(1, 2)))) == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"runs": 4}, "tabular/neighbours/diabetes/fcnet: 4 runs; allowed: 3, one per change and one"),
        ({"init_lr": 0.3}, r"init_lr = 0\.3: Input should be one of 0\.0005, "),
        ({"changes": ["units"]}, "'units': Input should be some of init_lr, "),
    ],
)
def test_neighbours_outside_the_table_are_refused(changes, message):
    with pytest.raises(UserError, match=message):
        one = neighbours_cell(**({"runs": 3} | changes))
        experiments.neighbours(Context(one, range(one.runs)))


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


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A repository's root with the smoke table."""
    found = tmp_path_factory.mktemp("root")
    (table,) = CELLS["random"].needs
    run_cell(table, experiments.grid, found)
    return found


@pytest.mark.parametrize("method", CELLS)
def test_every_method_runs_on_the_smoke_table(method, root):
    context = Context(CELLS[method], range(2), root=root)
    frame = experiments.methods(context)
    assert set(frame["run"]) == {0, 1} and (frame["regret"] >= 0).all() and (frame["finished"] > 0).all()
    for _, run in frame.groupby("run"):
        assert run["finished"].is_monotonic_increasing and run["loss"].is_monotonic_decreasing
        bandit = method in ("hyperband", "bohb")
        # budgets 3 and 9: brackets that begin with 3 configurations, of which one is promoted, or with 2
        assert run["evaluation"].iloc[-1] == (2 * (3 + 1) + 2 * 2 if bandit else 20)
    again = experiments.methods(Context(CELLS[method], range(1, 2), root=root))
    np.testing.assert_array_equal(again["regret"], frame.loc[frame["run"] == 1, "regret"])
    assert list(context.read) == ["tabular/grid/diabetes/fcnet"]


def test_bohamiann_runs_on_the_smoke_table(root):
    frame = experiments.networks(Context(NETWORKS, range(2), root=root))
    assert set(frame["run"]) == {0, 1} and (frame.groupby("run")["evaluation"].max() == 5).all()


def test_methods_have_the_constants_of_the_thesis(root):
    benchmark = table_benchmark(Context(CELLS["random"], range(1), root=root))
    cells = {cell.method: cell for cell in find_cells(Papers(), "tabular/methods/protein", "paper")}

    def optimizer(method):
        settings = cells[method].settings
        return make_optimizer(settings, benchmark, settings.course(benchmark.fidelity.maximum), 0)

    bohb = optimizer("bohb").settings
    constants = (bohb.eta, bohb.brackets, bohb.random_fraction, bohb.samples, bohb.bandwidth_factor)
    assert constants == (3, 125, pytest.approx(1 / 3), 64, 3) and bohb.minimum_bandwidth == 0.3
    evolution = optimizer("regularized_evolution").settings
    assert (evolution.population, evolution.tournament) == (100, 10)
    reinforce = optimizer("reinforce").settings
    assert (reinforce.learning_rate, reinforce.momentum) == (0.1, 0.9)
    settings = find_cells(Papers(), "tabular/bohamiann/protein", "paper")[0].settings
    model = settings.method.model(30)
    assert (model.burn_in, model.steps, model.batch_size) == (300, 20_300, 8)


def test_without_the_table_methods_do_not_run(tmp_path):
    with pytest.raises(UserError, match="tabular/grid/diabetes/fcnet: needed, but"):
        experiments.methods(Context(CELLS["random"], range(1), root=tmp_path))
