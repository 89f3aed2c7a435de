"""BOHAMIANN's experiment functions at a tiny scale, on bundled data."""

import numpy as np
import pandas as pd
import pytest

from core.experiment.catalogue import Catalogue
from core.experiment.context import Context
from tests.papers.functions import Functions

experiments = Functions("bohamiann", "experiments")


def run(name: str, runs: range, **overrides) -> pd.DataFrame:
    cells = Catalogue().find_cells(name, "smoke", runs=runs.stop, overrides=overrides)
    assert len(cells) == 1
    return getattr(experiments, cells[0].function)(Context(cells[0], runs))


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
    adaptive = Catalogue().find_cells("bohamiann/uci/diabetes/adaptive_sghmc", "smoke")[0]
    plain = Catalogue().find_cells("bohamiann/uci/diabetes/sghmc_1e-4", "smoke")[0]
    first, second = Context(adaptive, range(5)), Context(plain, range(5))
    assert first.shared_seeds("split") == second.shared_seeds("split")
    assert not set(first.method_seeds("chain")) & set(second.method_seeds("chain"))


def test_mixture_keeps_the_steps_it_says():
    frame = run("bohamiann/mixture/two_mode/sghmc", range(2), steps=200, burn_in=50, keep_every=10)
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
