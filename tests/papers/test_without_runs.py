"""Every table of every paper without a single run: drawn as `not run`, whatever its function reads."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.experiment.paper import Papers
from core.experiment.results import Results
from core.report.draw import draw, drawing_of

ROOT = Path(__file__).resolve().parents[2]
PAPERS = Papers(ROOT)
TABLES = [
    f"{paper}/{name}"
    for paper, spec in PAPERS.valid.items()
    for name, artifact in spec.artifacts.items()
    if artifact.kind == "table" and artifact.experiments
]  # the functions of figures are not even called then: tests/core/report/test_draw.py


@pytest.mark.parametrize("name", TABLES)
def test_drawn_as_not_run(monkeypatch, tmp_path, name):
    monkeypatch.setattr("core.report.draw.render", lambda *_, **__: {"pdf": b"", "png": b""})
    artifact = PAPERS.artifact(name)
    drawing = drawing_of(artifact)
    scales = {each: drawing.results.scale(each) for each in drawing.results.experiments}
    results = Results(artifact.cells, tmp_path, "run", scales)
    sidecar = draw(replace(drawing, results=results, stem=tmp_path / artifact.id))
    record = json.loads(sidecar.read_text())
    assert record["caption"].endswith("Not run.")
    assert {claim["holds"] for claim in record["claims"]} <= {"not run"}
    assert len(record["missing"]) == len(artifact.cells)
    kinds = {cell["verdict"]["kind"] for cell in record["table"]["cells"] if cell["verdict"]}
    assert "not run" in kinds and kinds <= {"not run", "not published"}
