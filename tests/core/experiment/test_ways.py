"""The two ways through the house, as docs/architecture.md states them: the files that a real run and drawing enter."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.report.draw import draw_artifact

ROOT = Path(__file__).resolve().parents[3]
ELSEWHERE = {
    "core/experiment/workflow.py",
    "core/report/figures/figure.py",
    "core/report/page/comparison.py",
    "core/report/verdicts/claims.py",
}
"""What the page names beside the way: Snakemake's, a figure's, the page's, and that of claims, which the toy lacks."""
HOUSE = tuple(f"{ROOT / folder}/" for folder in ("core/experiment", "core/report"))


def entered(action: Callable[[], object]) -> set[str]:
    """The files of the harness in which a function is called while something is done."""
    files = set()

    def note(frame, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>" and frame.f_code.co_filename.startswith(HOUSE):
            files.add(str(Path(frame.f_code.co_filename).relative_to(ROOT)))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before)
    return files


def stated(heading: str) -> tuple[int, str]:
    """The number of files in a section of the page, and the section."""
    section = (ROOT / "docs" / "architecture.md").read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return int(re.search(r"enters (\d+) files of the harness", section)[1]), section


@pytest.mark.parametrize(
    "heading, steps",
    [("From settings to records", "run"), ("From a target's name to its file", "draw")],
)
def test_a_way_has_the_stops_that_the_page_states(toy, tmp_path, heading, steps):
    def run() -> None:
        papers = toy()
        (cell,) = find_cells(papers, "toy/fit/line/plain", "quick")
        run_cell(cell, papers.function(cell), tmp_path, say=[].append)

    def draw() -> None:
        draw_artifact(toy().artifact("table1", "quick", "run"))

    if steps == "draw":
        run()
    files = entered(run if steps == "run" else draw)
    count, section = stated(heading)
    assert len(files) <= count <= len(files) + 2, f"{sorted(files)}; what is cached is not called twice in a process"
    named = set(re.findall(r"`(core/(?:experiment|report)/[\w/]+\.py)`", section))
    assert len(named & files) >= 5 and not named - files - ELSEWHERE, "named, not entered"
