"""Seconds of suggestions, recomputed from records that are written here."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from core.experiment.storage import write_records
from docs.pages.uses import Cost, _median, cells_by_method, in_field

ROOT = Path(__file__).resolve().parents[2]
NOTES = {"settings_hash": "0", "runs": 1, "commit": "", "seeds": {}, "wall_seconds": 1.0, "peak_memory_mb": 1.0}


def median_of(tmp_path, **columns) -> float | None:
    frame = pd.DataFrame({**columns, "status": "ok", "message": ""})
    write_records(tmp_path / "records.parquet", frame, NOTES)
    _median.cache_clear()
    return _median(tmp_path / "records.parquet")


def test_of_searches_the_later_half_counts(tmp_path):
    found = median_of(tmp_path, run=0, evaluation=[1, 2, 3, 4, 5, 6], overhead=[9.0, 9.0, 9.0, 1.0, 2.0, 3.0])
    assert found == pytest.approx(2.0)


def test_of_incumbents_the_sum_is_divided_by_the_evaluations(tmp_path):
    found = median_of(tmp_path, run=[0, 0, 1], evaluations=[1, 10, 10], overhead=[50.0, 5.0, 15.0])
    assert found == pytest.approx(1.0)


def test_of_single_suggestions_those_with_few_observations_count(tmp_path):
    found = median_of(tmp_path, run=0, observations=[50, 100, 200], cpu_seconds=[1.0, 3.0, 100.0], seconds=0.0)
    assert found == pytest.approx(2.0)


def test_records_without_seconds_have_none(tmp_path):
    assert median_of(tmp_path, run=0, evaluation=[1, 2], loss=[1.0, 2.0]) is None


def test_a_cost_in_words():
    assert str(Cost.of([2e-5, 0.1])) == "below 0.0001 to 0.1, median 0.05"
    assert str(Cost.of([0.5])) == "0.5" and str(Cost.of([0.031, 1.0, 0.2])) == "0.031 to 1, median 0.2"


def test_the_field_benchmark():
    frame = pd.read_csv(ROOT / "benchmarks/field/results.csv")
    cost, number = in_field(ROOT, "tpe")
    seconds = frame.loc[frame["method"] == "tpe", "seconds"]
    assert number == len(seconds) and seconds.min() <= cost.least <= cost.median <= cost.most <= seconds.max()
    assert in_field(ROOT, "no_method") is None


def test_cells_by_method():
    found = cells_by_method(ROOT)["fabolas"]
    assert "fabolas/surrogate" in found and {cell.settings.method.method for cell in found["fabolas/surrogate"]} == {
        "fabolas"
    }
