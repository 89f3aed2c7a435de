"""DNGO's design (Fig 2, 3.1.1 and 3.1.2): what the experiments record, and claims on records with known answers."""

import numpy as np
import pandas as pd
import pytest

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.report import style
from papers.dngo.experiments.design import from_the_incumbent
from tests.papers.functions import Functions

artifacts = Functions("dngo", "artifacts")
claims = Functions("dngo", "claims")
experiments = Functions("dngo", "experiments")


@pytest.mark.parametrize("method", ["tanh", "relu_tanh", "relu"])
def test_every_repetition_has_its_data_and_its_prediction(method):
    cell = find_cells(Papers(), f"dngo/activations/sinc/{method}", "smoke", overrides={"epochs": 5})[0]
    frame = experiments.activations(Context(cell, range(2)))
    data, grid = (frame[frame["part"] == part] for part in ("data", "grid"))
    assert data.groupby("run").size().tolist() == [20, 20]
    np.testing.assert_allclose(data["mean"], np.sinc(10 * data["x"] - 5))
    assert (grid["sd"] > 0).all() and grid["x"].min() == -1 and grid["x"].max() == 2


class Widening:
    """Twelve repetitions whose sd is 1 with tanh units and `slope` times the distance to the data with rectifiers."""

    def __init__(self, slope: float) -> None:
        x = np.linspace(-1, 2, 301)
        distance = np.maximum(np.maximum(-x, x - 1), 0)
        sd = {"tanh": np.ones(301), "relu_tanh": np.ones(301), "relu": 0.1 + slope * distance}
        self.rows = pd.concat(
            pd.DataFrame({"method": name, "run": run, "part": "grid", "x": x, "sd": values})
            for name, values in sd.items()
            for run in range(12)
        )

    def frame(self, experiment: str) -> pd.DataFrame:
        return self.rows


def test_growth_is_told_from_a_bound():
    results = Widening(slope=10)
    assert claims.tanh_is_bounded(results).holds == "holds"
    assert claims.relu_tanh_is_bounded(results).holds == "holds"
    assert claims.relu_grows(results).ours == pytest.approx(10.1 / 5.1)
    assert claims.relu_is_extremely_uncertain(results).ours == pytest.approx(10.1)
    flat = Widening(slope=0.01)
    assert claims.relu_grows(flat).holds == "fails"
    assert claims.relu_is_extremely_uncertain(flat).holds == "fails"


def test_distance_is_from_the_best_point_so_far():
    X = np.array([[[0.0, 0.0], [1.0, 1.0], [0.5, 0.5], [1.0, 0.0]]])
    found = from_the_incumbent(X, np.array([[3.0, 1.0, 2.0, 0.0]]))
    np.testing.assert_allclose(found, [[0, 1, 0.5, np.sqrt(0.5)]])


@pytest.mark.parametrize("method", ["tanh", "relu", "relu_tanh"])
def test_searches_record_distances(method):
    overrides = {"evaluations": 7, "epochs": 2}
    cell = find_cells(Papers(), f"dngo/activation_search/branin/{method}", "smoke", overrides=overrides)[0]
    frame = experiments.activation_search(Context(cell, range(2)))
    first = frame["evaluation"] == 1
    assert len(frame) == 14 and (frame["regret"] >= 0).all()
    assert (frame.loc[first, "distance"] == 0).all() and frame.loc[~first, "distance"].between(0, 1).all()


def test_a_schedule_of_updates_runs():
    cell = find_cells(Papers(), "dngo/schedule/camelback/updates_100", "smoke", overrides={"evaluations": 7})[0]
    frame = experiments.schedule(Context(cell, range(2)))
    assert len(frame) == 14 and (frame["regret"] >= 0).all()


def test_noise_is_that_of_the_training():
    scores = {}
    for rate in ("rate_0", "rate_0.5"):
        cell = find_cells(Papers(), f"dngo/dropout/branin/{rate}", "smoke", overrides={"epochs": 20})[0]
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


def test_the_figure_of_effects_draws(fake):
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


