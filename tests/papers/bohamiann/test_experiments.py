"""BOHAMIANN's experiment functions at a tiny scale, on bundled data."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.foundation.errors import UserError
from core.objectives import task_tables
from core.objectives.task_tables import openml_space
from core.spaces import CubeEncoding
from tests.papers.functions import Functions

experiments = Functions("bohamiann", "experiments")


def run(name: str, runs: range, **overrides) -> pd.DataFrame:
    cells = find_cells(Papers(), name, "smoke", runs=runs.stop, overrides=overrides)
    assert len(cells) == 1
    return getattr(experiments, cells[0].function)(Context(cells[0], runs))


def run_method(name: str, method: str, runs: range, **overrides) -> pd.DataFrame:
    """A cell of a method that the smoke scale leaves out."""
    (cell,) = find_cells(Papers(), name, "smoke", runs=runs.stop, overrides=overrides)
    return getattr(experiments, cell.function)(Context(replace(cell, method=method), runs))


@pytest.mark.parametrize("method", ["adaptive_sghmc", "sghmc_1e-4"])
def test_regression_repeats_bit_for_bit_and_does_not_depend_on_the_batch(method):
    name = f"bohamiann/uci/diabetes/{method}"
    three, again, alone = run(name, range(3)), run(name, range(3)), run(name, range(2, 3))
    metrics = [column for column in three if column != "seconds"]
    pd.testing.assert_frame_equal(three[metrics], again[metrics])
    expected = three.loc[three["run"] == 2, metrics].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone[metrics], expected, rtol=1e-6)


def test_regression_learns_and_runs_every_point_of_its_grid():
    frame = run(
        "bohamiann/uci_nips/diabetes/sghmc_grid", range(2), step_sizes=[1e-4, 1e-3], momentum_decays=[0.05, 0.2]
    )
    assert len(frame) == 2 * 2 * 2
    assert not frame.duplicated(["run", "step_size", "momentum_decay"]).any()
    learned = run("bohamiann/uci/diabetes/sghmc_1e-4", range(4))
    assert learned["rmse"].mean() < 77  # the targets' standard deviation


def test_methods_share_splits_and_not_chains():
    adaptive = find_cells(Papers(), "bohamiann/uci/diabetes/adaptive_sghmc", "smoke")[0]
    plain = find_cells(Papers(), "bohamiann/uci/diabetes/sghmc_1e-4", "smoke")[0]
    first, second = Context(adaptive, range(5)), Context(plain, range(5))
    assert first.shared_seeds("split") == second.shared_seeds("split")
    assert not set(first.method_seeds("chain")) & set(second.method_seeds("chain"))


@pytest.mark.parametrize("method", ["sghmc", "adaptive_sghmc", "sghmc_text", "adaptive_sghmc_text"])
def test_mixture_keeps_the_steps_it_says(method):
    frame = run(f"bohamiann/mixture/two_mode/{method}", range(2), steps=200, burn_in=50, keep_every=10)
    assert frame.groupby("run")["step"].apply(list).tolist() == [list(range(10, 201, 10))] * 2
    assert (frame["burn_in"] == (frame["step"] <= 50)).all()
    assert np.isfinite(frame[["theta_0", "theta_1"]].to_numpy()).all()


@pytest.mark.parametrize("method", ["bayes_by_backprop", "mc_dropout", "pbp", "sghmc"])
def test_sinc_gives_every_repetition_its_data_and_its_prediction(method):
    frame = run(f"bohamiann/sinc/sinc/{method}", range(2), epochs=2, steps=300, burn_in=100)
    data, grid = (frame[frame["part"] == part] for part in ("data", "grid"))
    assert data.groupby("run").size().tolist() == [20, 20]
    np.testing.assert_allclose(data["mean"], np.sinc(10 * data["x"] - 5))
    assert (grid["sd"] > 0).all() and grid["x"].min() == -1 and grid["x"].max() == 2


def test_xgboost_tables_are_blocks_of_one_sequence():
    frame = run("bohamiann/xgboost_tables/diabetes/sobol", range(2))
    assert frame["number"].tolist() == list(range(8))
    assert (frame["failure"] == "").all() and (frame["loss"] > 0).all() and (frame["seconds"] > 0).all()


def test_classification_tables_are_whole_grids():
    frame = run("bohamiann/classification_tables/wine/svm", range(2))
    assert len(frame) == 9 and not frame.duplicated(["C", "gamma"]).any()
    assert frame["loss"].between(0, 1).all() and frame["loss"].nunique() > 1
    forests = run_method("bohamiann/classification_tables/wine/svm", "forest", range(1), blocks=50)
    assert len(forests) == 2 and (forests["loss"] < 0.5).all()


def test_classification_tables_have_no_more_runs_than_blocks():
    with pytest.raises(UserError, match="3 runs; allowed: 2, the blocks"):
        run("bohamiann/classification_tables/wine/svm", range(3))


@pytest.mark.parametrize("method", ["random", "gp", "bohamiann", "mt_gp", "mt_bohamiann"])
def test_xgboost_searches_start_from_another_set_where_they_can(method):
    frame = run(f"bohamiann/xgboost/diabetes/{method}", range(2), evaluations=3)
    assert frame["evaluation"].tolist() == [1, 2, 3] * 2 and (frame["status"] == "ok").all()
    assert set(frame["earlier"]) == ({"diabetes"} if method.startswith("mt_") else {""})
    assert not frame["origin"].str.contains("failed").any()


@pytest.mark.parametrize("method", ["gp", "mt_gp", "mt_bohamiann"])
def test_searches_of_a_group_read_the_tables_of_all_its_sets(method, monkeypatch):
    tables = pd.concat(
        run(f"bohamiann/classification_tables/{name}/svm", range(2)).assign(benchmark=name, method="svm")
        for name in ("digits", "wine")
    )
    monkeypatch.setattr(Context, "records", lambda self, experiment: tables)
    frame = run(f"bohamiann/multitask/svm_many/{method}", range(2), evaluations=3)
    least = tables.loc[tables["benchmark"] == "wine", "loss"].min()
    np.testing.assert_allclose(frame["regret"], frame["loss"] - least)
    assert frame["loss"].isin(tables.loc[tables["benchmark"] == "wine", "loss"]).all()
    assert not frame["origin"].str.contains("failed").any()


@pytest.fixture
def evaluations_of_three_tasks(monkeypatch):
    """Error rates of machines that depend on C alone, larger from task to task."""

    def made(name: str) -> pd.DataFrame:
        encoding = CubeEncoding(openml_space(name))
        points = encoding.sample(60, np.random.default_rng(0))
        frame = pd.DataFrame(encoding.decode(points)).assign(task_id=np.arange(60) % 3 + 11)
        return frame.assign(y=1 - 0.1 * (frame["task_id"] - 10) - 0.01 * np.log2(frame["C"]).abs())

    monkeypatch.setattr(task_tables, "load_frame", made)
    task_tables.task_table.cache_clear()
    yield
    task_tables.task_table.cache_clear()


@pytest.mark.parametrize("method", ["gp", "mt_gp", "mt_bohamiann"])
def test_runs_on_openml_have_tasks_of_their_own(method, evaluations_of_three_tasks):
    frame = run(f"bohamiann/multitask_openml/openml_svm/{method}", range(3), tasks=3)
    assert frame.groupby("run")["task"].unique().explode().tolist() == [11, 12, 13]
    assert frame["evaluation"].tolist() == [1, 2, 3, 4] * 3
    for task, rows in frame.groupby("task"):
        assert rows["loss"].between(0.1 * (task - 10), 0.1 * (task - 10) + 0.15).all()
        smallest = task_tables.task_table("openml_svm").surrogate(task - 11).smallest
        np.testing.assert_allclose(rows["regret"], rows["loss"] - smallest)


def test_a_task_of_openml_needs_others():
    with pytest.raises(UserError, match="others = 2; allowed: 1 to 1"):
        run("bohamiann/multitask_openml/openml_svm/mt_gp", range(1), others=2)
