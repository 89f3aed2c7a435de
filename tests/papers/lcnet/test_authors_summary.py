"""The summary of the authors' curves: what it holds, that claims get the same from it, and what it does not tell."""

from __future__ import annotations

import numpy as np
import pytest

from core.report import NotRunError, bootstrap_interval
from papers.lcnet.authors_summary import BAND, authors_summary, summarized_curves
from papers.lcnet.curve_sets import AUTHORS
from papers.lcnet.curve_statistics import BINS, SEED, early_part_of_the_fall, mean_over_median
from tests.papers.lcnet.made_sets import MadeResults, authors_set, records

COUNT, EPOCHS = 150, 11


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(1)
    curves = (
        0.3 + 0.5 * rng.random((COUNT, 1)) * np.exp(-np.linspace(0, 3, EPOCHS)) + 0.01 * rng.random((COUNT, EPOCHS))
    )
    seconds = np.repeat(np.exp(rng.normal(size=(COUNT, 1))), EPOCHS, axis=1)
    return curves, seconds


def test_quantities_are_those_of_the_curves(made):
    curves, seconds = made
    found = authors_summary(MadeResults(records(AUTHORS, *made)))
    np.testing.assert_allclose(found.band, np.percentile(curves, BAND, axis=0).T, rtol=1e-5)
    np.testing.assert_allclose(found.last, np.percentile(curves[:, -1], range(101)), rtol=1e-5)
    runtimes = seconds.sum(1)
    np.testing.assert_allclose(found.seconds, np.percentile(runtimes, range(101)), rtol=1e-5)
    assert found.epochs == EPOCHS and found.counts.sum() == COUNT and len(found.counts) == BINS
    falls = curves[:, [0, 0]] - curves[:, [5, 10]]
    np.testing.assert_allclose(found.falls, falls[np.argsort(falls[:, 1])], atol=1e-6)
    expected = bootstrap_interval(runtimes, mean_over_median, SEED)
    np.testing.assert_allclose(found.mean_over_median, expected, rtol=1e-5)
    part = bootstrap_interval(found.falls, early_part_of_the_fall, SEED, of_means=True)
    means = curves.mean(0)
    assert part.estimate == pytest.approx((means[0] - means[5]) / (means[0] - means[10]), rel=1e-5)
    assert part.low < part.estimate < part.high


def test_a_curve_cannot_be_read_from_the_record(made):
    """A network has two numbers, and quantiles are not errors of single networks, but for a few."""
    curves, _ = made
    rows = summarized_curves(authors_set(*made))
    assert set(rows.columns) == {"run", "quantity", "epoch", "percent", "bin", "value"}
    assert rows["value"].notna().all() and (rows[rows["run"] > 0].groupby("run").size() == 2).all()
    errors = rows[(rows["quantity"] == "error") & ~rows["percent"].isin([0, 50, 100])]["value"]
    assert np.isclose(errors.to_numpy()[:, None], curves.ravel(), rtol=1e-6).any(1).mean() < 0.1


def test_without_the_record_there_is_no_summary(made):
    with pytest.raises(NotRunError, match="curves/authors_cnn"):
        authors_summary(MadeResults(records("lr", *made)))