@pytest.mark.parametrize("method", ["map", "evidence"])
def test_held_out_scores_are_in_units_of_the_targets(method):
    overrides = {"epochs": 2, "test_points": 50}
    cell = find_cells(Papers(), f"dngo/features/branin/{method}", "smoke", overrides=overrides)[0]
    frame = experiments.features(Context(cell, range(2)))
    assert frame["run"].tolist() == [0, 1] and frame["updates"].tolist() == [8, 8]
    assert frame["rmse"].between(1e-6, 2).all() and (frame["seconds"] >= 0).all()


def test_a_data_set_is_split():
    cell = find_cells(Papers(), "dngo/features/diabetes/evidence", "smoke", overrides={"epochs": 1})[0]
    assert np.isfinite(experiments.features(Context(cell, range(1)))[["rmse", "log_likelihood"]]).all(axis=None)


def test_searches_share_their_initial_designs():
    losses = []
    for method in ("map", "evidence"):
        overrides = {"evaluations": 6, "epochs": 2}
        cell = find_cells(Papers(), f"dngo/feature_search/branin/{method}", "smoke", overrides=overrides)[0]
        frame = experiments.feature_search(Context(cell, range(2)))
        assert frame.groupby("run").size().tolist() == [6, 6] and (frame["regret"] >= 0).all()
        assert frame.groupby("origin").size().to_dict() == {"initial design": 10, "policy": 2}
        losses.append(frame.loc[frame["evaluation"] <= 5, "loss"])
    np.testing.assert_array_equal(*losses)


def scores(ratio: float, seconds: float) -> pd.DataFrame:
    """Ten repetitions; errors of MAP are `ratio` times those of evidence, seconds 1 to `seconds`."""
    methods = {"map": (ratio, 1.0), "evidence": (1.0, seconds)}
    return pd.DataFrame(
        {"benchmark": name, "method": method, "run": run, "status": "ok", "rmse": error * (1 + 0.01 * run)}
        | {"log_likelihood": -1.0, "seconds": taken, "updates": 10}
        for name in ("branin", "hartmann6", "boston", "concrete", "yacht")
        for method, (error, taken) in methods.items()
        for run in range(10)
    )


def regrets(factor: float) -> pd.DataFrame:
    return pd.DataFrame(
        {"benchmark": name, "method": method, "run": run, "evaluation": n, "status": "ok"}
        | {"regret": (factor if method == "map" else 1.0) * (1 + 0.01 * run) / n}
        for name in ("branin", "hartmann6")
        for method in ("map", "evidence")
        for run in range(10)
        for n in (1, 2, 3)
    )


def test_similar_is_told_from_different(fake):
    same, other = (fake(features=scores(r, 5), feature_search=regrets(f)) for r, f in ((1.05, 1.5), (2, 10)))
    assert claims.map_predicts_as_well(same).ours == "5 of 5"
    assert claims.map_optimises_as_well(same).ours == "2 of 2"
    assert claims.map_is_as_likely(same).ours == "5 of 5"
    assert claims.map_predicts_as_well(other).holds == claims.map_optimises_as_well(other).holds == "fails"


def test_certainty_is_compared(fake):
    frame = scores(1, 5)
    frame.loc[(frame["method"] == "evidence") & (frame["benchmark"] == "yacht"), "log_likelihood"] = -9.0
    check = claims.map_is_as_likely(fake(features=frame))
    assert check.ours == "4 of 5" and check.holds == "fails" and "yacht: +8" in check.detail


@pytest.mark.parametrize(("slower", "ours"), [(5, "5 of 5"), (0.5, "0 of 5")])
def test_slower_is_by_update_and_not_of_equal_work(fake, slower, ours):
    check = claims.map_is_faster(fake(features=scores(1, slower)))
    assert check.ours == ours and check.holds == "outside"
    few = scores(1, slower)
    few["updates"] = np.where(few["method"] == "evidence", 1, 10)
    assert claims.map_is_faster(fake(features=few)).ours == "5 of 5"


def test_the_figure_of_features_draws(fake):
    with style.context():
        data = artifacts.evidence(fake(features=scores(1.1, 5), feature_search=regrets(1.0)), None).data
    assert len(data) == 10
