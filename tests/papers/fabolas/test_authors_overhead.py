"""Our runs with the seconds that a proposal took in the authors' runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data import DataUnavailableError
from core.objectives.authors_svm import authors_svm_surrogate
from core.report.verdicts.published_runs import published_runs
from papers.fabolas.authors_overhead import AUTHORS_SHARES, DESIGNS, proposal_seconds, with_authors_overhead


@pytest.mark.parametrize("method", DESIGNS)
def test_the_authors_clocks_jump_after_their_initial_designs(method):
    """No evaluation of the design takes 10 seconds; the first after it takes over 100 in every run that has it."""
    frame, design = published_runs("fabolas/fig4_5_runs"), DESIGNS[method]
    rows = frame[frame["method"] == method]
    assert rows.loc[rows["evaluations"] <= design, "seconds"].max() < 10 * design
    first = rows.loc[rows["evaluations"] == design + 1, "seconds"]
    assert len(first) >= 5 and (first - 10 * design > 0).all()
    assert 100 < proposal_seconds(method) < 500


def test_proposals_count_and_designs_do_not():
    columns = {"method": ["fabolas", "fabolas", "fabolas_text", "mtbo", "gp"], "evaluations": [15, 18, 41, 5, 7]}
    frame = pd.DataFrame({**columns, "evaluation_seconds": 100.0, "overhead": 9.0, "time": 109.0})
    found, once = with_authors_overhead(frame), proposal_seconds("fabolas")
    assert found["overhead"].tolist() == pytest.approx([0, 3 * once, once, 0, 9])
    assert found["time"].tolist() == pytest.approx([100, 100 + 3 * once, 100 + once, 100, 109])
    assert frame["overhead"].eq(9).all()


def test_the_authors_clocks_count_logarithms_of_the_surrogates_seconds():
    """Of each evaluation of the initial designs, on the shares of their scripts; seconds would be far more."""
    try:
        surrogate = authors_svm_surrogate(download=False)
    except DataUnavailableError as error:
        pytest.skip(str(error))
    logs = np.random.default_rng(0).uniform(-10, 10, (20_000, 2))
    clocks = published_runs("fabolas/fig4_5_runs")
    for method, shares in AUTHORS_SHARES.items():
        seconds = np.stack([surrogate.look_up(logs, share)[1] for share in shares])
        least, most = (np.quantile(np.log(seconds), share, axis=1).cumsum() for share in (0.01, 0.99))
        rows = clocks[(clocks["method"] == method) & (clocks["evaluations"] <= len(shares))]
        at = rows["evaluations"].to_numpy(int) - 1
        assert len(rows) > 50 and (rows["seconds"].between(0.98 * least[at], 1.02 * most[at])).all()
        middle = np.log(np.median(seconds, axis=1)).cumsum()[at]
        assert np.median(rows["seconds"] / middle) == pytest.approx(1, abs=0.02)
        assert (np.median(seconds, axis=1).cumsum()[at] > 2.8 * rows["seconds"]).all()
