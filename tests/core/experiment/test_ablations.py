"""Runs with settings changed by hand: found, named after the change, and drawn as further methods."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.experiment.ablations import find_ablations
from core.experiment.drawings import Drawing
from core.experiment.results import results_of
from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.experiment.storage import ResultFileError

CELL = "toy/fit/line/noisy"
TABLE = Drawing("toy", "table1", "table", "quick", "run")


def make(catalogue, **overrides):
    (cell,) = find_cells(catalogue, CELL, "quick", overrides=overrides)
    run_cell(cell, catalogue.function(cell), catalogue.root)
    return cell


def found(catalogue, name: str = "toy"):
    return find_ablations(catalogue, find_cells(catalogue, name, "quick"), "quick")


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
        catalogue = toy()
        made = make(catalogue, **overrides)
        (again,) = found(catalogue)
        assert again.path(catalogue.root) == made.path(catalogue.root)
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
        catalogue = toy()
        make(catalogue, points=7)
        assert found(catalogue, "toy/fit/line/plain") == []
        assert len(found(catalogue, "toy/fit/line")) == 1
        assert find_ablations(catalogue, find_cells(catalogue, "toy", "paper"), "paper") == []

    def test_other_settings_than_todays_are_seen(self, toy, edit):
        made = make(toy(), points=7)
        edit("noisy: {noise: 0.5}", "noisy: {noise: 0.25}")
        (again,) = found(toy())
        assert (again.settings.points, again.settings.noise) == (7, 0.25)
        assert again.settings_hash != made.settings_hash

    def test_a_damaged_file_stops_with_its_name(self, toy):
        catalogue = toy()
        path = make(catalogue, points=7).path(catalogue.root)
        path.write_bytes(path.read_bytes()[:-9])
        with pytest.raises(ResultFileError, match=r"noisy\.parquet"):
            found(catalogue)


class TestResults:
    def test_they_are_further_methods(self, toy):
        catalogue = toy()
        make(catalogue)
        make(catalogue, points=7)
        make(catalogue, points=2, slope=3.0)
        with_them = results_of(catalogue, replace(TABLE, ablations=True))
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
        catalogue = toy()
        make(catalogue)
        make(catalogue, points=7)
        with_them = results_of(catalogue, replace(TABLE, ablations=True))
        plain = results_of(catalogue, TABLE)
        assert (
            set(with_them.without_ablations().frame("fit")["method"]) == set(plain.frame("fit")["method"]) == {"noisy"}
        )
        assert plain.without_ablations() is plain

    def test_short_ones_do_not_reduce_the_drawing(self, toy):
        catalogue = toy()
        for overrides, runs in (({}, 25), ({"points": 7}, 2)):
            (cell,) = find_cells(catalogue, CELL, "paper", runs=runs, overrides=overrides)
            run_cell(cell, catalogue.function(cell), catalogue.root)
        assert not results_of(catalogue, replace(TABLE, scale="paper", ablations=True)).reduced
