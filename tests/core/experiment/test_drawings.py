"""Artifacts: their files, what they are made from, and whether they are drawn."""

from __future__ import annotations

import json

import pytest

from core.experiment.paper import Artifact
from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.foundation.errors import UserError

CURVE = """

def curve(results, published, dataset, sizes, logarithmic=False):
    return results, published, dataset, sizes, logarithmic


curve.published_names = ((), ())
"""


def test_artifacts_may_share_a_function_with_values_of_their_own(toy, edit, tmp_path):
    """The function's marks, such as the names that its published numbers may have, are those of the artifact."""
    edit("  fig1:\n", "  fig1:\n    draw: {curve: {dataset: line, sizes: [1, 2]}}\n")
    with open(tmp_path / "toypapers/toy/figures.py", "a") as file:
        file.write(CURVE)
    drawn = toy().artifact("toy/fig1").function
    assert drawn("results", None) == ("results", None, "line", [1, 2], False)
    assert drawn.published_names == ((), ())


@pytest.mark.parametrize(
    ("draw", "complaint"),
    [
        ("{curv: {dataset: line}}", "unknown function in {}: 'curv'; did you mean 'curve'?"),
        ("{curve: {data: line}}", "{}.curve: data = 'line': unknown value; did you mean 'dataset'?"),
        ("{curve: {sizes: 1}}", "{}.curve: dataset: missing; allowed: dataset, sizes, logarithmic"),
    ],
)
def test_a_function_that_does_not_exist_or_takes_other_values_is_named(toy, edit, tmp_path, draw, complaint):
    edit("  fig1:\n", f"  fig1:\n    draw: {draw}\n")
    with open(tmp_path / "toypapers/toy/figures.py", "a") as file:
        file.write(CURVE)
    with pytest.raises(UserError) as caught:
        _ = toy().artifact("toy/fig1").function
    assert str(caught.value).startswith(complaint.format("toypapers/toy/paper.yaml: artifacts.fig1.draw"))


def test_an_artifact_is_drawn_by_one_function(toy, edit):
    edit("  fig1:\n", "  fig1:\n    draw: {curve: {}, bars: {}}\n")
    with pytest.raises(UserError, match=r"paper\.yaml: artifacts\.fig1\.draw: Dictionary should have at most 1 item"):
        toy().paper("toy")


def test_files_stand_apart_by_source(toy):
    shipped, own = (toy().artifact("toy/fig1", "quick", source) for source in ("reference", "run"))
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
        for files in (toy().library_files(), toy().paper("toy").files)
    )
    assert {"core/models/gp.py", "core/report/page/page.css", "toypapers/commands/draw.py"} < library
    assert {"toypapers/toy/paper.yaml", "toypapers/toy/published/table1.csv"} < paper
    assert "toypapers/toy/published/table1.csv" in library, "artifacts of other papers may show them"
    assert "toypapers/other/a.py" not in library | paper


def test_the_runs_are_those_of_all_experiments_at_the_scale_each_once(toy, tmp_path):
    papers = toy()
    both = [papers.artifact(f"toy/{name}", "smoke", "reference") for name in ("table1", "fig1")]
    found = [[str(path.relative_to(tmp_path)) for path in artifact.runs] for artifact in both]
    assert all("results/reference/smoke/toy/fit/bundled/plain.parquet" in files for files in found)
    assert all(len(set(files)) == len(files) for files in found)


@pytest.fixture
def drawn(toy, tmp_path):
    """A drawing whose files are there, made at some scale."""

    def draw(scale: str = "quick", text: str | None = None) -> Artifact:
        made = toy().artifact("toy/table1", "quick", "reference")
        for file in made.files:
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).write_text(json.dumps({"drawn_at": scale}) if text is None else text)
        return made

    return draw


def test_a_drawing_at_another_scale_is_not_the_one_asked_for(drawn):
    assert drawn("quick").is_drawn and not drawn("paper").is_drawn


@pytest.mark.parametrize("end", ["pdf", "png", "csv", "md", "tex", "rst", "json"])
def test_a_missing_file_means_that_it_is_not_drawn(tmp_path, drawn, end):
    made = drawn()
    (tmp_path / f"{made.stem}.{end}").unlink()
    assert not made.is_drawn


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"drawn_at": 1}', "nonsense"])
def test_a_sidecar_that_says_nothing_means_that_it_is_not_drawn(drawn, text):
    assert not drawn(text=text).is_drawn


def test_whether_there_are_runs(toy, tmp_path):
    papers = toy()
    made = papers.artifact("toy/table1", "quick", "run")
    assert not made.has_runs
    cell = find_cells(papers, "toy/fit/line/plain", "quick")[0]
    run_cell(cell, papers.function(cell), tmp_path)
    assert made.has_runs and not papers.artifact("toy/table1").has_runs
