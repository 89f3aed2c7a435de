"""The authors' curves in the form of our sets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data import DataUnavailableError, load_frame
from core.foundation.errors import UserError
from core.models.curves.last_seen import LastSeenValue
from papers.lcnet import authors_curves
from papers.lcnet.authors_curves import authors_cnn

HYPERPARAMETERS = {"batch_size": 512.0, "log2_n_units_1": 4.0, "log2_n_units_2": 7.0, "log2_n_units_3": 10.0}


def made() -> pd.DataFrame:
    """Three networks at the corners of the space and in between, one without a final performance."""
    curve = {f"error_{epoch}": [0.9 / epoch, 0.8 / epoch, 0.7 / epoch] for epoch in range(1, 41)}
    frame = pd.DataFrame({name: [value] * 3 for name, value in HYPERPARAMETERS.items()} | curve)
    return frame.assign(
        log10_learning_rate=[-6.0, -3.0, 0.0], final_performance=[0.9 / 40, np.nan, 0.7 / 40], runtime=[40.0, 80.0, 4.0]
    )


def test_configurations_are_points_of_the_space_of_the_thesis(monkeypatch):
    monkeypatch.setattr(authors_curves, "load_frame", lambda name, download: made())
    found = authors_cnn(all_curves=True)
    assert list(found.space) == ["batch_size", "learning_rate", "units_1", "units_2", "units_3"]
    np.testing.assert_allclose(found.configurations[:, 1], [0.0, 0.5, 1.0], atol=1e-12)
    np.testing.assert_allclose(found.configurations[0, [0, 2, 3, 4]], [1.0, 0.0, 0.5, 1.0], atol=1e-12)
    assert found.runtimes.tolist() == pytest.approx([40, 80, 4]) and not found.diverged.any()
    whole = authors_cnn()
    assert whole.curves[:, -1].tolist() == pytest.approx([0.9 / 40, 0.7 / 40]) and whole.epochs == 40
    model = LastSeenValue().fit(whole.configurations, whole.curves[:, :10], epochs=40)
    assert model.extrapolate(1.0)[0].tolist() == whole.curves[:, 9].tolist()


def test_a_network_outside_the_space_is_named(monkeypatch):
    monkeypatch.setattr(authors_curves, "load_frame", lambda name, download: made().assign(batch_size=1024.0))
    with pytest.raises(UserError, match=r"batch_size.* 1024"):
        authors_cnn()


def test_the_published_curves():
    try:
        found, frame = authors_cnn(download=False), load_frame("authors_lcnet_cnn", download=False)
    except DataUnavailableError as error:
        pytest.skip(str(error))
    rows = frame[frame["final_performance"].notna()]
    assert found.curves.shape == (256, 40) and np.isfinite(found.curves).all()
    np.testing.assert_allclose(found.curves[:, -1], rows["final_performance"], rtol=1e-6)
    configurations = found.configurations
    np.testing.assert_allclose(configurations[:, 1], (rows["log10_learning_rate"] + 6) / 6, rtol=1e-12)
    np.testing.assert_allclose(configurations[:, 3], (rows["log2_n_units_2"] - 4) / 6, rtol=1e-12)
    np.testing.assert_allclose(configurations[:, 0], (rows["batch_size"] - 32) / 480, rtol=1e-12)
    assert len(authors_cnn(all_curves=True, download=False).curves) == 265
