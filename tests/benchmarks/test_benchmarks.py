"""The benchmark's arithmetic and its tables; one slow test runs its measurements on a small network."""

import io

import pytest
import torch
from rich.console import Console

from benchmarks import device, growth, peer_optuna, suggestion
from benchmarks.__main__ import main
from benchmarks.breakdown import breakdown
from benchmarks.ours import seconds_per_step
from benchmarks.steps import floor_table, measure, speed_table, verdicts


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


def test_slopes_are_those_past_a_thousand_points():
    assert growth.slope({100: 9.0, 1000: 1.0, 10_000: 10.0, 100_000: 100.0}) == pytest.approx(1)
    assert growth.slope({1000: 2.0, 10_000: 2000.0}) == pytest.approx(3)
    assert growth.slope({100: 1.0, 1000: 2.0}) != growth.slope({100: 1.0, 1000: 2.0})  # nan


def test_a_missed_target_is_called_missed():
    assert suggestion.verdict("GP", 0.954, "BoTorch", 1) == "GP: 0.954x BoTorch, target 1x: MISSED"
    assert suggestion.verdict("DNGO", 21.26, "pybnn", 20) == "DNGO: 21.3x pybnn, target 20x: met"
    table = text(suggestion.seconds_table("seconds", {"ours": {"fit": 1.0, "ascent": 2.0}, "peer": {"fit": 3.0}}))
    assert "ascent" in table and "3.000" in table


def test_the_best_of_repeated_measurements_is_taken():
    times = iter([{"fit": 3.0, "search": 1.0}, {"fit": 1.0, "search": 2.0}, {"fit": 2.0, "search": 2.0}])
    assert suggestion.best(lambda: next(times), 0.0) == {"fit": 1.0, "search": 2.0}


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_without_a_device_its_measurement_says_so():
    assert device.report(0.1) == ([], ["device: there is no CUDA device"])


def test_an_unknown_subject_is_one_clear_error(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["benchmarks", "steps", "memory"])
    with pytest.raises(SystemExit):
        main()
    assert (
        "no subject memory; allowed: steps, simd, suggestion, entropy_search, fabolas, curves, embedding, growth"
        in capsys.readouterr().err
    )


def test_samplers_of_optuna_are_compared_with_its_own():
    assert peer_optuna.verdict("a", 0.454) == "a: 0.45 times Optuna's TPESampler, target at most 1: met"
    assert peer_optuna.verdict("a", 1.2).endswith("MISSED")
    tables, lines = peer_optuna.report((3, 12))
    assert "HPOSampler('random')" in text(tables[0]) and "Optuna's TPESampler" in text(tables[0])
    assert [line.split(":")[0] for line in lines] == ["HPOSampler('tpe')", "HPOSampler('random')"]


@pytest.mark.slow
def test_suggestions_and_growth_run(tmp_path, monkeypatch):
    monkeypatch.setattr(suggestion, "CHAIN", {"points": 12, "burn_in": 20, "steps": 220})
    monkeypatch.setattr(suggestion, "RUNS", 2)
    monkeypatch.setattr(suggestion, "TARGETS", {**suggestion.TARGETS, "2 runs": 50})
    monkeypatch.setattr(suggestion, "DNGO_POINTS", 30)
    monkeypatch.setattr(suggestion, "GP_POINTS", (10,))
    tables, lines = suggestion.report(tmp_path / "no peers", 0.0)
    assert len(tables) == 3 and "differential evolution" in text(tables[0])
    assert len(lines) == 1 and "BoTorch" in lines[0]
    tables, lines = growth.report((60, 70))
    assert "least squares" in text(tables[0]) and len(lines) == 2


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
