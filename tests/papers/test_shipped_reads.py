"""What the shipped runs say they have read is what is shipped, in these bytes or in those it had before."""

from __future__ import annotations

import pytest

from core.experiment.finished import has_digest
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.experiment.storage import read_provenance

PAPERS = Papers()
NEEDING = [
    cell
    for paper in PAPERS.valid
    for scale in ("quick", "paper")
    for cell in find_cells(PAPERS, paper, scale)
    if cell.needs and cell.path(PAPERS.root, "reference").exists()
]


@pytest.mark.parametrize("cell", {cell.path(""): cell for cell in NEEDING}.values(), ids=lambda cell: cell.name)
def test_a_shipped_run_has_read_what_is_shipped(cell):
    read = read_provenance(cell.path(PAPERS.root, "reference")).get("read", {})
    for needed in (needed for needed in cell.needs if needed.name in read):
        assert has_digest(needed.path(PAPERS.root, "reference"), read[needed.name]["digest"]), needed.name
