"""Drawings: their files, what they are made from, and whether they are up to date."""

from __future__ import annotations

import json
import os
import time

import pytest

from core.experiment.drawings import Currency, Drawing, drawing, library_files, paper_files, runs_behind
from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.report.draw import draw_artifact


def test_files_stand_apart_by_source():
    shipped, own = (Drawing("toy", "fig1", "figure", "quick", source) for source in ("reference", "run"))
    ends = ("pdf", "png", "rst", "json")
    assert shipped.files == [f"figures/toy/fig1.{end}" for end in ends]
    assert own.files == [f"figures/own/toy/fig1.{end}" for end in ends]


def test_the_code_is_that_of_the_library_the_commands_and_the_paper(toy, tmp_path):
    for name in (
        "core/models/gp.py",
        "core/report/page/page.css",
        "toypapers/commands/draw.py",
        "toypapers/other/a.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    library, paper = (
        {str(path.relative_to(tmp_path)) for path in files}
        for files in (library_files(toy()), paper_files(toy(), "toy"))
    )
    assert {"core/models/gp.py", "core/report/page/page.css", "toypapers/commands/draw.py"} < library
    assert {"toypapers/toy/paper.yaml", "toypapers/toy/published/table1.csv"} < paper
    assert "toypapers/toy/published/table1.csv" in library, "artifacts of other papers may show them"
    assert "toypapers/other/a.py" not in library | paper


def test_the_runs_are_those_of_all_experiments_at_the_scale_each_once(toy, tmp_path):
    catalogue = toy()
    both = [drawing(catalogue, f"toy/{name}", "smoke", "reference") for name in ("table1", "fig1")]
    found = [str(path.relative_to(tmp_path)) for path in runs_behind(catalogue, both)]
    assert "results/reference/smoke/toy/fit/bundled/plain.parquet" in found and len(set(found)) == len(found)


@pytest.fixture
def drawn(toy, tmp_path):
    """A drawing whose files are there, made at some scale."""

    def draw(scale: str = "quick", text: str | None = None) -> Drawing:
        made = drawing(toy(), "toy/table1", "quick", "reference")
        for file in made.files:
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).write_text(json.dumps({"drawn_at": scale}) if text is None else text)
        return made

    return draw


def later(path, seconds: float = 10.0) -> None:
    """Make a file newer than all that is written now."""
    os.utime(path, (time.time() + seconds,) * 2)


@pytest.mark.parametrize(
    "name", ["toypapers/toy/paper.yaml", "toypapers/toy/published/table1.csv", "core/models/gp.py"]
)
def test_whatever_it_is_made_from_makes_it_outdated(toy, tmp_path, drawn, name):
    (tmp_path / "core/models").mkdir(parents=True)
    (tmp_path / "core/models/gp.py").touch()
    made = drawn()
    assert Currency(toy())(made)
    later(tmp_path / name)
    assert not Currency(toy())(made)


def test_a_drawing_at_another_scale_is_not_the_one_asked_for(toy, drawn):
    assert not Currency(toy())(drawn("paper"))


@pytest.mark.parametrize("end", ["pdf", "png", "csv", "md", "tex", "rst", "json"])
def test_a_missing_file_makes_the_drawing_outdated(toy, tmp_path, drawn, end):
    made = drawn()
    (tmp_path / f"{made.stem}.{end}").unlink()
    assert not Currency(toy())(made)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"drawn_at": 1}', "nonsense"])
def test_a_sidecar_that_says_nothing_makes_the_drawing_outdated(toy, drawn, text):
    assert not Currency(toy())(drawn(text=text))


def test_a_new_run_makes_the_drawing_outdated(toy, tmp_path):
    catalogue = toy()
    made = drawing(catalogue, "toy/table1", "quick", "run")
    draw_artifact(catalogue, made)
    assert Currency(catalogue)(made)
    cell = find_cells(catalogue, "toy/fit/line/plain", "quick")[0]
    later(run_cell(cell, catalogue.function(cell), tmp_path))
    assert not Currency(catalogue)(made)
