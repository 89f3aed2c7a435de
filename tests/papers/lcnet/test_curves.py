"""Collections of learning curves from records made here, the authors' curves in the same form, and their summary."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data import DataUnavailableError, load_frame
from core.foundation.errors import UnknownNameError, UserError
from core.models.curves.base import LastSeenValue
from core.objectives.spaces import curve_space
from core.report import NotRunError, bootstrap_interval
from core.spaces import CubeEncoding
from papers.lcnet import curves as module
from papers.lcnet.curves import (
    AUTHORS,
    BAND,
    BINS,
    RESAMPLES_SEED,
    authors_cnn,
    authors_summary,
    curve_set,
    curve_sets,
    early_part_of_the_fall,
    mean_over_median,
    summarized_curves,
)
from tests.papers.lcnet.made_sets import authors_set, records
from tests.papers.runs import Fake

EPOCHS = 5
HYPERPARAMETERS = {"batch_size": 512.0, "log2_n_units_1": 4.0, "log2_n_units_2": 7.0, "log2_n_units_3": 10.0}
COUNT, SUMMARIZED = 150, 11


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
    found = curve_sets(Fake(curves=frame))
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


def published() -> pd.DataFrame:
    """Three networks at the corners of the space and in between, one without a final performance."""
    curve = {f"error_{epoch}": [0.9 / epoch, 0.8 / epoch, 0.7 / epoch] for epoch in range(1, 41)}
    frame = pd.DataFrame({name: [value] * 3 for name, value in HYPERPARAMETERS.items()} | curve)
    return frame.assign(
        log10_learning_rate=[-6.0, -3.0, 0.0], final_performance=[0.9 / 40, np.nan, 0.7 / 40], runtime=[40.0, 80.0, 4.0]
    )


def test_configurations_are_points_of_the_space_of_the_thesis(monkeypatch):
    monkeypatch.setattr(module, "load_frame", lambda name, download: published())
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
    monkeypatch.setattr(module, "load_frame", lambda name, download: published().assign(batch_size=1024.0))
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


@pytest.fixture(scope="module")
def networks():
    """Curves and seconds of the epochs, (COUNT, SUMMARIZED) each."""
    rng = np.random.default_rng(1)
    curves = (
        0.3
        + 0.5 * rng.random((COUNT, 1)) * np.exp(-np.linspace(0, 3, SUMMARIZED))
        + 0.01 * rng.random((COUNT, SUMMARIZED))
    )
    seconds = np.repeat(np.exp(rng.normal(size=(COUNT, 1))), SUMMARIZED, axis=1)
    return curves, seconds


def test_quantities_are_those_of_the_curves(networks):
    curves, seconds = networks
    found = authors_summary(Fake(curves=records(AUTHORS, *networks)))
    np.testing.assert_allclose(found.band, np.percentile(curves, BAND, axis=0).T, rtol=1e-5)
    np.testing.assert_allclose(found.last, np.percentile(curves[:, -1], range(101)), rtol=1e-5)
    runtimes = seconds.sum(1)
    np.testing.assert_allclose(found.seconds, np.percentile(runtimes, range(101)), rtol=1e-5)
    assert found.epochs == SUMMARIZED and found.counts.sum() == COUNT and len(found.counts) == BINS
    falls = curves[:, [0, 0]] - curves[:, [5, 10]]
    np.testing.assert_allclose(found.falls, falls[np.argsort(falls[:, 1])], atol=1e-6)
    expected = bootstrap_interval(runtimes, mean_over_median, RESAMPLES_SEED)
    np.testing.assert_allclose(found.mean_over_median, expected, rtol=1e-5)
    part = bootstrap_interval(found.falls, early_part_of_the_fall, RESAMPLES_SEED, of_means=True)
    means = curves.mean(0)
    assert part.estimate == pytest.approx((means[0] - means[5]) / (means[0] - means[10]), rel=1e-5)
    assert part.low < part.estimate < part.high


def test_a_curve_cannot_be_read_from_the_record(networks):
    """A network has two numbers, and quantiles are not errors of single networks, but for a few."""
    curves, _ = networks
    rows = summarized_curves(authors_set(*networks))
    assert set(rows.columns) == {"run", "quantity", "epoch", "percent", "bin", "value"}
    assert rows["value"].notna().all() and (rows[rows["run"] > 0].groupby("run").size() == 2).all()
    errors = rows[(rows["quantity"] == "error") & ~rows["percent"].isin([0, 50, 100])]["value"]
    assert np.isclose(errors.to_numpy()[:, None], curves.ravel(), rtol=1e-6).any(1).mean() < 0.1


def test_without_the_record_there_is_no_summary(networks):
    with pytest.raises(NotRunError, match="curves/authors_cnn"):
        authors_summary(Fake(curves=records("lr", *networks)))
