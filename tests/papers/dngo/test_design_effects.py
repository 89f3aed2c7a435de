"""Section 3.1.1 in words: what both experiments record, and claims on records with known answers."""

import numpy as np
import pandas as pd
import pytest

from core.experiment.catalogue import Catalogue
from core.experiment.context import Context
from core.experiment.selection import find_cells
from core.report.figures import style
from papers.dngo.experiments.design_effects import from_the_incumbent
from tests.papers.functions import Functions

artifacts = Functions("dngo", "artifacts")
claims = Functions("dngo", "claims")
experiments = Functions("dngo", "experiments")


def test_distance_is_from_the_best_point_so_far():
    X = np.array([[[0.0, 0.0], [1.0, 1.0], [0.5, 0.5], [1.0, 0.0]]])
    found = from_the_incumbent(X, np.array([[3.0, 1.0, 2.0, 0.0]]))
    np.testing.assert_allclose(found, [[0, 1, 0.5, np.sqrt(0.5)]])


@pytest.mark.parametrize("method", ["tanh", "relu", "relu_tanh"])
def test_searches_record_distances(method):
    overrides = {"evaluations": 7, "epochs": 2}
    cell = find_cells(Catalogue(), f"dngo/activation_search/branin/{method}", "smoke", overrides=overrides)[0]
    frame = experiments.activation_search(Context(cell, range(2)))
    first = frame["evaluation"] == 1
    assert len(frame) == 14 and (frame["regret"] >= 0).all()
    assert (frame.loc[first, "distance"] == 0).all() and frame.loc[~first, "distance"].between(0, 1).all()


def test_a_schedule_of_updates_runs():
    cell = find_cells(Catalogue(), "dngo/schedule/camelback/updates_100", "smoke", overrides={"evaluations": 7})[0]
    frame = experiments.schedule(Context(cell, range(2)))
    assert len(frame) == 14 and (frame["regret"] >= 0).all()


def test_noise_is_that_of_the_training():
    scores = {}
    for rate in ("rate_0", "rate_0.5"):
        cell = find_cells(Catalogue(), f"dngo/dropout/branin/{rate}", "smoke", overrides={"epochs": 20})[0]
        scores[rate] = experiments.dropout(Context(cell, range(2)))
    for frame in scores.values():
        assert frame["run"].tolist() == [0, 1] and frame[["noise", "rmse"]].gt(0).all(axis=None)
        # Of two estimates of the same values with errors of rms e, half the squared difference is at most 2 e^2.
        assert (frame["noise"] <= 2 * frame["rmse"]).all()


def searches(factor: float, regret: float) -> pd.DataFrame:
    """20 runs; ReLU's distances and regrets are `factor` and `regret` times those of tanh."""
    return pd.DataFrame(
        {"benchmark": name, "method": method, "run": run, "evaluation": n, "status": "ok"}
        | {"origin": "initial design" if n <= 5 else "policy"}
        | {"distance": (1.0 if n <= 5 else 0.1 * (factor if method == "relu" else 1)) * (1 + 0.01 * run)}
        | {"regret": (regret if method == "relu" else 1.0) * (1 + 0.01 * run) / n}
        for name in ("branin", "hartmann6")
        for method in ("tanh", "relu", "relu_tanh")
        for run in range(20)
        for n in range(1, 16)
    )


def predictions(factor: float, **others: float) -> pd.DataFrame:
    """Noise and error at each dropout rate over those without, `factor` but for the rates named."""
    rates = {"rate_0": 1.0, **dict.fromkeys(("rate_0.1", "rate_0.25", "rate_0.5"), factor), **others}
    return pd.DataFrame(
        {"benchmark": name, "method": method, "run": run, "status": "ok"}
        | {"noise": 0.1 * ratio * (1 + 0.01 * run), "rmse": 0.3 * ratio * (1 + 0.02 * run)}
        for name in ("branin", "hartmann6")
        for method, ratio in rates.items()
        for run in range(20)
    )


def test_excessive_exploration_and_worse_points_are_two_claims(fake):
    def outcomes(factor: float, regret: float) -> tuple[str, str]:
        results = fake(activation_search=searches(factor, regret))
        return claims.relu_explores_excessively(results).holds, claims.relu_finds_worse_points(results).holds

    assert outcomes(2.0, 3.0) == ("holds", "holds")
    assert outcomes(1.1, 3.0) == ("fails", "holds")
    assert outcomes(2.0, 0.5) == ("holds", "fails")


def test_dropout_is_compared_with_none_at_every_rate(fake):
    assert claims.dropout_blurs_the_mean(fake(dropout=predictions(1.5))).holds == "holds"
    assert claims.dropout_blurs_the_mean(fake(dropout=predictions(0.8))).holds == "fails"
    assert claims.dropout_blurs_the_mean(fake(dropout=predictions(1.5, **{"rate_0.1": 0.8}))).holds == "fails"


def test_figure_draws(fake):
    frames = {"activation_search": searches(2, 2), "dropout": predictions(2)}
    schedule = searches(2, 2).replace(
        {"method": {"tanh": "epochs_20", "relu": "updates_100", "relu_tanh": "updates_300"}}
    )
    with style.context():
        drawn = artifacts.design_effects(fake(**frames, schedule=schedule), None).data
    assert set(drawn["quantity"]) == {"distance", "log regret", "noise", "rmse", "log regret by schedule"}
    ends = drawn[drawn["quantity"] == "log regret by schedule"].set_index(["benchmark", "method"])["value"]
    gap = ends["branin", "updates_100"] - ends["branin", "epochs_20"]  # of ReLU's runs, twice the regret
    assert gap == pytest.approx(np.log10(2))
