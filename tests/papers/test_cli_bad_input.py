"""Bad input to the command line: one line that names it and what is near or allowed, exit status 2, nothing written."""

from __future__ import annotations

import pytest

CELL = "toy/fit/line/plain"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["run", "toi/fit"], "unknown paper 'toi'; did you mean 'toy'?"),
        (["run", "toy/fitt"], "unknown experiment of toy 'fitt'; did you mean 'fit'?"),
        (["run", "toy/fit/lin/plain"], "unknown benchmark of toy/fit at scale quick 'lin'; did you mean 'line'?"),
        (["run", "toy/fit/line/plane"], "unknown method of toy/fit at scale quick 'plane'; did you mean 'plain'?"),
        (
            ["run", CELL, "--scale", "smoke"],
            "unknown benchmark of toy/fit at scale smoke 'line'; existing: bundled",
        ),
        (["list", "toi"], "unknown paper 'toi'; did you mean 'toy'?"),
        (["list", "toy/fitt"], "unknown experiment of toy 'fitt'; did you mean 'fit'?"),
        (["draw", "toy/tabel1"], "unknown artifact of toy 'tabel1'; did you mean 'table1'?"),
        (["draw", "tabel1"], "unknown artifact 'tabel1'; did you mean 'table1'"),
        (["draw", "figures"], "figures: a folder; allowed: a file in it, paper/artifact, a short name or a paper"),
        (["draw", "figures/"], "figures: a folder; allowed: a file in it"),
        (["draw", "figures/own/"], "figures/own: a folder; allowed: a file in it"),
        (["compare", "figures"], "figures: a folder; allowed: a file in it"),
        (["compare", "figures/ablation/toy/table1.pdf"], "figures/ablation/toy/table1: the page has no ablations"),
        (["draw", "fig1", "toi/fig1"], "unknown paper 'toi'; did you mean 'toy'?"),
        (["compare", "toy/fig3"], "unknown artifact of toy 'fig3'; did you mean 'fig1'?"),
        (
            ["promote", "toy/fit/line/plane"],
            "unknown method of toy/fit at scale quick 'plane'; did you mean 'plain'?",
        ),
        (["run", CELL, "--runs", "0"], "runs = 0: must be at least 1"),
        (["run", CELL, "--runs", "-3"], "runs = -3: must be at least 1"),
        (["run", CELL, "--runs", "9999999999"], "runs = 9999999999: must be at most 1,000,000"),
        (["run", CELL, "--runs", "9" * 400], "runs = 999999"),
        (["run", CELL, "--set", "pionts=3"], "unknown setting of toy/fit 'pionts'; did you mean 'points'"),
        (["run", CELL, "--set", "points=0"], "--set points = 0: Input should be greater than 0"),
        (["run", CELL, "--set", "points=x"], "--set points = 'x': Input should be a valid integer"),
        (["run", CELL, "--set", "points=3", "--set", "points=4"], "--set points = 3 and 4; allowed: each setting once"),
        (["run", CELL, "--set", "slope=.nan"], "--set slope = nan: Input should be a finite number"),
        (["run", CELL, "--set", "kind=normla"], "--set kind = 'normla': Input should be 'normal' or 'uniform'"),
        (
            ["run", CELL, "--set", "widths=foo"],
            "--set widths = 'foo': Input should be a list in brackets, such as [1, 2]",
        ),
        (["run", CELL, "--set", "widths=30"], "--set widths = 30: Input should be a list in brackets, such as [30]"),
        (["run", CELL, "--device", "nonsense"], "device 'nonsense' cannot be used here; available: cpu"),
        (["run", CELL, "--device", "meta"], "device 'meta' cannot be used here; available: cpu"),
        (["run", CELL, "--device", "cuda:99"], "device 'cuda:99' cannot be used here; available: cpu"),
    ],
)
def test_one_line(refused, tmp_path, arguments, message):
    told = refused(*arguments)
    assert told.startswith(f"error: {message}")
    assert told.count("\n") == 1
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["run", CELL, "--scale", "papr"],
            "--scale: invalid choice: 'papr' (choose from 'smoke', 'quick', 'paper')",
        ),
        (["run", CELL, "--runs", "many"], "--runs: invalid int value: 'many'"),
        (["run", CELL, "--set", "points"], "--set: 'points' must be KEY=VALUE"),
        (["run", CELL, "--set", "=3"], "--set: '=3' must be KEY=VALUE"),
        (["run", CELL, "--set", "widths=[50"], "--set: 'widths=[50': the value is not valid YAML"),
        (["run", CELL, "--set", "label=2026-02-31"], "--set: 'label=2026-02-31': the value is not valid YAML"),
        (["run", CELL, "--set", "widths=" + "[" * 3000], "the value is not valid YAML"),
        (["draw", "fig1", "--source", "mine"], "--source: invalid choice: 'mine' (choose from 'reference', 'run')"),
        (
            ["rnu"],
            "invalid choice: 'rnu' (choose from 'list', 'new', 'plan', 'run', 'draw', 'compare', 'benchmark', ",
        ),
        ([], "the following arguments are required: command"),
    ],
)
def test_malformed_arguments(refused, arguments, message):
    assert message in refused(*arguments)


def test_an_invalid_paper_yaml(refused, edit):
    edit("runs: 3,", "runs: 0,")
    told = refused("list")
    assert "toypapers/toy/paper.yaml: experiments.fit.scales.quick.runs = 0: Input should be greater than 0" in told


def test_a_truncated_result(papers, tmp_path):
    papers("run", CELL)
    path = tmp_path / "results/run/quick/toy/fit/line/plain.parquet"
    path.write_bytes(path.read_bytes()[:99])
    status, output, _ = papers("list", "toy/fit/line")
    assert status == 0 and "toy/fit/line/plain 3 - damaged" in output and "toy/fit/line/noisy 3 - -" in output
    assert f"{path}: truncated or not a Parquet file; delete it and rerun its cell" in output
    status, output, _ = papers("run", CELL)
    assert status == 0 and "recomputing it now" in output


def test_a_truncated_ablation(papers, tmp_path):
    papers("run", CELL, "--set", "points=3")
    path = tmp_path / "results/ablation/points=3/quick/toy/fit/line/plain.parquet"
    path.write_bytes(b"PAR1")
    status, output, _ = papers("list", CELL)
    assert status == 0 and f"{path}: truncated or not a Parquet file" in output
