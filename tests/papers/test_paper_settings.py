"""Papers' settings: all of each method's are stated in paper.yaml, and shipped files have today's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.experiment import SCALES
from core.experiment.cells import Cell
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.experiment.storage import read_provenance
from core.optimizers.settings import MethodSettings

PAPERS = Papers(Path(__file__).parents[2])


def cells_of(paper: str) -> list[Cell]:
    """Every cell of a paper at every scale."""
    return [cell for scale in SCALES for cell in find_cells(PAPERS, paper, scale)]


def method_of_cell(cell: Cell) -> MethodSettings | None:
    return dict(cell.settings).get("method")


@pytest.mark.parametrize("paper", PAPERS.names)
def test_every_setting_of_a_method_is_stated(paper):
    """The library's defaults may change, the papers' settings with them may not.

    A setting that is younger than the shipped runs may be left out as long as its default is what they ran with.
    """
    for cell in cells_of(paper):
        if (method := method_of_cell(cell)) is not None:
            as_ran = {name for name, ran in method.later().items() if getattr(method, name) == ran}
            left_out = set(method.names()) - method.model_fields_set - as_ran
            assert not left_out, f"{cell.name} at scale {cell.scale}: method {method.method!r} without {left_out}"


@pytest.mark.parametrize("paper", PAPERS.names)
def test_a_name_means_one_setting(paper):
    """So that `--set` reaches it by the name alone; the initial design is given to the method by the experiment."""
    for cell in cells_of(paper):
        if (method := method_of_cell(cell)) is not None:
            assert set(type(cell.settings).model_fields) & set(method.names()) <= {"initial_design"}, cell.name


@pytest.mark.parametrize("paper", PAPERS.names)
def test_a_paper_states_no_method_that_it_does_not_use(paper):
    used = {method.method for cell in cells_of(paper) if (method := method_of_cell(cell)) is not None}
    assert set(PAPERS.paper(paper).spec.methods) == used


@pytest.mark.parametrize("paper", PAPERS.names)
def test_shipped_runs_have_todays_settings(paper):
    shipped = {path: cell for cell in cells_of(paper) if (path := cell.path(PAPERS.root, "reference")).exists()}
    for path, cell in shipped.items():
        found = read_provenance(path)
        assert found["settings"] == json.loads(cell.settings.model_dump_json()), cell.name
        assert found["settings_hash"] == cell.settings_hash, cell.name
    assert shipped or not list(PAPERS.root.glob(f"results/reference/*/{paper}"))
