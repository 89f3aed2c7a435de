"""Two who do the same at once: each cell and each evaluation is made once, and all files are whole."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from core.experiment.storage import read_records
from tests.faults.kills import Command, Worker, end_well
from tests.faults.tally import FAULTS
from tests.faults.workers import search, search_and_forget

pytestmark = pytest.mark.slow
TARGET = "figures/own/toy/table1.csv"


def calls(log: Path) -> list[str]:
    """The shards that were computed, as `cell first repetition`."""
    return [line.partition(" ")[2] for line in log.read_text().splitlines()]


def made(repository: Path) -> tuple[list[pd.DataFrame], bytes]:
    """Records without what is measured, and the table that is drawn from them; nothing else may be left."""
    files = sorted((repository / "results").rglob("*.parquet"))
    assert not list(repository.rglob("*.tmp")) and not list(repository.rglob("*.shards"))
    json.loads((repository / TARGET).with_suffix(".json").read_text())
    assert (repository / TARGET).with_suffix(".pdf").read_bytes().endswith(b"%%EOF\n")
    return [read_records(file)[0].drop(columns="seconds") for file in files], (repository / TARGET).read_bytes()


@pytest.fixture(scope="module")
def alone(make_repository, tmp_path_factory, environment) -> tuple[list[pd.DataFrame], bytes]:
    """What one workflow makes."""
    repository = make_repository(tmp_path_factory.mktemp("alone") / "repository")
    run_at_once([snakemake()], repository, environment)
    return made(repository)


def snakemake() -> list[str]:
    return ["snakemake", "--quiet", "all", "--config", "scale=paper", "runs=run", "--", TARGET]


def run_at_once(commands: list[list[str]], repository: Path, variables: dict[str, str]) -> None:
    """Begin all, and wait until all have ended well."""
    end_well([Command(command, repository, variables, str(number)) for number, command in enumerate(commands)])


@pytest.mark.parametrize("kinds", [("snakemake", "snakemake"), ("snakemake", "run")])
def test_two_workflows(tmp_path, make_repository, environment, alone, kinds):
    """Also one of them and a cell that is run by hand."""
    repository, log = make_repository(tmp_path / "repository"), tmp_path / "calls"
    by_hand = ["python", "-m", "papers", "run", "toy/fit", "--scale", "paper"]
    commands = [snakemake() if kind == "snakemake" else by_hand for kind in kinds]
    assert len(commands) == FAULTS["commands at once"] // 2
    run_at_once(commands, repository, {**environment, "TOY_LOG": str(log)})
    assert sorted(calls(log)) == sorted(set(calls(log))) and len(calls(log)) == 12
    found, drawn = made(repository)
    for frame, expected in zip(found, alone[0], strict=True):
        pd.testing.assert_frame_equal(frame, expected, check_exact=True)
    assert drawn == alone[1]


def test_searches_with_one_journal(tmp_path):
    """The second waits for the first and finds its evaluations done."""
    journal, log = tmp_path / "run.jsonl", tmp_path / "log"
    end_well([Worker(search_and_forget, "checkpoints", journal, log) for _ in range(FAULTS["searches at once"])])
    lines = log.read_text().splitlines()
    expected = search("checkpoints", None, tmp_path / "expected")
    assert len(lines) == len(set(lines)) == len(expected.records)
    assert sorted(lines) == sorted((tmp_path / "expected").read_text().splitlines())
