"""Claims that fail on the shipped runs, or on the authors' data, have a cause or say that it is unknown."""

from __future__ import annotations

import json

import pytest

from core.experiment.catalogue import Catalogue
from core.experiment.drawings import drawing
from core.report.draw import judged_claims
from core.report.page.records import to_json
from core.report.resolved import resolve
from papers.commands.readme import check_causes

CATALOGUE = Catalogue()


@pytest.mark.slow
@pytest.mark.parametrize("paper", CATALOGUE.papers)
def test_what_fails_has_a_cause_and_nothing_else_has_one(paper):
    """Without drawing: CI's `readme --check` asks the same of what it drew."""
    for name in CATALOGUE.paper(paper).artifacts:
        job = resolve(CATALOGUE, drawing(CATALOGUE, f"{paper}/{name}", "quick", "reference"))
        sidecar = {"paper": paper, "artifact": name, "claims": judged_claims(job)}
        check_causes([json.loads(to_json(sidecar))])
