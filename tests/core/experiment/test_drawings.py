"""Drawings: what they depend on, and whether they are up to date."""

from __future__ import annotations

import json

import pytest

from core.experiment.drawings import Drawing, digest_of_page, drawing, is_current, state_of
from core.experiment.runner import run_cell
from core.experiment.sources import PUBLISHED_RUNS, Sources
from core.report.draw import draw_artifact
from tests.conftest import ROOT


def state(catalogue, name="toy/table1", scale="quick", source="reference") -> str:
    return state_of(catalogue, drawing(catalogue, name, scale, source))


def test_files_stand_apart_by_source():
    shipped, own = (Drawing("toy", "fig1", "figure", "quick", source) for source in ("reference", "run"))
    assert shipped.files == ["figures/toy/fig1.pdf", "figures/toy/fig1.png", "figures/toy/fig1.json"]
    assert own.files == ["figures/own/toy/fig1.pdf", "figures/own/toy/fig1.png", "figures/own/toy/fig1.json"]


@pytest.mark.parametrize(
    "old, new, changed",
    [
        ("points: 5", "points: 6", True),
        ("title: Means of draws", "title: Means", True),
        ("note: a note", "note: a notice", True),
        ("{runs: 3,", "{runs: 4,", True),
        ("cut: 3 runs}", "cut: three runs}", True),
        ("paper: {runs: 25}", "paper: {runs: 26}", False),
        ("title: The draws", "title: Draws", False),
        ("settings: {points: 1}", "settings: {points: 3}", False),
    ],
)
def test_the_state_of_a_table_covers_what_paper_yaml_says_of_it(toy, edit, old, new, changed):
    before = state(toy())
    edit(old, new)
    assert (state(toy()) != before) == changed


def test_the_state_tells_scales_and_sources_apart(toy):
    states = {
        state(toy(), scale=scale, source=source) for scale in ("quick", "paper") for source in ("reference", "run")
    }
    assert len(states) == 4


MARKED = """@claim(artifact="{artifact}", place="Table 1", sentence="It wins everywhere.")
def wins_{artifact}(results): ...
"""


