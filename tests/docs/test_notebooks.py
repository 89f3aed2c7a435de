"""The notebooks of examples/ run from an empty folder, by a kernel, and are kept without outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docs.pages.examples import of_notebook

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def printed(notebook) -> str:
    """What the cells of a notebook that was run have printed or returned, as text."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return "\n".join(output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs)


def test_there_is_a_notebook():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_outputs_are_kept(path):
    cells = json.loads(path.read_text())["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code and not any(cell["outputs"] or cell["execution_count"] for cell in code)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_its_page_has_all_cells(path):
    notebook = json.loads(path.read_text())
    page = of_notebook(notebook)
    assert page.startswith("# ") and all("".join(cell["source"]).strip() in page for cell in notebook["cells"])


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    said = printed(notebook)
    assert "above the optimum" in said and "mean error 0.0" in said, said
    kinds = [kind for cell in notebook.cells for output in cell.get("outputs", ()) for kind in output.get("data", ())]
    assert kinds.count("image/png") >= 3
