"""What cells take by the files of earlier runs: recorded, in proportion, and what nobody recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.experiment.cells import Cell
from core.experiment.costs import DEVICE, READ, cost_of
from core.experiment.settings import Settings
from core.experiment.storage import REQUIRED, write_records
from core.foundation.strict import AddedLater


class Search(Settings):
    evaluations: int = 20
    tasks: int | None = None
    rows: int = 100
    record: Annotated[str, AddedLater("all")] = "all"


CELL = Cell("toy", "search", "line", "plain", "paper", 20, Search(), "search")


def record(cell: Cell, source: str, root: Path, seconds: float = 50.0, **notes: Any) -> Path:
    """Write a file of a cell's records as if its run had taken so long; returns its path."""
    path = cell.path(root, source)
    frame = pd.DataFrame({"run": range(cell.runs), "status": "ok", "message": ""})
    made = {
        "settings": cell.settings.model_dump(mode="json"),
        "settings_hash": cell.settings_hash,
        "cpu": "a processor",
    }
    known = dict.fromkeys(REQUIRED, 1) | made | {"runs": cell.runs, "wall_seconds": seconds, "peak_memory_mb": 600.0}
    write_records(path, frame, known | notes)
    return path


def quick(runs: int = 20, **settings: Any) -> Cell:
    return replace(CELL, scale="quick", runs=runs, settings=Search(**settings))


def test_nothing_is_assumed_where_nothing_is_recorded(tmp_path):
    assert cost_of(CELL, tmp_path) is None
    record(replace(CELL, scale="smoke"), "run", tmp_path)
    assert cost_of(CELL, tmp_path) is None, "smoke runs say nothing of others"
    assert cost_of(replace(CELL, method="other"), tmp_path) is None


def test_a_file_with_todays_settings_is_taken_as_it_is(tmp_path):
    path = record(CELL, "reference", tmp_path)
    cost = cost_of(CELL, tmp_path)
    assert cost.is_recorded
    assert (cost.seconds, cost.memory_mb, cost.disk, cost.cpu) == (50.0, 600.0, path.stat().st_size, "a processor")


def test_threads_count_as_cores(tmp_path):
    record(CELL, "reference", tmp_path, threads=4)
    assert cost_of(CELL, tmp_path).seconds == pytest.approx(200)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 100))
def test_seconds_and_bytes_grow_by_runs_times_evaluations(tmp_path_factory, runs, before, now):
    root = tmp_path_factory.mktemp("root")
    path = record(quick(runs, evaluations=before), "reference", root)
    cost = cost_of(replace(CELL, settings=Search(evaluations=now)), root)
    growth = (20 / runs) * (now / before)
    assert cost.seconds == pytest.approx(50 * growth) and cost.disk == pytest.approx(path.stat().st_size * growth)
    assert cost.memory_mb == 600.0 and not cost.uncounted
    ratios = {"runs": 20 / runs, "evaluations": now / before}
    assert cost.factors == {name: ratio for name, ratio in ratios.items() if ratio != 1}


def test_what_no_record_shows_the_cost_of_is_named_and_not_guessed(tmp_path):
    record(quick(rows=10), "reference", tmp_path)
    cost = cost_of(CELL, tmp_path)
    assert cost.uncounted == ("rows",) and cost.seconds == 50.0 and not cost.is_recorded


def test_seconds_of_a_device_are_not_those_of_a_core(tmp_path):
    record(CELL, "run", tmp_path, device="cuda (NVIDIA H200)")
    assert cost_of(CELL, tmp_path).uncounted == (DEVICE,)
    record(CELL, "reference", tmp_path, device="cpu")
    assert cost_of(CELL, tmp_path).is_recorded


def test_a_limit_that_was_absent_has_no_ratio(tmp_path):
    record(quick(tasks=5), "reference", tmp_path)
    assert cost_of(CELL, tmp_path).uncounted == ("tasks",)


def test_a_setting_that_is_younger_than_the_record_has_the_value_that_ran(tmp_path):
    settings = {"evaluations": 20, "tasks": None, "rows": 100}
    record(CELL, "reference", tmp_path, settings=settings)
    assert cost_of(CELL, tmp_path).is_recorded
    assert cost_of(replace(CELL, settings=Search(record="best")), tmp_path).uncounted == ("record",)


def test_settings_that_are_valid_no_more_are_compared_as_they_are(tmp_path):
    record(CELL, "reference", tmp_path, settings={"evaluations": 10, "rows": 100, "gone": 1})
    cost = cost_of(CELL, tmp_path)
    assert cost.factors == {"evaluations": 2.0} and cost.uncounted == ("gone",)


def test_other_records_behind_the_same_settings_are_told(tmp_path):
    table = Cell("toy", "table", "line", "all", "paper", 5, Settings(), "table")
    record(replace(CELL, needs=(table,)), "reference", tmp_path)
    assert cost_of(replace(CELL, needs=(replace(table, runs=50),)), tmp_path).uncounted == (READ,)


class TestChoice:
    def test_own_runs_before_shipped_ones(self, tmp_path):
        record(CELL, "reference", tmp_path, 50.0)
        record(CELL, "run", tmp_path, 80.0)
        assert cost_of(CELL, tmp_path).seconds == 80.0

    def test_the_cells_own_scale_before_others(self, tmp_path):
        record(quick(), "run", tmp_path, 80.0)
        record(CELL, "reference", tmp_path, 50.0)
        assert cost_of(CELL, tmp_path).seconds == 50.0

    def test_what_needs_no_scaling_before_what_does(self, tmp_path):
        record(replace(CELL, settings=Search(evaluations=1)), "run", tmp_path, 80.0)
        record(CELL, "reference", tmp_path, 50.0)
        assert cost_of(CELL, tmp_path).seconds == 50.0

    def test_what_can_be_counted_before_what_cannot(self, tmp_path):
        record(replace(CELL, settings=Search(rows=1)), "run", tmp_path, 80.0)
        record(quick(evaluations=10), "reference", tmp_path, 50.0)
        assert cost_of(CELL, tmp_path).seconds == pytest.approx(100.0)

    def test_a_damaged_file_says_nothing(self, tmp_path):
        record(CELL, "run", tmp_path, 80.0).write_bytes(b"PAR1")
        record(CELL, "reference", tmp_path, 50.0)
        assert cost_of(CELL, tmp_path).seconds == 50.0


def test_a_file_beside_the_records_takes_space_once(tmp_path):
    cell = replace(CELL, attachment="npz")
    path = record(replace(cell, runs=10), "run", tmp_path)
    path.with_suffix(".npz").write_bytes(bytes(5000))
    assert cost_of(cell, tmp_path).disk == 2 * path.stat().st_size + 5000
