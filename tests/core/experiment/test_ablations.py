"""Runs with settings changed by hand: found, named after the change, and drawn as further methods."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.experiment.results import results_of
from core.experiment.runner import run_cell
from core.experiment.selection import find_ablations, find_cells
from core.experiment.storage import ResultFileError

CELL = "toy/fit/line/noisy"


def make(papers, **overrides):
    (cell,) = find_cells(papers, CELL, "quick", overrides=overrides)
    run_cell(cell, papers.function(cell), papers.root)
    return cell


def table(papers):
    return papers.artifact("toy/table1", "quick", "run")


def found(papers, name: str = "toy"):
    return find_ablations(papers, find_cells(papers, name, "quick"), "quick")


class TestFinding:
    def test_none_were_run(self, toy):
        assert found(toy()) == []

    @pytest.mark.parametrize(
        "overrides",
        [
            {"points": 7},
            {"slope": -2},
            {"widths": [50, 20], "points": 3},
            {"label": "../../reference"},
            {"label": "a=b"},
        ],
    )
    def test_the_cell_that_was_run(self, toy, overrides):
        """With its path, its settings and its hash, whatever was changed."""
        papers = toy()
        made = make(papers, **overrides)
        (again,) = found(papers)
        assert again.path(papers.root) == made.path(papers.root)
        assert again.settings == made.settings
        assert again.settings_hash == made.settings_hash
        assert again.overrides == made.overrides

    @pytest.mark.parametrize(
        "first, second, folder",
        [
            ({"slope": "1e-3"}, {"slope": 0.001}, "slope=0.001"),
            ({"slope": 2}, {"slope": 2.0}, "slope=2"),
            ({"widths": ["50", 20]}, {"widths": [50, 20]}, None),
        ],
    )
    def test_one_change_has_one_name_however_it_is_written(self, toy, first, second, folder):
        cells = [find_cells(toy(), CELL, "quick", overrides=each)[0] for each in (first, second)]
        assert cells[0].path("") == cells[1].path("") and cells[0].variant == cells[1].variant
        assert folder is None or cells[0].path("").parts[2] == folder

    def test_only_of_the_cells_in_question(self, toy):
        papers = toy()
        make(papers, points=7)
        assert found(papers, "toy/fit/line/plain") == []
        assert len(found(papers, "toy/fit/line")) == 1
        assert find_ablations(papers, find_cells(papers, "toy", "paper"), "paper") == []

    def test_other_settings_than_todays_are_seen(self, toy, edit):
        made = make(toy(), points=7)
        edit("noisy: {noise: 0.5}", "noisy: {noise: 0.25}")
        (again,) = found(toy())
        assert (again.settings.points, again.settings.noise) == (7, 0.25)
        assert again.settings_hash != made.settings_hash

    def test_a_damaged_file_stops_with_its_name(self, toy):
        papers = toy()
        path = make(papers, points=7).path(papers.root)
        path.write_bytes(path.read_bytes()[:-9])
        with pytest.raises(ResultFileError, match=r"noisy\.parquet"):
            found(papers)


class TestResults:
    def test_they_are_further_methods(self, toy):
        papers = toy()
        make(papers)
        make(papers, points=7)
        make(papers, points=2, slope=3.0)
        with_them = results_of(replace(table(papers), ablations=True))
        frame = with_them.frame("fit")
        assert frame.groupby("method").size().to_dict() == {
            "noisy": 3,
            "noisy, points=7": 3,
            "noisy, points=2, slope=3": 3,
        }
        assert set(frame.loc[frame["method"] == "noisy, points=7", "count"]) == {7}
        assert [cell.method for cell in with_them.cells if cell.ablation] == [
            "noisy, points=2, slope=3",
            "noisy, points=7",
        ]

    def test_claims_are_judged_without_them(self, toy):
        papers = toy()
        make(papers)
        make(papers, points=7)
        with_them = results_of(replace(table(papers), ablations=True))
        plain = results_of(table(papers))
        assert (
            set(with_them.without_ablations().frame("fit")["method"]) == set(plain.frame("fit")["method"]) == {"noisy"}
        )
        assert plain.without_ablations() is plain

    def test_short_ones_do_not_reduce_the_drawing(self, toy):
        papers = toy()
        for overrides, runs in (({}, 25), ({"points": 7}, 2)):
            (cell,) = find_cells(papers, CELL, "paper", runs=runs, overrides=overrides)
            run_cell(cell, papers.function(cell), papers.root)
        assert not results_of(replace(table(papers), scale="paper", ablations=True)).reduced
