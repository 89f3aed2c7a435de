"""Recorded seconds of cells, and how they are said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.experiment.cells import Cell
from core.experiment.costs import in_words, recorded_seconds
from core.experiment.settings import Settings
from core.experiment.storage import REQUIRED, write_records

CELL = Cell("toy", "fit", "line", "plain", "paper", 20, Settings(), "fit")
ABLATION = replace(CELL, overrides=("points=3",))


def record(path: Path, seconds: float, runs: int) -> None:
    frame = pd.DataFrame({"run": range(runs), "status": "ok", "message": ""})
    write_records(path, frame, dict.fromkeys(REQUIRED, 1) | {"runs": runs, "wall_seconds": seconds})


class TestRecorded:
    def test_nothing_is_known(self, tmp_path):
        assert recorded_seconds(CELL, tmp_path) is None

    def test_own_runs_come_first(self, tmp_path):
        record(CELL.path(tmp_path, "reference"), 50.0, 20)
        assert recorded_seconds(CELL, tmp_path) == pytest.approx(50)
        record(CELL.path(tmp_path), 80.0, 20)
        assert recorded_seconds(CELL, tmp_path) == pytest.approx(80)

    @pytest.mark.parametrize("runs", [5, 20, 40])
    def test_by_the_number_of_repetitions(self, tmp_path, runs):
        record(CELL.path(tmp_path), 3.0 * runs, runs)
        assert recorded_seconds(CELL, tmp_path) == pytest.approx(60)

    def test_an_ablation_is_judged_by_its_cell(self, tmp_path):
        record(CELL.path(tmp_path, "reference"), 50.0, 20)
        assert recorded_seconds(ABLATION, tmp_path) == pytest.approx(50)
        record(ABLATION.path(tmp_path), 70.0, 20)
        assert recorded_seconds(ABLATION, tmp_path) == pytest.approx(70)
        assert recorded_seconds(CELL, tmp_path) == pytest.approx(50)

    def test_a_damaged_file_says_nothing(self, tmp_path):
        record(CELL.path(tmp_path, "reference"), 50.0, 20)
        CELL.path(tmp_path).parent.mkdir(parents=True)
        CELL.path(tmp_path).write_bytes(b"PAR1")
        assert recorded_seconds(CELL, tmp_path) == pytest.approx(50)


class TestWords:
    @pytest.mark.parametrize(
        "seconds, words",
        [
            (0, "0.0 s"),
            (9.949, "9.9 s"),
            (9.96, "10 s"),
            (59.4, "59 s"),
            (59.6, "1 min"),
            (130, "2 min 10 s"),
            (599.6, "10 min"),
            (3569, "59 min"),
            (3571, "1 h"),
            (7500, "2 h 5 min"),
        ],
    )
    def test_examples(self, seconds, words):
        assert in_words(seconds) == words

    @given(st.floats(0, 1e6))
    def test_what_is_said_is_near(self, seconds):
        units = {"s": 1, "min": 60, "h": 3600}
        words = in_words(seconds).split()
        said = sum(float(number) * units[unit] for number, unit in zip(words[::2], words[1::2], strict=True))
        assert said == pytest.approx(seconds, abs=0.051, rel=0.051)
