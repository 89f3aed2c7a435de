"""The command line over the toy paper: what it says, runs and writes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from core.experiment.finished import shard_file

CELL = "toy/fit/line/plain"
ROOT = Path(__file__).resolve().parents[2]


class TestList:
    def test_a_line_a_paper_and_how_to_see_more(self, papers):
        status, output, _ = papers("list")
        assert status == 0
        assert "paper artifacts drawn cells shipped title toy 2 0 5 0 A toy [paper] with brackets" in output
        assert output.endswith("more: python -m papers list toy, or its cells: python -m papers list toy/fit")

    def test_this_repository_on_one_screen(self):
        done = subprocess.run([sys.executable, "-m", "papers", "list"], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0
        lines = done.stdout.splitlines()
        assert len(lines) <= 16  # 366 once
        assert max(map(len, lines)) <= 100

    def test_experiments_and_artifacts_of_a_paper(self, papers):
        status, output, _ = papers("list", "toy")
        assert status == 0
        for text in (
            "toy A toy [paper] with brackets",
            "fit 4 0 quick means of [normal] draws",
            "count 1 0 paper",
            "table1 figures/toy/table1.pdf no Table 1: Means of draws",
        ):
            assert text in output

    def test_cells_with_what_is_present(self, papers):
        papers("run", CELL, "--scale", "paper", "--runs", "4")
        status, output, _ = papers("list", "toy/fit", "--scale", "paper")
        assert status == 0
        assert "toy/fit/line/plain 25 - 4 runs" in output
        assert "toy/fit/curve/noisy 25 - -" in output

    def test_repetitions_of_an_interrupted_run(self, papers, tmp_path, edit):
        papers("run", CELL, "--scale", "paper", "--runs", "10")
        (made,) = tmp_path.glob("results/run/**/plain.parquet")
        shard = shard_file(made, range(10))
        shard.parent.mkdir()
        made.rename(shard)
        assert "toy/fit/line/plain 25 - 10 of 25 runs" in papers("list", CELL, "--scale", "paper")[1]
        edit("points: 5", "points: 6")
        assert "toy/fit/line/plain 25 - -" in papers("list", CELL, "--scale", "paper")[1]

    def test_names_of_cells_are_whole_on_a_narrow_terminal(self):
        """They are there to be copied."""
        command = [sys.executable, "-m", "papers", "list", "bohb/bandwidth_factor/optdigits"]
        environment = os.environ | {"COLUMNS": "60"}
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
        assert "bohb/bandwidth_factor/optdigits/factor_1 " in done.stdout

    def test_a_run_from_other_settings_is_marked(self, papers, edit):
        papers("run", CELL)
        edit("points: 5", "points: 6")
        assert "toy/fit/line/plain 3 - 3 runs (other settings)" in papers("list", CELL)[1]


class TestDraw:
    def test_by_every_kind_of_name(self, papers, tmp_path):
        names = ("fig1", "toy/table1", "figures/table1.pdf", "figures/own/toy/fig1.png")
        status, output, _ = papers("draw", *names)
        assert status == 0
        drawn = output.removeprefix("drew ").split(" drew ")
        names = ("own/toy/fig1", "toy/fig1", "toy/table1")
        assert sorted(drawn) == [f"figures/{name}.pdf: not run" for name in names]
        assert (tmp_path / "figures/own/toy/fig1.pdf").exists()

    def test_a_file_requested_by_its_short_name_is_there_under_that_name(self, papers, tmp_path):
        assert papers("draw", "figures/table1.csv", "figures/own/fig1.png")[0] == 0
        for short, full in (("table1.csv", "toy/table1.csv"), ("own/fig1.png", "own/toy/fig1.png")):
            assert (tmp_path / "figures" / short).read_bytes() == (tmp_path / "figures" / full).read_bytes()
        assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == ["own", "table1.csv", "toy"]

    def test_own_runs_are_drawn_apart_and_shipped_drawings_stay(self, papers, tmp_path):
        papers("run", CELL)
        papers("draw", "toy", "--source", "reference")
        shipped = {path: path.read_bytes() for path in (tmp_path / "figures/toy").iterdir()}
        assert papers("draw", "toy", "--source", "run")[0] == 0
        assert {path: path.read_bytes() for path in (tmp_path / "figures/toy").iterdir()} == shipped
        text = (tmp_path / "figures/own/toy/table1.md").read_text()
        assert "Own runs, not the shipped ones." in text and "Not run, 3 of 4 cells" in text

    def test_own_runs_are_drawn_without_a_flag_where_none_is_shipped(self, papers, tmp_path):
        assert "own runs" not in papers("draw", "toy")[1]  # nothing has been run
        papers("run", CELL)
        status, output, _ = papers("draw", "table1")
        assert status == 0 and "nothing is shipped for toy/table1: drawn from your own runs" in output
        assert "drew figures/own/toy/table1.pdf" in output
        shipped = tmp_path / "results/reference/quick" / f"{CELL}.parquet"
        shipped.parent.mkdir(parents=True)
        (tmp_path / "results/run/quick" / f"{CELL}.parquet").rename(shipped)
        assert papers("draw", "table1")[1].endswith("drew figures/toy/table1.pdf")

    def test_own_runs_of_another_scale_are_not_those_asked_for(self, papers, tmp_path):
        papers("run", "toy/fit", "--scale", "smoke")
        status, output, message = papers("draw", "table1")
        assert status == 2 and "drew" not in output and not (tmp_path / "figures").exists()
        assert message == (
            "error: toy/table1: was not run at scale quick; your own runs are drawn with --scale smoke\n"
        )
        assert "drew figures/own/toy/table1.pdf" in papers("draw", "table1", "--scale", "smoke")[1]
        assert "drew figures/toy/table1.pdf: not run" in papers("draw", "table1", "--source", "reference")[1]

    def test_one_that_cannot_be_drawn_costs_none_of_the_others(self, papers, tmp_path):
        module = tmp_path / "toypapers/toy/tables.py"
        module.write_text(module.read_text().replace("def table1(", "def another("))
        status, output, error = papers("draw", "toy")
        assert status == 2
        assert error.startswith(
            "error: toy/table1: artifact 'table1': toypapers/toy/{figures,tables}.py: no function of"
        )
        assert "drew figures/toy/fig1.pdf" in output


class TestCompare:
    def test_draws_what_is_named_and_of_all_what_is_missing(self, papers, tmp_path):
        status, output, _ = papers("compare", "table1")
        assert status == 0
        assert "drawing 1 of 1 artifacts first" in output
        assert "wrote figures/comparison.html" in output
        assert not (tmp_path / "figures/toy/fig1.pdf").exists()
        assert "drawing 1 of 2 artifacts first" in papers("compare")[1]
        assert "drawing" not in papers("compare")[1], "Snakemake keeps what is drawn up to date"
        assert "drawing 2 of 2 artifacts first" in papers("compare", "--scale", "paper")[1]
        assert "drawing 1 of 1 artifacts first" in papers("compare", "table1", "--scale", "paper")[1]

    def test_the_page_leaves_out_what_paper_yaml_has_no_more(self, papers, edit, tmp_path):
        papers("compare")
        assert "Means of draws" in (tmp_path / "figures/comparison.html").read_text()
        edit("  table1:\n", "  tableX:\n")
        edit("short_names: [table1, fig1]", "short_names: [fig1]")
        (tmp_path / "toypapers/toy/published/table1.csv").unlink()
        assert papers("compare", "fig1")[0] == 0
        assert "Means of draws" not in (tmp_path / "figures/comparison.html").read_text()

    def test_own_runs_that_are_alone_are_compared_on_their_page(self, papers, tmp_path):
        papers("run", CELL)
        status, output, _ = papers("compare", "table1")
        assert status == 0 and "wrote figures/own/comparison.html" in output
        assert not (tmp_path / "figures/comparison.html").exists()

    def test_own_runs_have_a_page_of_their_own(self, papers, tmp_path):
        assert "wrote figures/own/comparison.html" in papers("compare", "--source", "run")[1]
        assert not (tmp_path / "figures/comparison.html").exists()


class TestAblations:
    @pytest.fixture
    def shipped(self, papers, monkeypatch):
        """The cell, shipped, and an ablation of it."""
        monkeypatch.setattr("core.experiment.provenance.commit", lambda root: "a" * 40)
        papers("run", CELL)
        papers("promote", CELL)
        papers("run", CELL, "--set", "slope=2", "--runs", "2")

    def test_are_listed_behind_their_cell(self, papers, shipped):
        output = papers("list", "toy/fit/line")[1]
        assert re.search(r"toy/fit/line/plain 3 3 runs 3 runs [\d.]+ s with slope=2 3 - 2 runs [\d.]+ s", output)

    def test_are_drawn_beside_the_shipped_runs_under_a_name_of_their_own(self, papers, shipped, tmp_path):
        papers("draw", "toy/table1")
        before = (tmp_path / "figures/toy/table1.pdf").read_bytes()
        status, output, _ = papers("draw", "toy/table1", "--with", "ablation")
        assert status == 0
        assert "drew figures/ablation/toy/table1.pdf" in output
        assert (tmp_path / "figures/toy/table1.pdf").read_bytes() == before
        text = (tmp_path / "figures/ablation/toy/table1.md").read_text()
        assert "| plain (ablation: slope=2) |" in text
        assert "With your own ablations: fit/line/plain, slope=2 (2 runs)." in text
        assert "slope=2" not in (tmp_path / "figures/toy/table1.md").read_text()

    def test_are_drawn_again_by_the_path_that_was_printed(self, papers, shipped, tmp_path):
        assert papers("draw", "figures/ablation/toy/table1.pdf")[:2] == (0, "drew figures/ablation/toy/table1.pdf")
        assert "| plain (ablation: slope=2) |" in (tmp_path / "figures/ablation/toy/table1.md").read_text()
        assert not (tmp_path / "figures/toy").exists()

    def test_there_are_none_to_draw(self, papers):
        papers("run", CELL)
        status, _, error = papers("draw", "toy/table1", "--with", "ablation")
        assert status == 2
        assert error.startswith("error: toy/table1: none of its cells was run with changed settings at scale quick")

    def test_against_shipped_runs(self, papers, shipped):
        status, output, _ = papers("compare", "toy/fit/*/plain", "--against", "reference")
        assert status == 0
        assert "toy/fit/line/plain own run against shipped" in output
        assert "toy/fit/line/plain with slope=2, against shipped" in output
        assert "count 5 5 3 pairs +0 [0, 0] equal" in output
        assert "count 5 5 2 pairs +0 [0, 0] equal" in output

    def test_times_get_no_verdict(self, papers, shipped, edit):
        edit("    settings: {points: 5}\n", "    settings: {points: 5}\n    measured: [count]\n")
        assert "count 5 5 3 pairs +0 [0, 0] measured" in papers("compare", CELL, "--against", "reference")[1]

    def test_nothing_to_compare(self, papers, refused, monkeypatch, tmp_path):
        """The message says which side is missing."""
        monkeypatch.setattr("core.experiment.provenance.commit", lambda root: "a" * 40)
        command = ("compare", "toy/fit/line", "--against", "reference")
        papers("run", CELL)
        assert "toy/fit/line: nothing is shipped at scale quick; see python -m papers list" in refused(*command)
        papers("promote", CELL)
        (tmp_path / "results/run/quick/toy/fit/line/plain.parquet").unlink()
        assert "no own run or ablation at scale quick of a cell that is shipped; make one" in refused(*command)
        papers("run", "toy/fit/line/noisy")
        assert "own runs and ablations, but none at scale quick of a cell that is shipped" in refused(*command)


class TestPromote:
    def test_refused_before_anything_is_copied(self, papers, refused, tmp_path):
        """One cell of two is finished; neither is promoted."""
        papers("run", CELL)
        assert "toy/fit/line/plain.parquet was made by uncommitted code" in refused("promote", CELL)
        assert "noisy.parquet does not exist" in refused("promote", "toy/fit/line/noisy")
        assert not (tmp_path / "results/reference").exists()

    def test_a_finished_cell_of_committed_code(self, papers, tmp_path, monkeypatch):
        monkeypatch.setattr("core.experiment.provenance.commit", lambda root: "a" * 40)
        papers("run", CELL)
        status, output, _ = papers("promote", CELL)
        assert status == 0
        assert "promoted results/reference/quick/toy/fit/line/plain.parquet" in output
        assert "toy/fit/line/plain 3 3 runs 3 runs" in papers("list", CELL)[1]


def test_quickstart_runs_an_experiment_of_every_paper(papers, tmp_path):
    assert papers("quickstart")[0] == 0
    made = sorted(path.name for path in (tmp_path / "results/run/smoke/toy/fit/bundled").glob("*.parquet"))
    assert made == ["noisy.parquet", "plain.parquet"]


def test_quickstart_keeps_files_of_more_repetitions(papers, tmp_path):
    papers("run", "toy/fit/bundled/plain", "--scale", "smoke", "--runs", "15")
    status, output, _ = papers("quickstart")
    assert status == 0 and "toy/fit/bundled/plain: 15 runs, finished already" in output
    assert papers("quickstart")[1].count("kept") == 1


def test_the_module_itself(make_repository, environment, tmp_path):
    """`python -m papers` from the repository's root, as a user calls it: exit status and streams."""
    repository: Path = make_repository(tmp_path / "repository")
    command = [sys.executable, "-m", "papers"]

    def call(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([*command, *arguments], cwd=repository, env=environment, capture_output=True, text=True)

    good = call("run", "toy/count", "--scale", "smoke")
    assert (good.returncode, good.stderr) == (0, "")
    assert "wrote results/run/smoke/toy/count/line/plain.parquet" in good.stdout
    bad = call("run", "toy/cuont")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr == "error: unknown experiment of toy 'cuont'; did you mean 'count'?\n"
