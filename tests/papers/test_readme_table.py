"""The README's table of papers: counted from the drawings, written between two marks, checked."""

from __future__ import annotations

import shutil

import pytest

from core.errors import UserError
from papers.commands.readme import BEGIN, END, check_causes, verdicts

TEXT = f"# A title\n\n{BEGIN}\nold\n{END}\n\nThe rest.\n"


@pytest.fixture
def path(papers, tmp_path, monkeypatch):
    """The README of a repository whose shipped runs are all drawn."""
    monkeypatch.setattr("core.report.draw.render", lambda *_, **__: {"pdf": b"%PDF", "png": b"PNG"})
    assert papers("run", "toy")[0] == 0
    shutil.copytree(tmp_path / "results" / "run", tmp_path / "results" / "reference")
    assert papers("draw", "toy")[0] == 0
    (tmp_path / "README.md").write_text(TEXT)
    return tmp_path / "README.md"


def sidecar(kinds=(), claims=()):
    cells = [
        {"row": str(n), "column": "x", "published": None, "verdict": {"kind": kind, "reduced": False}}
        for n, kind in enumerate(kinds)
    ]
    table = {"title": "", "rows": [str(n) for n in range(len(kinds))], "columns": ["x"], "cells": cells}
    judged = [dict(zip(("holds", "part", "reproduced"), read(told), strict=True)) for told in claims]
    claims = [{**each, "kind": "claim", "reduced": True} for each in judged]
    return {"table": table if kinds else None, "repeats": None, "claims": claims}


def read(told):
    """An outcome, after a colon the one on our part, and after a slash the one on the authors' data."""
    replicated, _, reproduced = told.partition("/")
    outcome, _, part = replicated.partition(":")
    return outcome, part, {"holds": reproduced, "part": ""} if reproduced else None


@pytest.mark.parametrize(
    "sidecars, words",
    [
        ([], ""),
        ([sidecar(["worse"])], "1 cell worse"),
        ([sidecar(["worse", "reproduced", "worse"])], "1 cell reproduced, 2 worse"),
        ([sidecar(["inconclusive", "inconclusive", "not published"])], "2 cells open"),
        ([sidecar(["equal", "not run"]), sidecar(["differs"])], "1 cell equal, 1 differs, 1 not run"),
        ([sidecar(claims=["holds"])], "1 claim holds"),
        ([sidecar(claims=["fails"])], "1 claim fails"),
        ([sidecar(claims=["not run", "inconclusive", "holds", "holds"])], "2 claims hold, 1 open, 1 not run"),
        ([sidecar(["differs", "differs"], ["fails", "fails", "holds"])], "2 cells differ; 1 claim holds, 2 fail"),
        ([sidecar(claims=["fails", "holds", "holds"])], "2 claims hold, 1 fails"),
        ([sidecar(["better"], ["fails", "fails"])], "1 cell better; 2 claims fail"),
        (
            [sidecar(claims=["holds", "outside:fails", "outside:inconclusive", "outside"])],
            "1 claim holds, 3 outside; of those outside on our part 1 fails, 1 open, 1 have nothing of ours",
        ),
        (
            [sidecar(claims=["fails/holds", "holds/holds", "holds"])],
            "2 claims hold, 1 fails; on the authors' data 2 claims hold",
        ),
        ([sidecar(claims=["not run/fails"])], "1 claim not run; on the authors' data 1 claim fails"),
    ],
)
def test_counts_in_words(sidecars, words):
    assert verdicts(sidecars) == words


def test_cells_of_the_authors_data_are_counted_apart():
    made = sidecar(["worse", "equal"])
    made["table"] |= {"columns": ["x", "theirs"], "reproduced_columns": ["theirs"]}
    theirs = [{**cell, "column": "theirs", "verdict": {"kind": "differs"}} for cell in made["table"]["cells"]]
    made["table"]["cells"] += theirs
    assert verdicts([made]) == "1 cell worse, 1 equal; on the authors' data 2 cells differ"


def test_claims_at_the_full_protocol_are_counted_apart():
    made = sidecar(claims=["holds", "fails", "holds"])
    made["claims"][0]["reduced"] = False
    assert verdicts([made]) == "2 claims hold, 1 fails; at the full protocol 1 holds"


def test_numbers_that_another_artifact_repeats_are_counted_once():
    made = sidecar(["worse", "worse"], ["fails"])
    assert verdicts([made, {**made, "repeats": "table1"}]) == "2 cells worse; 2 claims fail"


CAUSE = {"kind": "our code", "evidence": "a run of the authors' code"}


@pytest.mark.parametrize(
    "outcome, headline, cause, words",
    [
        ("fails", True, None, "a headline without a cause"),
        ("outside:fails", True, None, "a headline without a cause"),
        ("holds", True, CAUSE, "with a cause"),
        ("outside:holds", False, CAUSE, "with a cause"),
        ("fails", False, None, None),
        ("fails", True, CAUSE, None),
        ("inconclusive", True, None, None),
        ("inconclusive", True, CAUSE, "with a cause"),
        ("not run", True, CAUSE, None),
        ("not run", True, None, None),
        ("holds/fails", True, None, "a headline without a cause"),
        ("holds/fails", True, CAUSE, None),
    ],
)
def test_a_headline_that_fails_has_a_cause_and_nothing_else_has_one(outcome, headline, cause, words):
    made = {**sidecar(claims=[outcome]), "paper": "toy", "artifact": "fig1"}
    made["claims"][0] |= {"id": "it_falls", "headline": headline, "cause": cause}
    if words is None:
        return check_causes([made])
    with pytest.raises(UserError, match=f"toy/fig1: it_falls: {read(outcome)[0]}.*{words}"):
        check_causes([made])


def test_written_and_checked(papers, refused, path):
    assert "its table of papers is out of date; python -m papers readme writes it" in refused("readme", "--check")
    assert path.read_text() == TEXT
    assert papers("readme")[:2] == (0, "wrote README.md")
    written = path.read_text()
    assert "| [toy](toypapers/toy/README.md) | A toy [paper] with brackets | 2 | 4 cells" in written
    assert written.startswith("# A title\n") and written.endswith("\nThe rest.\n") and "old" not in written
    assert papers("readme", "--check")[:2] == papers("readme")[:2] == (0, "README.md is up to date")
    assert path.read_text() == written


def test_the_images_are_copies_of_drawings(papers, refused, path, tmp_path):
    shown = tmp_path / "figures/readme/table1.png"
    shown.parent.mkdir()
    shown.write_bytes(b"of last year")
    papers("readme")
    assert shown.read_bytes() == (tmp_path / "figures/toy/table1.png").read_bytes() == b"PNG"
    assert papers("readme", "--check")[0] == 0
    shown.write_bytes(b"of last year")
    assert "table1.png: is not today's drawing; python -m papers readme copies it" in refused("readme", "--check")


def test_drawings_must_be_there_and_of_today(refused, path, tmp_path):
    (tmp_path / "figures/toy/fig1.json").unlink()
    assert "must be drawn first, by snakemake: toy/fig1" in refused("readme")
    published = tmp_path / "toypapers/toy/published/table1.csv"
    published.write_text(published.read_text().replace("plain,line,0.0", "plain,line,0.5"))
    assert "must be drawn first, by snakemake: toy/table1, toy/fig1" in refused("readme", "--check")
    assert path.read_text() == TEXT


def test_a_readme_without_a_place_for_it(refused, path):
    path.write_text("# A title\n")
    assert "README.md: no place for the table of papers" in refused("readme")
