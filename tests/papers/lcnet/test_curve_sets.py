"""The loader of learning curves on records made here."""

import numpy as np
import pandas as pd
import pytest

from core.foundation.errors import UnknownNameError, UserError
from core.objectives.network_spaces import curve_space
from core.spaces import CubeEncoding
from papers.lcnet.curve_sets import curve_set, curve_sets
from tests.papers.lcnet.made_sets import MadeResults, records

EPOCHS = 5


def drawn(name, count, most_units=None):
    """Records in which the second network diverges in the third epoch."""
    curves = np.linspace(1, 0.1, EPOCHS) + np.arange(count)[:, None]
    seconds = np.full((count, EPOCHS), 2.0) + np.arange(EPOCHS)
    curves[1, 2:], seconds[1, 3:] = np.nan, np.nan
    return records(name, curves, seconds, most_units)


@pytest.mark.parametrize(("name", "most_units"), [("lr", None), ("fcnet", 64), ("fcnet", None)])
def test_configurations_are_points_of_the_space_they_were_drawn_from(name, most_units):
    frame = drawn(name, 6, most_units)
    found = curve_set(name, frame)
    points = np.random.default_rng(6).random((6, 10))[:, : found.configurations.shape[1]]
    encoding = CubeEncoding(curve_space(name, most_units))
    np.testing.assert_allclose(found.configurations, encoding.canonical(points), atol=1e-12)
    np.testing.assert_allclose(found.curves[0], np.linspace(1, 0.1, EPOCHS), rtol=1e-6)


def test_diverged_networks_stay_until_they_are_left_out():
    found = curve_set("lr", drawn("lr", 3))
    assert found.diverged.tolist() == [False, True, False]
    np.testing.assert_allclose(found.runtimes, [20, 15, 20])
    finished = found.finished()
    assert finished.curves.shape == finished.seconds.shape == (2, EPOCHS)
    np.testing.assert_allclose(finished.configurations, found.configurations[[0, 2]])
    assert np.isfinite(finished.curves).all()


def test_sets_of_one_frame_are_taken_apart():
    frame = pd.concat([drawn("vae", 4, 64), drawn("cnn", 3, 32), drawn("lr", 2)], ignore_index=True)
    found = curve_sets(MadeResults(frame))
    assert list(found) == ["cnn", "lr", "vae"]
    assert [made.configurations.shape for made in found.values()] == [(3, 5), (2, 4), (4, 4)]
    assert found["vae"].space["units"].upper == 64


def test_bad_records_are_refused():
    frame = drawn("lr", 3)
    with pytest.raises(UnknownNameError, match="collection of learning curves"):
        curve_set("mlp", frame)
    with pytest.raises(UserError, match="no column 'dropout'"):
        curve_set("lr", frame.drop(columns="dropout"))
    frame["curve"] = [np.ones(EPOCHS), np.ones(EPOCHS), np.ones(EPOCHS - 1)]
    with pytest.raises(UserError, match=r"curves of \[4, 5\] epochs; allowed: one length"):
        curve_set("lr", frame)