@pytest.mark.parametrize(
    "file, changed",
    [
        ("artifacts/estimates.py", True),
        ("artifacts/other.py", False),
        ("claims/tables.py", True),
        ("claims/figures.py", False),
        ("claims/broken.py", True),
        ("grid.py", True),
        ("published/table1.csv", True),
        ("published/other.csv", False),
    ],
)
def test_the_state_covers_the_code_and_the_numbers_of_the_artifact_alone(toy, tmp_path, file, changed):
    folder = tmp_path / "toypapers" / "toy"
    (folder / "claims").mkdir()
    texts = {
        "grid.py": "",
        "artifacts/other.py": "",
        "claims/tables.py": MARKED.format(artifact="table1"),
        "claims/figures.py": MARKED.format(artifact="fig1"),
        "claims/broken.py": "def f(:\n",
        "published/other.csv": "",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    with open(folder / "artifacts" / "estimates.py", "a") as stream:
        stream.write("from toypapers.toy.grid import *")
    before = state(toy())
    with open(folder / file, "a") as stream:
        stream.write("\n")
    assert (state(toy()) != before) == changed


def test_a_claim_that_is_added_or_is_about_another_artifact_changes_the_state(toy, tmp_path):
    folder = tmp_path / "toypapers" / "toy" / "claims"
    before = state(toy())
    folder.mkdir()
    (folder / "tables.py").write_text(MARKED.format(artifact="table1"))
    second = state(toy())
    (folder / "tables.py").write_text(MARKED.format(artifact="fig1"))
    assert len({before, second}) == 2 and state(toy()) == before


def test_the_state_covers_the_library_that_draws(toy, tmp_path):
    before = state(toy())
    (tmp_path / "core" / "report").mkdir(parents=True)
    (tmp_path / "core" / "report" / "draw.py").write_text("from core.report import style")
    second = state(toy())
    (tmp_path / "core" / "report" / "style.py").write_text("")
    assert len({before, second, state(toy())}) == 3


@pytest.mark.parametrize("name", ["comparison.py", "page/__init__.py", "page/page.html", "page/page.css"])
def test_the_page_depends_on_its_code_markup_and_style(toy, tmp_path, name):
    folder = tmp_path / "core" / "report"
    (folder / "page").mkdir(parents=True)
    (folder / "comparison.py").write_text("from core.report.page import render_page")
    for file in ("page/__init__.py", "page/page.html", "page/page.css"):
        (folder / file).touch()
    before = digest_of_page(toy())
    assert digest_of_page(toy()) == before
    with open(folder / name, "a") as stream:
        stream.write("\n")
    assert digest_of_page(toy()) != before


def test_the_state_covers_the_published_runs_that_the_artifact_reads(toy, tmp_path):
    module, file = (tmp_path / "toypapers/toy" / name for name in ("artifacts/estimates.py", "published/runs.csv"))
    module.write_text(module.read_text() + '\n\ndef authors():\n    return published_runs("toy/runs")\n')
    states = [state(toy())]
    for content in ("1", "22", "22"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(content)
        states.append(state(toy()))
    assert len(set(states)) == 3 and states[2] == states[3]


def test_all_published_runs_that_are_read_are_there_and_found():
    files = [file for folder in ("papers", "core/report") for file in (ROOT / folder).rglob("*.py")]
    texts = [file.read_text(encoding="utf-8") for file in files]
    found = {name for text in texts for name in PUBLISHED_RUNS.findall(text)}
    calls = sum(text.count("published_runs(") - text.count("def published_runs(") for text in texts)
    assert calls == sum(len(PUBLISHED_RUNS.findall(text)) for text in texts) > 0
    there = {f"{file.parts[-3]}/{file.stem}" for file in (ROOT / "papers").glob("*/published/*_runs.csv")}
    assert found == there


def test_what_runs_is_not_what_draws(toy, tmp_path):
    before = state(toy())
    with open(tmp_path / "toypapers" / "toy" / "experiments" / "fit.py", "a") as stream:
        stream.write("# another word")
    assert state(toy()) == before


def test_a_new_run_makes_the_drawing_outdated(toy, tmp_path):
    catalogue = toy()
    drawn = drawing(catalogue, "toy/table1", "quick", "run")
    draw_artifact(catalogue, drawn)
    assert is_current(catalogue, drawn)
    cell = catalogue.find_cells("toy/fit/line/plain", "quick")[0]
    run_cell(cell, catalogue.function(cell), tmp_path)
    assert not is_current(catalogue, drawn)
    draw_artifact(catalogue, drawn)
    assert is_current(catalogue, drawn)


@pytest.mark.parametrize("end", ["pdf", "png", "csv", "md", "tex", "json"])
def test_a_missing_file_makes_the_drawing_outdated(toy, tmp_path, end):
    catalogue = toy()
    drawn = drawing(catalogue, "toy/table1", "quick", "reference")
    for file in drawn.files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    sidecar = tmp_path / f"{drawn.stem}.json"
    sidecar.write_text(json.dumps({"state": state_of(catalogue, drawn)}))
    assert is_current(catalogue, drawn)
    (tmp_path / f"{drawn.stem}.{end}").unlink()
    assert not is_current(catalogue, drawn)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"state": 1}', "nonsense"])
def test_a_sidecar_that_says_nothing_makes_the_drawing_outdated(toy, tmp_path, text):
    catalogue = toy()
    drawn = drawing(catalogue, "toy/table1", "quick", "reference")
    for file in drawn.files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    assert not is_current(catalogue, drawn)


def test_sources_follow_every_form_of_import(tmp_path):
    code = {
        "a/__init__.py": "",
        "a/one.py": "import numpy, a.two\nfrom a.deep import (\n  three,  # why\n)\ndef f():\n  from a import four\n",
        "a/two.py": "import a.one as one\n",
        "a/deep/__init__.py": "from a.deep.five import x\n",
        "a/deep/three.py": "",
        "a/deep/five.py": "",
        "a/four.py": "",
        "a/unused.py": "",
    }
    for name, text in code.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = {str(file.relative_to(tmp_path)) for file in Sources(tmp_path).behind(["a.one"])}
    assert found == set(code) - {"a/unused.py"}
