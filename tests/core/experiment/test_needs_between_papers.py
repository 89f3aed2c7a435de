"""An experiment that reads another paper's records, and an artifact that draws from them."""

from __future__ import annotations

import shutil

import pytest

from core.experiment.results import results_of
from core.experiment.runner import run_cell
from core.experiment.storage import read_records
from core.foundation.errors import UserError
from tests.conftest import PACKAGE
from tests.core.experiment.test_needs import cells, count_rows, run


@pytest.fixture
def another(toy, edit, tmp_path):
    """A papers with a copy of the toy, `other`, whose records the toy's experiment `count` reads."""
    folder = tmp_path / PACKAGE
    shutil.copytree(folder / "toy", folder / "other", ignore=shutil.ignore_patterns("__pycache__"))
    theirs = folder / "other" / "paper.yaml"
    theirs.write_text(
        theirs.read_text().replace("paper: toy\n", "paper: other\n").replace("short_names: [table1, fig1]\n", "")
    )
    edit("    description: one integer a run\n", "    description: one integer a run\n    needs: [other/fit]\n")
    edit("smoke: {runs: 1, cut: 1 run}", "smoke: {runs: 1, cut: 1 run, benchmarks: [bundled]}")
    edit("    experiments: [fit, count]\n", "    experiments: [count, other/fit]\n")
    return toy


def test_records_of_another_paper_are_read_as_its_own(another, tmp_path):
    papers = another()
    files = run(papers, "other/fit", tmp_path)
    (cell,) = cells(papers, "toy/count")
    assert [needed.name for needed in cell.needs] == [f"other/fit/bundled/{method}" for method in ("plain", "noisy")]
    records, notes = read_records(run_cell(cell, lambda c: count_rows(c, "other/fit"), tmp_path, say=[].append))
    assert records["rows"].iloc[0] == 4 and len(files) == 2
    assert set(notes["read"]) == {"other/fit/bundled/plain", "other/fit/bundled/noisy"}
    with pytest.raises(UserError, match=r"reads records of 'fit', but its `needs` in paper.yaml are \['other/fit'\]"):
        run_cell(cell, lambda c: count_rows(c, "fit"), tmp_path / "elsewhere", say=[].append)


def test_an_artifact_draws_from_another_paper(another, tmp_path):
    papers = another()
    run(papers, "other/fit", tmp_path)
    results = results_of(papers.artifact("toy/fig1", "smoke", "run"))
    assert len(results.frame("other/fit")) == 4 and results.scale("other/fit") == "smoke"
    assert [info.name for info in results.cells if info.present] == ["fit/bundled/plain", "fit/bundled/noisy"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[other/fit]", "[nobody/fit]", r"experiments.count.needs: 'nobody/fit': .*nobody"),
        ("[other/fit]", "[other/fits]", r"experiments.count.needs: 'other/fits': .*fits"),
        ("[other/fit]", "[fit, other/fit]", r"experiments.count.needs: 'fit' occurs twice"),
        ("[count, other/fit]", "[count, other/count]", r"artifacts.fig1.experiments: 'count' occurs twice"),
        ("[count, other/fit]", "[count, other/fits]", r"experiment of other .*artifacts.fig1.experiments: .*fits"),
        ("[count, other/fit]", "[count, a/b/c]", r"artifacts.fig1.experiments"),
    ],
)
def test_what_is_not_another_papers_is_refused(another, edit, old, new, message):
    edit(old, new)
    with pytest.raises(UserError, match=message):
        another().paper("toy")


def test_papers_that_need_each_other_are_refused(another, tmp_path):
    theirs = tmp_path / PACKAGE / "other" / "paper.yaml"
    text = theirs.read_text().replace("    description: means of", "    needs: [toy/count]\n    description: means of")
    theirs.write_text(text)
    with pytest.raises(UserError, match="is needed by a paper that it needs; allowed: one way"):
        another().paper("toy")
