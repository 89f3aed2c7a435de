"""Claims that fail on the shipped runs, or on the authors' data, have a cause or say that it is unknown."""

from __future__ import annotations

import json

import pytest

from core.experiment.paper import Papers
from core.report.draw import drawing_of, judged_claims
from core.report.page.records import to_json
from papers.commands.readme import check_causes

PAPERS = Papers()


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS.valid)
def test_what_fails_has_a_cause_and_nothing_else_has_one(paper):
    """Without drawing: CI's `readme --check` asks the same of what it drew."""
    for name in PAPERS.paper(paper).artifacts:
        job = drawing_of(PAPERS.artifact(f"{paper}/{name}"))
        sidecar = {"paper": paper, "artifact": name, "claims": judged_claims(job)}
        check_causes([json.loads(to_json(sidecar))])
