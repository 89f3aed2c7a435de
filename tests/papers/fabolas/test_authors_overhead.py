"""Our runs with the seconds that a proposal took in the authors' runs."""

from __future__ import annotations

import pandas as pd
import pytest

from core.report.verdicts.published_runs import published_runs
from papers.fabolas.authors_overhead import DESIGNS, proposal_seconds, with_authors_overhead


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
    columns = {"method": ["fabolas", "fabolas", "fabolas_text", "mtbo", "gp"], "evaluations": [20, 33, 41, 5, 7]}
    frame = pd.DataFrame({**columns, "evaluation_seconds": 100.0, "overhead": 9.0, "time": 109.0})
    found, once = with_authors_overhead(frame), proposal_seconds("fabolas")
    assert found["overhead"].tolist() == pytest.approx([0, 3 * once, once, 0, 9])
    assert found["time"].tolist() == pytest.approx([100, 100 + 3 * once, 100 + once, 100, 109])
    assert frame["overhead"].eq(9).all()
