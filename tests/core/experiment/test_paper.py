"""Papers: cells and artifacts by name, with the nearest names for mistyped ones."""

from __future__ import annotations

import shutil

import pytest

from core.experiment.results import results_of
from core.experiment.selection import find_cells
from core.foundation.errors import UnknownNameError, UserError

SHORT = "short_names: [table1, fig1]\n"


def add_paper(tmp_path, name: str) -> None:
    """A second paper with the toy's experiments and artifacts."""
    folder = tmp_path / "toypapers" / name
    shutil.copytree(tmp_path / "toypapers" / "toy", folder)
    text = (folder / "paper.yaml").read_text()
    (folder / "paper.yaml").write_text(
        text.replace("paper: toy", f"paper: {name}").replace("fig1:", "fig2:").replace(SHORT, "")
    )


def names(cells) -> list[str]:
    return [cell.name for cell in cells]


@pytest.mark.parametrize(
    "name, count",
    [("toy", 5), ("toy/fit", 4), ("toy/fit/line", 2), ("toy/fit/line/plain", 1), ("toy/count", 1), ("/toy/count/", 1)],
)
def test_a_shorter_name_means_everything_below_it(toy, name, count):
    found = names(find_cells(toy(), name, "paper"))
    assert len(found) == count
    assert all(each.startswith(name.strip("/")) for each in found)


def test_runs_and_settings_by_hand(toy):
    papers = toy()
    [cell] = find_cells(papers, "toy/fit/line/plain", "paper", runs=3, overrides={"points": 8})
    assert (cell.runs, cell.settings.points, cell.overrides) == (3, 8, ("points=8",))
    [plain] = find_cells(papers, "toy/fit/line/plain", "paper", runs=3)
    assert plain.overrides == ()
    assert plain.settings_hash == find_cells(papers, "toy/fit/line/plain", "paper")[0].settings_hash


@pytest.mark.parametrize(
    "name, message",
    [
        ("toi", "unknown paper 'toi'; did you mean 'toy'?"),
        ("", "unknown paper ''; existing: toy"),
        ("toy/fitt", "unknown experiment of toy 'fitt'; did you mean 'fit'?"),
        ("toy/fit/lin", "unknown benchmark of toy/fit at scale paper 'lin'; did you mean 'line'?"),
        ("toy/fit/bundled", "unknown benchmark of toy/fit at scale paper 'bundled'; existing: curve, line"),
        ("toy/fit/line/noise", "unknown method of toy/fit at scale paper 'noise'; did you mean 'noisy'?"),
        ("toy/fit/line/plain/x", "'toy/fit/line/plain/x': a cell is named paper/experiment/benchmark/method"),
    ],
)
def test_unknown_cells(toy, name, message):
    with pytest.raises(UserError) as caught:
        find_cells(toy(), name, "paper")
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["toy/table1", "table1", "/toy/table1/"])
def test_artifacts_by_full_and_short_name(toy, name):
    assert toy().artifact(name).name == "toy/table1"


@pytest.mark.parametrize(
    "name, message",
    [
        ("tabel1", "unknown artifact 'tabel1'; did you mean 'table1'"),
        ("toy/fig2", "unknown artifact of toy 'fig2'; did you mean 'fig1'"),
        ("toi/fig1", "unknown paper 'toi'; did you mean 'toy'"),
    ],
)
def test_unknown_artifacts(toy, name, message):
    with pytest.raises(UnknownNameError) as caught:
        toy().artifact(name)
    assert str(caught.value).startswith(message)


def test_short_names_are_those_that_are_declared(toy, edit, tmp_path):
    """A paper that has artifacts of the same ids takes nothing from another."""
    add_paper(tmp_path, "again")
    papers = toy()
    assert papers.short_names == {"table1": "toy", "fig1": "toy"}
    assert papers.artifact("table1").name == "toy/table1"
    with pytest.raises(UserError, match=r"artifact 'fig2': no short name; allowed: again/fig2$"):
        papers.artifact("fig2")
    edit(SHORT, "")
    with pytest.raises(UserError, match=r"artifact 'table1': no short name; allowed: again/table1 or toy/table1$"):
        toy().artifact("table1")


def test_a_short_name_stays_while_its_paper_is_broken(toy, tmp_path):
    (tmp_path / "toypapers" / "toy" / "settings.py").write_text("import no_such_module\n")
    add_paper(tmp_path, "again")
    papers = toy()
    assert "toy" in papers.broken and papers.short_names["table1"] == "toy"
    with pytest.raises(UserError, match="no_such_module"):
        papers.artifact("table1")


def test_two_papers_cannot_claim_a_short_name(toy, tmp_path):
    add_paper(tmp_path, "again")
    path = tmp_path / "toypapers" / "again" / "paper.yaml"
    path.write_text(path.read_text().replace("quickstart: fit\n", "quickstart: fit\nshort_names: [table1]\n"))
    with pytest.raises(UserError, match=r"toypapers/toy/paper\.yaml: short_names: toypapers/again/paper\.yaml claims"):
        toy().artifact("table1")


def test_a_short_name_is_that_of_an_artifact(toy, edit):
    edit(SHORT, "short_names: [table2]\n")
    with pytest.raises(UserError, match=r"short_names: \['table2'\] are not artifacts; allowed \['fig1', 'table1'\]"):
        toy().paper("toy")


def test_results_of_an_artifact_cover_its_experiments_at_the_resolved_scale(toy):
    results = results_of(toy().artifact("fig1", "quick", "run"))
    assert len(results.cells) == 5
    assert (results.scale("fit"), results.scale("count")) == ("quick", "paper")


def test_the_function_of_a_cell(toy, edit):
    papers = toy()
    [cell] = find_cells(papers, "toy/count", "paper")
    assert papers.function(cell).__name__ == "fit"
    edit("description: one integer a run\n    function: fit", "description: one\n    function: fitt")
    papers = toy()
    [cell] = find_cells(papers, "toy/count", "paper")
    expected = r"toypapers/toy/paper\.yaml: experiments\.count\.function: 'fitt'; did you mean 'fit'"
    with pytest.raises(UnknownNameError, match=expected):
        papers.function(cell)


def test_of_many_artifacts_a_few_are_named_once_and_where_to_find_the_others(toy, tmp_path):
    """`fig1` and `toy/fig1` are one artifact; those of the other papers go by their full names."""
    for number in range(10):
        add_paper(tmp_path, f"paper{number}")
    with pytest.raises(UnknownNameError) as refused:
        toy().artifact("zzz")
    told = str(refused.value)
    assert told.startswith("unknown artifact 'zzz'; existing: ")
    assert told.count(",") == 10 and "toy/fig1" not in told
    assert told.endswith(" more, see python -m papers list PAPER")
