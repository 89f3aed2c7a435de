"""The command line over the toy paper: what `run` says, runs and writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.data import DataUnavailableError
from core.experiment import runner
from core.experiment.storage import read_provenance, read_records

CELL = "toy/fit/line/plain"
ROOT = Path(__file__).resolve().parents[2]


class TestRun:
    def test_a_cell(self, papers, tmp_path):
        status, output, _ = papers("run", CELL)
        assert status == 0
        assert "wrote results/run/quick/toy/fit/line/plain.parquet" in output
        assert "toy/fit/line/plain (quick, 3 runs)" in output
        assert "100%" in output
        assert "estimate" in output
        assert len(read_records(tmp_path / "results/run/quick/toy/fit/line/plain.parquet")[0]) == 3

    def test_a_finished_cell_is_summarized_again(self, papers):
        papers("run", CELL)
        status, output, _ = papers("run", CELL)
        assert status == 0
        assert "toy/fit/line/plain: 3 runs, finished already" in output
        assert "kept results/run/quick/toy/fit/line/plain.parquet" in output
        assert "estimate" in output

    def test_durations_of_earlier_runs_are_told_in_advance(self, papers):
        papers("run", CELL)
        assert "1 cell to run, about 0." in papers("run", CELL, "--runs", "5")[1]
        output = papers("run", "toy/fit/*/plain", "--runs", "5")[1]
        assert "1 cell to run (1 finished already); 1 was never timed" in output

    def test_everything_below_a_shorter_name(self, papers, tmp_path):
        assert papers("run", "toy", "--scale", "smoke")[0] == 0
        made = sorted(str(path.relative_to(tmp_path / "results/run")) for path in tmp_path.rglob("*.parquet"))
        assert made == [
            "smoke/toy/count/line/plain.parquet",
            "smoke/toy/fit/bundled/noisy.parquet",
            "smoke/toy/fit/bundled/plain.parquet",
        ]

    def test_cells_whose_optional_package_is_missing_are_left_out(self, papers, edit, tmp_path):
        edit("    description: one integer a run\n", "    description: one\n    extras: {plain: no_such_package}\n")
        status, output, _ = papers("run", "toy", "--scale", "smoke")
        assert status == 0
        assert (
            "left out: toy/count/line/plain; it needs the optional package no_such_package: "
            "pip install -r envs/requirements-no_such_package.txt" in output
        )
        assert sorted(path.parent.parent.name for path in tmp_path.rglob("*.parquet")) == ["fit", "fit"]

    def test_fewer_runs(self, papers, tmp_path):
        papers("run", CELL, "--runs", "2")
        assert read_provenance(tmp_path / "results/run/quick/toy/fit/line/plain.parquet")["runs"] == 2

    @pytest.mark.parametrize(
        "setting, folder, key, value",
        [
            ("points=7", "points=7", "points", 7),
            ("slope=1e-3", "slope=0.001", "slope", 0.001),
            ("slope=-2", "slope=-2", "slope", -2.0),
            ("widths=[50, 20]", "widths=_50,_20_-ea601461", "widths", [50, 20]),
            ("kind=uniform", "kind=uniform", "kind", "uniform"),
            ("label=a=b", "label=a=b", "label", "a=b"),
            ("label=../../reference", "label=.._.._reference-97be2b20", "label", "../../reference"),
        ],
    )
    def test_a_setting_by_hand_is_an_ablation_in_its_own_folder(self, papers, tmp_path, setting, folder, key, value):
        assert papers("run", CELL, "--set", setting)[0] == 0
        path = tmp_path / "results" / "ablation" / folder / "quick/toy/fit/line/plain.parquet"
        assert [path] == list(tmp_path.rglob("*.parquet"))
        assert read_provenance(path)["settings"][key] == value

    def test_several_settings(self, papers, tmp_path):
        papers("run", CELL, "--set", "slope=2", "--set", "points=7")
        assert (tmp_path / "results/ablation/points=7,slope=2/quick/toy/fit/line/plain.parquet").exists()

    def test_failures_are_counted(self, papers, toy, monkeypatch):
        toys = toy()
        module = toys.paper("toy").module("experiments")
        original = module.fit

        def fit(context):
            frame = original(context)
            return frame.assign(estimate=frame["estimate"].mask(frame["run"] == 1))

        monkeypatch.setattr(module, "fit", fit)
        monkeypatch.setattr("core.experiment.paper.Papers", lambda root, code=None: toys)
        assert "1 of 3 runs failed or diverged" in papers("run", CELL)[1]

    def test_words_in_brackets_reach_the_reader(self, papers, toy, monkeypatch):
        """rich would take them for markup."""
        toys = toy()

        def fit(context):
            raise ValueError("no [posterior] for [/red] at all")

        monkeypatch.setattr(toys.paper("toy").module("experiments"), "fit", fit)
        monkeypatch.setattr("core.experiment.paper.Papers", lambda root, code=None: toys)
        status, _, message = papers("run", CELL)
        assert status == 2
        assert (
            "every repetition failed; the first said: repetition raised ValueError: no [posterior] for [/red]"
            in message
        )


class TestCellsThatCannotRun:
    """They cost none of the others, and are told at the end."""

    def test_without_their_data_set(self, papers, toy, monkeypatch, tmp_path):
        toys = toy()
        module = toys.paper("toy").module("experiments")
        original = module.fit

        def fit(context):
            if context.benchmark == "line":
                raise DataUnavailableError("data set 'line' is not here")
            return original(context)

        monkeypatch.setattr(module, "fit", fit)
        monkeypatch.setattr("core.experiment.paper.Papers", lambda root, code=None: toys)
        status, output, error = papers("run", "toy/fit")
        assert status == 2
        assert "left out: toy/fit/line/plain; data set 'line' is not here" in output
        assert error == (
            "error: 2 of 4 cells could not be run\n"
            "toy/fit/line/plain, toy/fit/line/noisy: data set 'line' is not here\n"
        )
        assert sorted(path.parent.name for path in tmp_path.rglob("*.parquet")) == ["curve", "curve"]
        assert papers("run", CELL)[2] == "error: data set 'line' is not here\n"

    def test_without_the_records_that_they_need(self, papers, edit, tmp_path):
        """Told before anything is computed; what the same command makes first is no lack."""
        edit("    description: one integer a run\n", "    description: one integer a run\n    needs: [fit]\n")
        edit("smoke: {runs: 1, cut: 1 run}", "smoke: {runs: 1, cut: 1 run, benchmarks: [bundled]}")
        edit("    methods: [plain]\n", "    methods: [plain, other]\n")
        status, output, error = papers("run", "toy/count", "--scale", "smoke")
        assert status == 2 and "to run" not in output and not list(tmp_path.rglob("*.parquet"))
        assert "2 of 2 cells could not be run\ntoy/count/bundled/plain, toy/count/bundled/other: toy/fit/bun" in error
        assert papers("run", "toy", "--scale", "smoke")[0] == 0
        assert len(list(tmp_path.rglob("*.parquet"))) == 4


def test_work_that_another_process_did_is_not_claimed(papers, monkeypatch):
    """The other has the cell's lock when this one comes; here it has just let go."""
    real = runner.run_cell

    def after_another(cell, function, *arguments, **options):
        if cell.method == "plain":
            real(cell, function._function, *arguments, say=print)
        return real(cell, function, *arguments, **options)

    monkeypatch.setattr(runner, "run_cell", after_another)
    output = papers("run", "toy/fit/line", "--runs", "1")[1]
    assert "toy/fit/line/plain: 1 run, finished by another process" in output and "kept results/run/quick/toy" in output
    assert "wrote results/run/quick/toy/fit/line/noisy.parquet" in output and "1 runs" not in output


def test_a_finished_cell_needs_neither_torch_nor_pandas_nor_its_experiment(make_repository, environment, tmp_path):
    repository: Path = make_repository(tmp_path / "repository")
    watched = ("torch", "pandas", "papers.toy.experiments", "core.experiment.runner")
    program = (
        "import sys; from papers.__main__ import main; "
        f"main(['run', 'toy/count', '--scale', 'smoke']); print([m for m in {watched} if m in sys.modules])"
    )

    def last_line() -> str:
        command = [sys.executable, "-c", program]
        found = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=True)
        return found.stdout.splitlines()[-1]

    assert last_line() == "['pandas', 'papers.toy.experiments', 'core.experiment.runner']"
    assert last_line() == "[]"
