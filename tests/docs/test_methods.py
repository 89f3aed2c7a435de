"""Every method has a page with all of its parts, and the program on it runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.study.methods import METHODS
from docs.pages.__main__ import order
from docs.pages.capabilities import Capabilities
from docs.pages.methods import FOLDER, cost, example, page_of, text, users, written

ROOT = Path(__file__).resolve().parents[2]
QUICK = {
    "random",
    "tpe",
    "optuna_tpe",
    "successive_halving",
    "hyperband",
    "bohb",
    "cmaes",
    "regularized_evolution",
    "reinforce",
}
PARTS = [
    "When to use it",
    "Example",
    "What it can do",
    "Settings",
    "Seconds of a suggestion",
    "Papers here that run it",
    "Where it comes from",
]


def test_every_method_and_nothing_else_is_written_of():
    assert {path.stem for path in (ROOT / FOLDER).glob("*.md")} == set(METHODS)
    (listed,) = [section["Methods"] for section in order(ROOT) if "Methods" in section]
    assert listed[1:] == [page_of(name) for name in METHODS]


@pytest.mark.parametrize("name", METHODS)
def test_a_page_has_all_parts(name):
    page = text(ROOT, name)
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert headings[: len(PARTS)] == PARTS and set(headings[len(PARTS) :]) == {"How it is done here"}
    said = written(ROOT, name)
    assert page.startswith(f"# {said.title}\n") and said.papers and len(said.text.split()) > 40
    assert not re.search(r"\b(nan|None s)\b", page.partition("## Settings")[0])


def runs(name: str) -> object:
    return name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)


@pytest.mark.parametrize("name", [runs(name) for name in METHODS])
def test_its_program_runs(name, capsys):
    can = Capabilities(name)
    if can.optimizer is None:
        pytest.skip(f"needs {can.rows['Package to install']}")
    program = example(can, written(ROOT, name))
    assert f'"{name}"' in program
    names: dict[str, object] = {}
    exec(program, names)
    found = names["result"].best_configuration
    assert str(found) in capsys.readouterr().out
    assert abs(found.get("x", 1) - (0.3 if name == "hyperband_lcnet" else 1)) < 3 and found.get("n", 3) in (
        1,
        2,
        3,
        4,
        5,
    )


def test_costs_come_from_shipped_runs():
    assert re.search(
        r"library's settings: 0\.\d+ to 0\.\d+, median 0\.\d+ \(processor time, \d+ runs of", cost(ROOT, "gp")
    )
    assert "| bohamiann/synthetic | 0." in cost(ROOT, "bohamiann")
    assert cost(ROOT, "successive_halving").count("not measured") == 2


def test_papers_that_run_a_method():
    assert "[bohb](../../papers/bohb/README.md): `" in users(ROOT, "bohb")
    assert users(ROOT, "successive_halving") == "No paper here runs it."


def test_a_page_without_a_head_is_an_error(tmp_path):
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "x.md").write_text("# X\n")
    with pytest.raises(ValueError, match=r"docs/methods/x\.md has no head; allowed: title, use and papers"):
        written(tmp_path, "x")
