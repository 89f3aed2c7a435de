"""A paper that cannot be read or imported: its own commands fail, in one line that names the file, and no others."""

from __future__ import annotations

import re
import shutil

import pytest

from core.experiment.selection import find_cells
from core.experiment.workflow import Workflow
from core.foundation.errors import UserError


@pytest.fixture
def beside(toy, tmp_path):
    """Folder of a second paper, `again`, with the toy's experiments and artifacts."""
    folder = tmp_path / "toypapers" / "again"
    shutil.copytree(tmp_path / "toypapers" / "toy", folder, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / "paper.yaml").read_text()
    text = text.replace("paper: toy", "paper: again").replace("short_names: [table1, fig1]\n", "")
    (folder / "paper.yaml").write_text(text)
    return folder


def write(name: str, text: str):
    return lambda folder: (folder / name).write_text(text)


def remove(name: str):
    return lambda folder: (folder / name).unlink()


def edit_yaml(old: str, new: str):
    return lambda folder: (folder / "paper.yaml").write_text((folder / "paper.yaml").read_text().replace(old, new))


BROKEN = [
    (remove("settings.py"), "toypapers/again/settings.py: missing; each paper has one"),
    (
        write("settings.py", "\n\nimport tourch\n"),
        "toypapers/again/settings.py, line 3: the Python package 'tourch'",
    ),
    (write("settings.py", "\nx = 1 / 0\n"), "toypapers/again/settings.py, line 2: ZeroDivisionError: division by"),
    (write("settings.py", "def f(:\n"), "toypapers/again/settings.py, line 1: SyntaxError: invalid syntax"),
    (
        write("settings.py", "from core.foundation.errors import No\n"),
        "toypapers/again/settings.py, line 1: ImportError: cannot",
    ),
    (write("settings.py", "import core.nowhere\n"), "toypapers/again/settings.py, line 1: ModuleNotFoundError: No mod"),
    (write("settings.py", "import toypapers.gone\n"), "toypapers/again/settings.py, line 1: ModuleNotFoundError: No"),
    (write("paper.yaml", "paper: [again"), "toypapers/again/paper.yaml: not valid YAML"),
    (edit_yaml("noise: 0.5", "noise: 2"), "toypapers/again/paper.yaml: experiments.fit.methods.noisy.noise = 2: Inp"),
]


@pytest.mark.parametrize("damage, message", BROKEN)
def test_one_line_for_the_broken_paper_and_nothing_for_the_others(toy, beside, tmp_path, damage, message):
    damage(beside)
    papers = toy()
    assert len(find_cells(papers, "toy", "paper")) == 5
    assert papers.artifact("toy/table1").name == "toy/table1"
    for call in (lambda: find_cells(papers, "again/fit", "paper"), lambda: papers.artifact("again/fig1")):
        with pytest.raises(UserError) as caught:
            call()
        assert str(caught.value).replace(f"{tmp_path}/", "").startswith(message)
        assert "\n" not in str(caught.value)


def uses(papers, paper: str) -> dict:
    """What asks for a function of each folder."""
    (cell,) = find_cells(papers, f"{paper}/count", "paper")
    return {
        "experiments": lambda: papers.function(cell),
        "artifacts": lambda: papers.paper(paper).artifact("table1").function,
    }


@pytest.mark.parametrize(
    ("role", "files", "place"),
    [
        ("experiments", ["experiments.py"], "experiments.py"),
        ("artifacts", ["figures.py", "tables.py"], "{figures,tables}.py"),
    ],
)
def test_a_module_that_is_needed_only_later(toy, beside, role, files, place):
    for file in files:
        (beside / file).unlink()
    papers = toy()
    assert len(find_cells(papers, "again", "paper")) == 5
    with pytest.raises(UserError, match=f"^{re.escape(f'toypapers/again/{place}')}: missing; each paper has one$"):
        uses(papers, "again")[role]()
    assert uses(papers, "toy")[role]()


def test_a_function_that_two_modules_define(toy, beside):
    write("figures.py", "def table1(results, published):\n    return 1\n")(beside)
    with pytest.raises(UserError, match=r"^toypapers/again: figures\.py and tables\.py each define 'table1'"):
        uses(toy(), "again")["artifacts"]()


def test_a_package_of_functions_and_an_error_in_one_of_its_modules(toy, beside):
    """An error in one module is not that of the others."""
    (beside / "figures.py").unlink()
    (beside / "figures").mkdir()
    write("figures/another.py", "import tourch\n\n\ndef fig9(results, published):\n    return 1\n")(beside)
    write("figures/curves.py", "def fig1(results, published):\n    return 1\n")(beside)
    papers = toy()
    assert papers.paper("again").artifact("table1").function and papers.paper("again").artifact("fig1").function
    with pytest.raises(UserError, match=r"^toypapers/again/figures/another\.py, line 1: the Python package 'tourch'"):
        papers.paper("again").functions("artifacts")["fig9"]


def test_an_error_below_the_paper_names_the_file_where_it_is(toy, beside):
    write("grid.py", "import math\nmath.nothing\n")(beside)
    write("tables.py", "from toypapers.again import grid\n\n\ndef table1(results, published): ...\n")(beside)
    with pytest.raises(UserError, match=r"^toypapers/again/grid\.py, line 2: AttributeError: module 'math' has no"):
        uses(toy(), "again")["artifacts"]()


def test_commands_about_all_papers_say_it_after_their_work(papers, beside):
    remove("settings.py")(beside)
    status, output, error = papers("list")
    assert status == 2
    assert "A toy [paper] with brackets" in output
    assert error.startswith("error: toypapers/again/settings.py: missing")
    assert papers("list", "toy/fit")[::2] == (0, "")
    assert papers("list", "again")[0] == 2
    assert papers("compare", "again")[2].startswith("error: toypapers/again/settings.py: missing")


def test_snakemake_refuses_targets_of_the_broken_paper_alone(toy, beside, tmp_path, monkeypatch):
    remove("settings.py")(beside)
    monkeypatch.setattr("core.experiment.workflow.Papers", lambda root: toy())
    said = []
    flow = Workflow({}, tmp_path, said.append)
    assert list(flow.papers.valid) == ["toy"]
    assert [warning.split(":")[0] for warning in said] == ["left out"]
    with pytest.raises(UserError, match=r"^toypapers/again/settings\.py: missing"):
        flow.require_all()
    for target in ("again", "figures/again/table1.pdf", "results/run/smoke/again/fit/line/plain.parquet"):
        with pytest.raises(UserError, match=r"^toypapers/again/settings\.py: missing"):
            flow.check(target)
