"""Every table of every paper without a single run: drawn as `not run`, whatever its function reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.experiment.catalogue import Catalogue
from core.experiment.results import Results
from core.report.draw import draw
from core.report.resolved import Resolved
from core.report.verdicts.names import published_numbers
from core.report.verdicts.paper_claims import claims_about

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = Catalogue(ROOT)
TABLES = [
    f"{paper}/{name}"
    for paper, spec in CATALOGUE.papers.items()
    for name, artifact in spec.artifacts.items()
    if artifact.kind == "table" and artifact.experiments
]  # the functions of figures are not even called then: tests/core/report/test_draw.py


@pytest.mark.parametrize("name", TABLES)
def test_drawn_as_not_run(monkeypatch, tmp_path, name):
    monkeypatch.setattr("core.report.draw.render", lambda *_, **__: {"pdf": b"", "png": b""})
    paper, artifact = name.split("/")
    spec = CATALOGUE.papers[paper].artifacts[artifact]
    cells = [cell for experiment in spec.experiments for cell in CATALOGUE.cells(paper, experiment, "quick")]
    scales = {each: CATALOGUE.papers[paper].experiments[each].resolve_scale("quick") for each in spec.experiments}
    results = Results(cells, tmp_path, "run", scales)
    function, claims = CATALOGUE.artifact_function(paper, artifact), claims_about(CATALOGUE, paper, artifact)
    published = published_numbers(CATALOGUE, paper, artifact)
    sidecar = draw(Resolved(paper, artifact, spec, results, tmp_path / artifact, function, published, claims))
    record = json.loads(sidecar.read_text())
    assert record["caption"].endswith("Not run.")
    assert {claim["holds"] for claim in record["claims"]} <= {"not run"}
    assert len(record["missing"]) == len(cells)
    kinds = {cell["verdict"]["kind"] for cell in record["table"]["cells"] if cell["verdict"]}
    assert "not run" in kinds and kinds <= {"not run", "not published"}
