"""Running a cell in one process: shards, resuming, extending, and what is recorded; test_failures.py has failures."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.experiment import provenance
from core.experiment.cells import Cell
from core.experiment.context import Context
from core.experiment.runner import discard, run_cell
from core.experiment.settings import Settings
from core.experiment.storage import read_provenance, read_records, write_records
from core.foundation.convergence import ended
from core.foundation.locks import exclusive


class Fit(Settings):
    points: int = 4


CELL = Cell("toy", "fit", "line", "plain", "paper", 25, Fit(), "fit")


class Experiment:
    """An experiment function that notes which repetitions it was called with."""

    def __init__(self) -> None:
        self.calls: list[list[int]] = []

    def __call__(self, context: Context) -> pd.DataFrame:
        self.calls.append(list(context.runs))
        seeds = context.method_seeds("draw")
        values = [np.random.default_rng(seed).normal(size=context.settings.points).mean() for seed in seeds]
        context.progress(0.5)
        return pd.DataFrame({"run": context.runs, "value": values})


def run(cell: Cell, function, root: Path, said: list[str] | None = None) -> tuple[pd.DataFrame, dict]:
    return read_records(run_cell(cell, function, root, say=[].append if said is None else said.append))


def shards(root: Path) -> list[str]:
    return sorted(file.name for file in CELL.path(root).parent.glob(".plain.shards/*"))


def test_the_provenance_says_how_the_fits_of_all_shards_ended(tmp_path):
    def function(context: Context) -> pd.DataFrame:
        ended("line", [50 if run == 11 else 3 for run in context.runs], [run != 11 for run in context.runs], 0.5)
        return pd.DataFrame({"run": context.runs, "value": 1.0})

    _, notes = run(CELL, function, tmp_path)
    assert notes["fits"] == {"line": {"fits": 25, "unconverged": 1, "steps": 24 * 3 + 50, "largest_slope": 0.5}}
    _, notes = run(replace(CELL, method="other"), Experiment(), tmp_path)
    assert "fits" not in notes


class TestShards:
    def test_ten_repetitions_a_call(self, tmp_path):
        function = Experiment()
        records, _ = run(CELL, function, tmp_path)
        assert function.calls == [list(range(10)), list(range(10, 20)), list(range(20, 25))]
        assert list(records["run"]) == list(range(25))
        assert (records["status"] == "ok").all()
        assert (records["message"] == "").all()

    def test_nothing_but_the_file_and_its_lock_remains(self, tmp_path):
        run(CELL, Experiment(), tmp_path)
        assert sorted(file.name for file in CELL.path(tmp_path).parent.iterdir()) == [".plain.lock", "plain.parquet"]

    def test_a_finished_cell_is_left_untouched(self, tmp_path):
        run(CELL, Experiment(), tmp_path)
        before = CELL.path(tmp_path).stat()
        again, said = Experiment(), []
        run(replace(CELL, runs=7), again, tmp_path, said)
        assert again.calls == said == []
        assert CELL.path(tmp_path).stat() == before

    def test_progress_rises_to_one(self, tmp_path):
        for function in (Experiment(), Experiment()):  # computed, then found finished
            told: list[float] = []
            run_cell(CELL, function, tmp_path, progress=told.append)
            assert told == sorted(told)
            assert told[-1] == 1

    def test_an_interrupted_cell_goes_on_and_gives_the_same_records(self, tmp_path):
        """Interrupted in the third shard: the first two are neither lost nor computed again."""
        expected, _ = run(CELL, Experiment(), tmp_path / "whole")
        with pytest.raises(KeyboardInterrupt):
            run(CELL, interrupted_at(20), tmp_path)
        assert shards(tmp_path) == ["000000-000010.parquet", "000010-000020.parquet"]
        assert not CELL.path(tmp_path).exists()
        function = Experiment()
        records, _ = run(CELL, function, tmp_path)
        assert function.calls == [list(range(20, 25))]
        pd.testing.assert_frame_equal(records, expected, check_exact=True)

    @pytest.mark.parametrize("damage", [b"", b"PAR1"])
    def test_a_damaged_shard_is_computed_again(self, tmp_path, damage):
        with pytest.raises(KeyboardInterrupt):
            run(CELL, interrupted_at(20), tmp_path)
        (CELL.path(tmp_path).parent / ".plain.shards" / "000010-000020.parquet").write_bytes(damage)
        function = Experiment()
        run(CELL, function, tmp_path)
        assert function.calls == [list(range(10, 20)), list(range(20, 25))]

    def test_shards_from_other_settings_are_computed_again(self, tmp_path):
        with pytest.raises(KeyboardInterrupt):
            run(replace(CELL, settings=Fit(points=9)), interrupted_at(20), tmp_path)
        function = Experiment()
        records, _ = run(CELL, function, tmp_path)
        assert len(function.calls) == 3
        pd.testing.assert_frame_equal(records, run(CELL, Experiment(), tmp_path / "whole")[0], check_exact=True)

    def test_leftovers_of_a_killed_writer_are_removed(self, tmp_path):
        leftover = CELL.path(tmp_path).parent / ".plain.parquet.4711.tmp"
        leftover.parent.mkdir(parents=True)
        leftover.touch()
        run(CELL, Experiment(), tmp_path)
        assert not leftover.exists()

    def test_what_a_kill_left_after_joining_is_removed(self, tmp_path, monkeypatch):
        monkeypatch.setattr("shutil.rmtree", lambda *arguments, **options: None)
        run(CELL, Experiment(), tmp_path)
        assert len(shards(tmp_path)) == 3
        (CELL.path(tmp_path).parent / ".plain.shards" / "hash-20.jsonl").touch()
        monkeypatch.undo()
        run(CELL, again := Experiment(), tmp_path)
        assert again.calls == []
        assert sorted(file.name for file in CELL.path(tmp_path).parent.iterdir()) == [".plain.lock", "plain.parquet"]

    @pytest.mark.parametrize("kept", ["000020-000025.parquet", "hash-10.jsonl"])
    def test_what_a_longer_run_keeps_stays(self, tmp_path, kept):
        """Asked for the ten repetitions that are there, in the middle of 25."""
        ten = replace(CELL, runs=10)
        run(ten, Experiment(), tmp_path)
        with pytest.raises(KeyboardInterrupt):
            run(CELL, interrupted_at(10), tmp_path)
        (CELL.path(tmp_path).parent / ".plain.shards" / kept).touch()
        run(ten, Experiment(), tmp_path)
        assert shards(tmp_path) == ["000000-000010.parquet", kept]


class TestDiscarding:
    @pytest.mark.parametrize("runs, kept", [(3, False), (25, False), (26, True)])
    def test_more_repetitions_than_the_cells_are_kept(self, tmp_path, runs, kept):
        path = run_cell(replace(CELL, runs=runs), Experiment(), tmp_path)
        discard(CELL, tmp_path)
        assert path.exists() == kept

    def test_what_cannot_be_read_or_is_not_there(self, tmp_path):
        discard(CELL, tmp_path)
        CELL.path(tmp_path).write_bytes(b"PAR1")
        discard(CELL, tmp_path)
        assert not CELL.path(tmp_path).exists()

    def test_waits_for_whoever_computes_the_cell(self, tmp_path):
        path, said = run_cell(CELL, Experiment(), tmp_path), []
        with exclusive(path.with_name(".plain.lock"), said.append):
            thread = threading.Thread(target=discard, args=(CELL, tmp_path, said.append))
            thread.start()
            thread.join(0.3)
            assert path.exists() and said
        thread.join()
        assert not path.exists()


class TestExtending:
    @pytest.mark.parametrize(
        "first, then, computed",
        [(3, 12, [0, 10]), (10, 20, [10]), (12, 20, [10]), (20, 25, [20]), (3, 5, [0]), (25, 26, [20])],
    )
    def test_whole_shards_are_kept(self, tmp_path, first, then, computed):
        """And the records are those of a run that was as long from the start."""
        run(replace(CELL, runs=first), Experiment(), tmp_path)
        function, said = Experiment(), []
        records, provenance = run(replace(CELL, runs=then), function, tmp_path, said)
        assert [call[0] for call in function.calls] == computed
        assert said == [f"{CELL.path(tmp_path)}: holds {first} of {then} repetitions; computing the rest"]
        expected, fresh = run(replace(CELL, runs=then), Experiment(), tmp_path / "fresh")
        pd.testing.assert_frame_equal(records, expected, check_exact=True)
        assert provenance["runs"] == then
        assert provenance["seeds"] == fresh["seeds"]

    def test_other_settings_are_computed_anew_and_said(self, tmp_path):
        run(replace(CELL, settings=Fit(points=9)), Experiment(), tmp_path)
        function, said = Experiment(), []
        _, provenance = run(CELL, function, tmp_path, said)
        assert len(function.calls) == 3
        assert "made with other settings" in said[0]
        assert provenance["settings_hash"] == CELL.settings_hash

    @pytest.mark.parametrize("share", [0.0, 0.5, 0.95])
    def test_a_truncated_file_is_computed_anew_and_said(self, tmp_path, share):
        path = run_cell(CELL, Experiment(), tmp_path)
        whole, expected = path.read_bytes(), read_records(path)[0]
        path.write_bytes(whole[: int(share * len(whole))])
        function, said = Experiment(), []
        records, _ = run(CELL, function, tmp_path, said)
        assert len(function.calls) == 3
        assert str(path) in said[0] and "truncated or not a Parquet file" in said[0]
        pd.testing.assert_frame_equal(records, expected, check_exact=True)

    def test_an_ablation_does_not_touch_the_cell(self, tmp_path):
        before = run_cell(CELL, Experiment(), tmp_path).read_bytes()
        ablation = replace(CELL, settings=Fit(points=9), overrides=("points=9",))
        path = run_cell(ablation, Experiment(), tmp_path)
        assert path == tmp_path / "results/ablation/points=9/paper/toy/fit/line/plain.parquet"
        assert read_provenance(path)["overrides"] == ["points=9"]
        assert CELL.path(tmp_path).read_bytes() == before


class TestProvenance:
    def test_what_is_recorded(self, tmp_path):
        _, notes = run(CELL, Experiment(), tmp_path)
        assert notes["cell"] == "toy/fit/line/plain"
        assert (notes["scale"], notes["runs"], notes["device"]) == ("paper", 25, "cpu")
        assert notes["settings"] == {"points": 4}
        assert notes["settings_hash"] == CELL.settings_hash
        assert notes["seeds"] == {"method/draw": dict(zip(map(str, range(25)), seeds_of(CELL), strict=True))}
        assert notes["commit"] == "unknown"  # tmp_path is in no repository
        assert notes["packages"]["numpy"] == np.__version__
        assert notes["cpu"] and notes["platform"] and notes["python"]
        assert notes["threads"] >= 1
        assert notes["wall_seconds"] > 0
        assert notes["peak_memory_mb"] > 10

    def test_every_commit_that_took_part(self, tmp_path, monkeypatch):
        monkeypatch.setattr("core.experiment.provenance.commit", lambda root: "aaa")
        with pytest.raises(KeyboardInterrupt):
            run(CELL, interrupted_at(20), tmp_path)
        monkeypatch.setattr("core.experiment.provenance.commit", lambda root: "bbb")
        assert run(CELL, Experiment(), tmp_path)[1]["commit"] == "aaa bbb"

    def test_every_machine_that_took_part(self, tmp_path, monkeypatch):
        machine = provenance.machine()
        for runs, cpu in ((10, "one"), (20, "another"), (25, "one")):
            here = {**machine, "cpu": cpu, "packages": {**machine["packages"], "torch": f"of {cpu}"}}
            monkeypatch.setattr("core.experiment.provenance.machine", lambda here=here: here)
            _, notes = run(replace(CELL, runs=runs), Experiment(), tmp_path)
        assert notes["cpu"] == "one and another" and notes["python"] == machine["python"]
        assert notes["packages"] == {**machine["packages"], "torch": "of one and of another"}

    def test_every_device_and_migration_that_took_part(self, tmp_path):
        path = run_cell(replace(CELL, runs=10), Experiment(), tmp_path)
        records, notes = read_records(path)
        write_records(path, records, notes | {"device": "cuda", "threads": 4711, "migrated": [{"from": 1}]})
        _, notes = run(CELL, Experiment(), tmp_path)
        assert notes["device"] == "cuda and cpu" and notes["threads"].startswith("4711 and ")
        assert notes["migrated"] == [{"from": 1}]
        _, notes = run(replace(CELL, runs=30), Experiment(), tmp_path)
        assert notes["device"] == "cuda and cpu" and notes["migrated"] == [{"from": 1}]

    def test_seconds_of_reused_shards_count_by_their_share(self, tmp_path):
        path = run_cell(replace(CELL, runs=20), Experiment(), tmp_path)
        records, notes = read_records(path)
        write_records(path, records, notes | {"wall_seconds": 1000.0})
        _, notes = run(replace(CELL, runs=30), Experiment(), tmp_path)
        assert 1000 < notes["wall_seconds"] < 2000


def interrupted_at(first: int) -> Experiment:
    class Interrupted(Experiment):
        def __call__(self, context: Context) -> pd.DataFrame:
            if context.runs.start == first:
                raise KeyboardInterrupt
            return super().__call__(context)

    return Interrupted()


def seeds_of(cell: Cell) -> list[int]:
    return Context(cell, range(cell.runs)).method_seeds("draw")
