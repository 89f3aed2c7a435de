"""`python -m papers verify` over the toy paper."""

from __future__ import annotations

import pytest

from core.experiment.storage import read_records, write_records
from core.foundation.errors import UserError

CELL = "toy/fit/line/plain"


@pytest.fixture
def shipped(papers, edit, monkeypatch, tmp_path):
    """A shipped cell of 25 repetitions, whose seconds are marked as measured; its path."""
    monkeypatch.setattr("core.experiment.provenance.commit", lambda root: "a" * 40)
    edit("description: means of [normal] draws\n", "description: means of [normal] draws\n    measured: [seconds]\n")
    for command in ("run", "promote"):
        assert papers(command, CELL, "--scale", "paper")[0] == 0
    return tmp_path / "results/reference/paper/toy/fit/line/plain.parquet"


def test_all_is_well(papers, shipped):
    status, output, _ = papers("verify", "toy/fit", "--shards", "2", "--seed", "7")
    assert status == 0
    assert "2 of 3 shards to rerun (seed 7), about" in output
    assert output.count("bit for bit, 0.") == 2
    assert output.endswith("2 bit for bit")


def test_a_difference_is_exit_status_1(papers, shipped):
    records, provenance = read_records(shipped)
    write_records(shipped, records.assign(estimate=9.0), provenance)
    status, output, _ = papers("verify")
    assert status == 1
    assert output.endswith("1 differs")


def test_what_takes_long_is_left_out_and_said(papers, shipped):
    records, provenance = read_records(shipped)
    write_records(shipped, records, provenance | {"wall_seconds": 25 * 60.0})
    status, output, _ = papers("verify")
    assert status == 1, "nothing checked is no success"
    assert "toy/fit: not checked, its shortest shard takes 5 min; allow it with --longest" in output
    assert output.endswith("nothing was checked")


def test_what_a_device_made_is_left_out_and_said(papers, shipped):
    records, provenance = read_records(shipped)
    write_records(shipped, records, provenance | {"device": "cuda"})
    status, output, _ = papers("verify")
    assert status == 1
    assert "toy/fit: not checked, it ran on a device, and verify reruns on CPUs" in output


@pytest.mark.parametrize("runs, expected", [(20, 0), (25, 1)])
def test_data_that_are_absent_are_no_difference(papers, shipped, toy, monkeypatch, runs, expected):
    """Nor are they a success where nothing else was checked."""
    toys = toy()
    original = toys.paper("toy").module("experiments").fit

    def fit(context):
        if context.runs.stop <= runs:
            raise UserError("data set 'boston' is not here")
        return original(context)

    monkeypatch.setattr("core.experiment.paper.Papers", lambda root, code=None: toys)
    monkeypatch.setattr(toys.paper("toy").module("experiments"), "fit", fit)
    status, output, _ = papers("verify", "--shards", "3")
    assert status == expected
    assert "not checked: data set 'boston' is not here" in output
    assert output.endswith("2 not checked, 1 bit for bit" if runs == 20 else "3 not checked; nothing was checked")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["toy/fitt"], "unknown experiment of toy 'fitt'; did you mean 'fit'"),
        (["toy", "--shards", "0"], "--shards 0: must be at least 1"),
        (["toy", "--longest", "nan"], "--longest nan: must be a number of seconds above 0"),
        (["toy", "--longest", "0"], "--longest 0: must be a number of seconds above 0"),
        (["toy"], "toy: none of its cells is shipped"),
    ],
)
def test_bad_input(refused, arguments, message):
    assert message in refused("verify", *arguments)
