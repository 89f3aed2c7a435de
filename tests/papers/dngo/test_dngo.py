"""DNGO's Fig 2: what the experiment records, and checks on records with known answers."""

import numpy as np
import pandas as pd
import pytest

from core.experiment.catalogue import Catalogue
from core.experiment.context import Context
from core.experiment.selection import find_cells
from tests.papers.functions import Functions

claims = Functions("dngo", "claims")
experiments = Functions("dngo", "experiments")


@pytest.mark.parametrize("method", ["tanh", "relu_tanh", "relu"])
def test_every_repetition_has_its_data_and_its_prediction(method):
    cell = find_cells(Catalogue(), f"dngo/activations/sinc/{method}", "smoke", overrides={"epochs": 5})[0]
    frame = experiments.activations(Context(cell, range(2)))
    data, grid = (frame[frame["part"] == part] for part in ("data", "grid"))
    assert data.groupby("run").size().tolist() == [20, 20]
    np.testing.assert_allclose(data["mean"], np.sinc(10 * data["x"] - 5))
    assert (grid["sd"] > 0).all() and grid["x"].min() == -1 and grid["x"].max() == 2


class Fake:
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
    results = Fake(slope=10)
    assert claims.tanh_is_bounded(results).holds == "holds"
    assert claims.relu_tanh_is_bounded(results).holds == "holds"
    assert claims.relu_grows(results).ours == pytest.approx(10.1 / 5.1)
    assert claims.relu_is_extremely_uncertain(results).ours == pytest.approx(10.1)
    flat = Fake(slope=0.01)
    assert claims.relu_grows(flat).holds == "fails"
    assert claims.relu_is_extremely_uncertain(flat).holds == "fails"
