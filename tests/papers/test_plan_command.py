"""`python -m papers plan`: what is recorded, scaled up, or unknown, and what is done or lacking."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.experiment.costs import PROPORTIONAL
from core.experiment.paper import Papers
from papers.__main__ import main

CELL = "toy/fit/line/plain"
ROOT = Path(__file__).resolve().parents[2]


def test_what_was_never_run_is_unknown(papers):
    status, output, _ = papers("plan", "--scale", "paper")
    assert status == 0
    assert "toy 5 unknown unknown unknown unknown fit 4 unknown" in output
    assert "toy/fit: 4 unknown toy/count: 1 unknown 5 jobs: 0 recorded, 0 scaled up, 5 unknown" in output
    assert "≥: without the 5 unknown" in output


def test_what_was_run_is_recorded_and_done(papers):
    papers("run", "toy/fit")
    status, output, _ = papers("plan", "toy/fit")
    assert status == 0 and "unknown" not in output.partition("jobs:")[0] and "≥" not in output and "~" not in output
    assert "toy/fit:" not in output, "a line only for what was not recorded"
    assert "4 jobs: 4 recorded, 0 scaled up, 0 unknown; recorded on " in output
    assert "4 of them are finished in results/run; 0 are left: 0 core-hours" in output


def test_another_scale_is_scaled_up_by_its_runs(papers):
    papers("run", CELL)
    _, output, _ = papers("plan", CELL, "--scale", "paper")
    assert f"{CELL.rpartition('/line')[0]}: 1 by runs ×8.33 1 job: 0 recorded, 1 scaled up" in output
    assert "recorded seconds and bytes times the ratios above" in output and "finished" not in output


def test_settings_of_unknown_cost_are_named(papers, edit):
    papers("run", "toy/fit")
    edit("points: 5", "points: 6")
    _, output, _ = papers("plan", "toy/fit", "toy/count")
    assert "fit 4 ~ 0.01 ~ 0.01 ~ " in output and "toy 5 ≥~ 0.01 " in output
    assert "toy/fit: 4 by runs ×1, without points toy/count: 1 unknown" in output
    assert "~: 4 of these differ from the recorded runs also in settings whose cost nobody recorded" in output


def test_cells_that_several_names_match_count_once(papers):
    assert "3 jobs:" in papers("plan", "toy/fit/line", "toy/*/line", CELL)[1]


def test_records_that_are_read_and_neither_here_nor_planned(papers, edit):
    edit("    settings: {points: 1}", "    settings: {points: 1}\n    needs: [fit]\n    attachment: npz")
    edit("smoke: {runs: 1, cut: 1 run}", "smoke: {runs: 1, cut: 1 run, benchmarks: [bundled]}")
    _, output, _ = papers("plan", "toy/count")
    assert "they read records of 2 jobs neither here nor in this plan: toy/fit" in output
    assert "disk is without the files beside the records of 1 job, which are not here" in output
    assert "they read" not in papers("plan", "toy")[1]
    papers("run", "toy/fit/line")
    assert "they read" not in papers("plan", "toy/count")[1]


@pytest.mark.parametrize("name", ["toi", "toy/fitt", "toy/fit/*/plane"])
def test_unknown_names(refused, name):
    assert "did you mean" in refused("plan", name)


def test_shipped_runs_are_on_a_narrow_screen(capsys, monkeypatch):
    """The full protocol of a paper whose runs are all shipped, whether or not somebody has run it here."""
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["plan", "background", "bohamiann/uci", "--scale", "paper"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = lines[: lines.index("")]
    assert len(table) == 8 and max(map(len, table)) <= 80 and "…" not in "".join(table)
    assert any(line.startswith("35 jobs: 35 recorded, 0 scaled up, 0 unknown; recorded on ") for line in lines)


def test_settings_in_proportion_exist():
    """A name that no experiment and no method has any more would never count."""
    papers, names = Papers(ROOT), set()
    for paper in papers.valid.values():
        for cell in (cell for each in paper.experiments for cell in paper.cells(each, "paper")):
            settings = cell.settings.model_dump(mode="json")
            method = settings.get("method")
            names |= settings.keys() | (method.keys() if isinstance(method, dict) else set())
    assert set(PROPORTIONAL) <= names
