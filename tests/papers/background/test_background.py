"""The illustrations of chapter 2: what the experiments record, and checks on records with known answers."""

import numpy as np
import pandas as pd
import pytest
import torch

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.objectives.synthetic import forrester
from papers.background.figures import most_informed
from tests.papers.functions import Functions
from tests.papers.runs import Fake

claims = Functions("background", "claims")
experiments = Functions("background", "experiments")


def run(name: str, runs: int = 2) -> pd.DataFrame:
    cell = find_cells(Papers(), name, "smoke", runs=runs)[0]
    return getattr(experiments, cell.function)(Context(cell, range(runs)))


def test_a_step_evaluates_the_maximizer_of_expected_improvement():
    frame = run("background/step/forrester/gp")
    for _, rows in frame.groupby("run"):
        before, after = (rows[rows["stage"] == stage] for stage in ("before", "after"))
        grid, chosen = before[before["part"] == "grid"], before[before["part"] == "candidate"]
        assert chosen["ei"].iloc[0] == grid["ei"].max()
        seen = after[after["part"] == "data"]
        assert len(seen) == len(before[before["part"] == "data"]) + 1
        assert chosen["x"].iloc[0] in seen["x"].to_numpy()


@pytest.mark.parametrize("method", ["rbf", "matern52"])
def test_draws_pass_through_the_observations_and_the_kernel_is_one_at_zero(method):
    frame = run(f"background/kernels/forrester/{method}")
    profile = frame[frame["part"] == "kernel"]
    assert np.interp(0, profile["x"][:401], profile["value"][:401]) == pytest.approx(1, abs=1e-6)
    for _, rows in frame.groupby("run"):
        data = rows[rows["part"] == "data"]
        for _, draw in rows[rows["part"] == "draw"].groupby("draw"):
            assert np.interp(data["x"], draw["x"], draw["value"]) == pytest.approx(data["value"].to_numpy(), abs=0.02)


@pytest.mark.parametrize("method", ["gp", "rf"])
def test_both_models_see_the_same_observations_of_the_function(method):
    frame, other = run(f"background/models/forrester/{method}"), run("background/models/forrester/gp")
    data = frame[frame["part"] == "data"].reset_index(drop=True)
    assert data["x"].between(0.25, 0.75).all()
    pd.testing.assert_series_equal(data["x"], other[other["part"] == "data"].reset_index(drop=True)["x"])
    assert forrester(torch.tensor(data[["x"]].to_numpy())).numpy() == pytest.approx(data["mean"].to_numpy())


def curves(gp_outside: float, rf_noise: float) -> Fake:
    """Ten repetitions: the GP's sd is 1 inside and `gp_outside` outside, smoothly; the forest's 1 plus noise."""
    x = np.linspace(0, 1, 201)
    rng = np.random.default_rng(0)
    frames = []
    for repetition in range(10):
        bump = 1 + (gp_outside - 1) * (2 * np.abs(x - 0.5)) ** 4
        for name, sd in (("gp", bump), ("rf", 1 + rf_noise * rng.random(201))):
            grid = pd.DataFrame({"part": "grid", "x": x, "mean": 0.0, "sd": sd})
            data = pd.DataFrame({"part": "data", "x": [0.3, 0.7], "mean": 0.0, "sd": 0.0})
            frames.append(pd.concat([grid, data]).assign(run=repetition, method=name))
    return Fake(models=pd.concat(frames))


def test_growth_and_smoothness_are_measured():
    results = curves(20.0, 0.5)
    assert claims.gp_uncertainty_grows_away_from_data(results).holds == "holds"
    assert claims.forest_uncertainty_grows_less(results).holds == "holds"
    assert claims.forest_is_less_smooth(results).holds == "holds"
    flat = curves(1.01, 0.5)
    assert claims.gp_uncertainty_grows_away_from_data(flat).holds == "fails"


def test_fig_2_1_shows_the_run_whose_evaluation_tells_the_model_most():
    rows = [
        {"run": run, "stage": stage, "part": part, "sd": sd}
        for run, (before, after) in enumerate([(2.0, 1.0), (9.0, 7.0), (2.0, 5.0)])
        for stage, average in (("before", before), ("after", after))
        for part, sd in (("grid", 0.5 * average), ("grid", 1.5 * average), ("data", 0.0))
    ]
    assert most_informed(pd.DataFrame(rows)) == 1
