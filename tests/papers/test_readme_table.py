"""What the README says of the papers: drawn and counted from the drawings, written between marks, checked."""

from __future__ import annotations

import shutil

import pytest

from core.foundation.errors import UserError
from papers.commands.readme import BEGIN, COMMAND, END, FIGURE, check_causes

BLOCKS = "\n\n".join(f"{BEGIN.format(name, COMMAND)}\nold\n{END}" for name in ("answer", "counts"))
TEXT = f"# A title\n\n{BLOCKS}\n\nThe rest.\n"


@pytest.fixture
def path(papers, tmp_path, monkeypatch):
    """The README of a repository whose shipped runs are all drawn."""
    monkeypatch.setattr("core.report.draw.render", lambda *_, **__: {"pdf": b"%PDF", "png": b"PNG"})
    assert papers("run", "toy")[0] == 0
    shutil.copytree(tmp_path / "results" / "run", tmp_path / "results" / "reference")
    assert papers("draw", "toy")[0] == 0
    (tmp_path / "README.md").write_text(TEXT)
    return tmp_path / "README.md"


def sidecar(claims):
    judged = [dict(zip(("holds", "part", "reproduced"), read(told), strict=True)) for told in claims]
    return {"claims": [{**each, "kind": "claim", "reduced": True} for each in judged]}


def read(told):
    """An outcome, after a colon the one on our part, and after a slash the one on the authors' data."""
    replicated, _, reproduced = told.partition("/")
    outcome, _, part = replicated.partition(":")
    return outcome, part, {"holds": reproduced, "part": ""} if reproduced else None


CAUSE = {"kind": "our code", "evidence": "a run of the authors' code"}


@pytest.mark.parametrize(
    "outcome, headline, cause, words",
    [
        ("fails", True, None, "without a cause"),
        ("outside:fails", True, None, "without a cause"),
        ("holds", True, CAUSE, "with a cause"),
        ("outside:holds", False, CAUSE, "with a cause"),
        ("fails", False, None, "without a cause"),
        ("fails", False, {"kind": "unknown", "evidence": "another seed is alike"}, None),
        ("outside:fails", False, None, None),
        ("holds/fails", False, None, "without a cause"),
        ("fails", True, CAUSE, None),
        ("inconclusive", True, None, None),
        ("inconclusive", True, CAUSE, "with a cause"),
        ("not run", True, CAUSE, None),
        ("not run", True, None, None),
        ("holds/fails", True, None, "without a cause"),
        ("holds/fails", True, CAUSE, None),
    ],
)
def test_a_claim_that_fails_has_a_cause_and_nothing_else_has_one(outcome, headline, cause, words):
    made = {**sidecar([outcome]), "paper": "toy", "artifact": "fig1"}
    made["claims"][0] |= {"id": "it_falls", "headline": headline, "cause": cause}
    if words is None:
        return check_causes([made])
    with pytest.raises(UserError, match=f"toy/fig1: it_falls: {read(outcome)[0]}.*{words}"):
        check_causes([made])


def test_written_and_checked(papers, refused, path, tmp_path):
    words = "its sentences or tables are out of date; python -m papers readme writes them"
    assert words in refused("readme", "--check")
    assert path.read_text() == TEXT
    assert papers("readme")[:2] == (0, f"wrote {FIGURE} wrote README.md")
    written = path.read_text()
    assert written.startswith("# A title\n") and written.endswith("\nThe rest.\n") and "\nold\n" not in written
    assert f"]({FIGURE})" in written and "| [toy](toypapers/toy/README.md)<br><sub>A toy [paper] with" in written
    assert "| **all 2** |" in written
    assert papers("readme", "--check")[:2] == papers("readme")[:2] == (0, "README.md is up to date")
    assert path.read_text() == written
    (tmp_path / FIGURE).write_bytes(b"of last year")
    assert "headlines.png: is out of date; python -m papers readme draws it" in refused("readme", "--check")
    papers("readme")
    assert (tmp_path / FIGURE).read_bytes().startswith(b"\x89PNG")


def test_drawings_must_be_there(refused, path, tmp_path):
    (tmp_path / "figures/toy/fig1.json").unlink()
    assert "must be drawn first, by snakemake: toy/fig1" in refused("readme")
    (tmp_path / "figures/toy/table1.pdf").unlink()
    assert "must be drawn first, by snakemake: toy/table1, toy/fig1" in refused("readme", "--check")
    assert path.read_text() == TEXT


@pytest.mark.parametrize("name", ["answer", "counts"])
def test_a_readme_without_a_place_for_it(refused, path, name):
    path.write_text(TEXT.replace(BEGIN.format(name, COMMAND), ""))
    assert f"README.md: no place for its {name}" in refused("readme")
