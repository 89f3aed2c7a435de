"""The benchmark's arithmetic and its tables; one slow test runs its measurements on a small network."""

import io

import pytest
from rich.console import Console

from benchmarks.__main__ import floor_table, measure, speed_table, verdicts
from benchmarks.breakdown import breakdown
from benchmarks.ours import seconds_per_step


def found(**seconds):
    return {name: {"sampling": [value] * 4, "burn_in": [2 * value] * 4} for name, value in seconds.items()}


def text(renderable):
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(renderable)
    return console.export_text()


def test_verdicts_compare_ratios_with_targets():
    lines = verdicts("small", found(compiled=1e-6, pybnn=1e-4, jax=5e-7))
    assert lines[0] == "small, one chain: 100x pybnn, target 60x: met"
    assert lines[1] == "small, many chains: 100x pybnn, target 150x: MISSED"
    assert lines[2] == "small: at least 0.5x JAX, target 1x: MISSED"
    assert verdicts("large", found(compiled=1e-6)) == []


def test_speed_table_has_steps_and_ratios():
    table = text(speed_table("small", found(compiled=1e-6, pybnn=1e-4)))
    assert "1,000,000" in table and "10,000 (100.0x)" in table and "JAX" not in table


@pytest.mark.slow
def test_measurements_run(tmp_path):
    case = {"sizes": [3, 10, 9, 1], "points": 30, "batch": 7, "chains": [1, 2], "seconds": 0.01}
    for engine in ("compiled", "torch"):
        best = seconds_per_step(engine, case)
        assert all(len(values) == 2 and min(values) > 0 for values in best.values())
    parts = breakdown(case)
    assert parts["operations"] == 2 * 7 * (2 * (30 + 90 + 9) + 90 + 9)
    assert parts["arithmetic floor"] > 0 and parts["memory floor"] > 0 and parts["products"] > 0
    assert "arithmetic floor" in text(floor_table("small", parts))
    assert set(measure([3, 8, 1], 0.01, tmp_path / "no peers")) == {"compiled", "torch"}
