"""Fifty kills at random moments: all records come out as if nobody had killed, and nothing finished is done again."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest

from core.experiment.finished import shard_folder
from core.experiment.storage import read_records
from tests.faults.kills import Command, Worker, endure, seconds_of
from tests.faults.tally import KILLS
from tests.faults.workers import CELL, MEASURED, RUNS, cell_of, run_search, search, search_and_forget

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


class Shards:
    """The shards of the cell: those that were finished when it was killed must stay as they are until it is joined."""

    def __init__(self, root: Path) -> None:
        self.path = cell_of()[1].path(root)
        self._kept: dict[str, tuple[int, int]] = {}

    def finished(self) -> dict[str, tuple[int, int]]:
        """Which are there, with the number and the time of each file."""
        files = shard_folder(self.path).glob("*.parquet")
        return {file.stem: ((found := file.stat()).st_ino, found.st_mtime_ns) for file in files}

    def look(self) -> None:
        now = self.finished()
        if not self.path.exists():
            assert self._kept.items() <= now.items(), "a finished shard was lost or made again"
        self._kept = now

    def check(self, expected: pd.DataFrame) -> None:
        """The file is whole, the only one, and as expected; then it is removed."""
        pd.testing.assert_frame_equal(records_of(self.path), expected, check_exact=True)
        names = {file.name for file in self.path.parent.iterdir()}
        assert names == {self.path.name, f".{self.path.stem}.lock"}
        self.path.unlink()
        self._kept = {}


def records_of(path: Path) -> pd.DataFrame:
    """The records without what is measured."""
    return read_records(path)[0].drop(columns=MEASURED, errors="ignore")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> tuple[pd.DataFrame, float]:
    """The records of a run that nobody kills, and how long it takes."""
    root = tmp_path_factory.mktemp("undisturbed")
    seconds_of(lambda: Worker(run_search, root, root / "log"))  # the server of workers imports
    shutil.rmtree(root / "results")
    seconds = seconds_of(lambda: Worker(run_search, root, root / "log"))
    return records_of(cell_of()[1].path(root)), seconds


def test_a_cell_with_a_search(tmp_path, undisturbed):
    expected, seconds = undisturbed
    shards, log, known = Shards(tmp_path), tmp_path / "log", set[str]()

    def begun() -> set[str]:
        """The first repetitions of the shards that were begun since the last look."""
        found = set(log.read_text().split()) if log.exists() else set()
        log.write_text("")
        return found

    def killed() -> None:
        assert not begun() & known, "a finished shard was computed again"
        shards.look()
        known.update(str(int(name.partition("-")[0])) for name in shards.finished())
        if shards.path.exists():
            known.update(map(str, range(RUNS)))

    def finished() -> None:
        assert not begun() & known
        shards.check(expected)
        known.clear()

    endure(lambda: Worker(run_search, tmp_path, log), KILLS["a cell"], seconds, killed, finished)


def test_the_command_that_runs_a_cell(tmp_path, undisturbed, environment):
    """In a copy of the repository without results, whose papers are this one's."""
    (tmp_path / "clone" / "papers").mkdir(parents=True)
    clone = tmp_path / "clone"
    (clone / "core").symlink_to(ROOT / "core")
    for path in (ROOT / "papers").iterdir():
        if path.is_dir():
            (clone / "papers" / path.name).symlink_to(path)
        else:
            shutil.copy(path, clone / "papers")
    command = [sys.executable, "-m", "papers", "run", CELL, "--scale", "smoke", "--runs", str(RUNS)]
    variables = {**environment, "PYTHONPATH": str(clone)}
    shards = Shards(clone)

    def begin() -> Command:
        return Command(command, clone, variables)

    seconds = seconds_of(begin)
    shards.check(undisturbed[0])
    endure(begin, KILLS["papers run"], seconds, shards.look, lambda: shards.check(undisturbed[0]))
    assert not list(clone.rglob("*.tmp"))


@pytest.mark.parametrize("kind", ["checkpoints", "model"])
def test_minimize_with_a_journal(tmp_path, kind):
    """Evaluations, checkpoints of trainings and saved states of models."""
    expected = outcomes(search(kind, None, tmp_path / "expected"))
    journal, log = tmp_path / "run" / "run.jsonl", tmp_path / "log"
    journal.parent.mkdir()
    told: set[str] = set()

    def begin() -> Worker:
        return Worker(search_and_forget, kind, journal, log)

    def begun() -> set[str]:
        """The evaluations that were begun since the last look: configuration and budget."""
        lines = log.read_text().splitlines() if log.exists() else []
        log.write_text("")
        return {line if kind == "model" else line.rpartition(" ")[0] for line in lines}

    def killed() -> None:
        assert not begun() & told, "an evaluation in the journal was made again"
        lines = journal.read_bytes().split(b"\n")[:-1] if journal.exists() else []
        entries = [json.loads(line).get("told") for line in lines]
        told.update(f"{entry['configuration']} {entry['budget']}" for entry in entries if entry)

    def finished() -> None:
        assert not begun() & told
        assert outcomes(search(kind, journal, log)) == expected and not begun()
        names = {str(path.relative_to(journal.parent)) for path in journal.parent.rglob("*")}
        kept = {"run.jsonl", ".run.jsonl.state", ".run.jsonl.states"}
        assert all(name in kept or name.endswith(".state") for name in names), names
        shutil.rmtree(journal.parent)
        journal.parent.mkdir()
        told.clear()

    seconds_of(begin)
    finished()
    seconds = seconds_of(begin)
    finished()
    kills = KILLS[f"minimize with {'a model' if kind == 'model' else kind}"]
    endure(begin, kills, seconds, killed, finished)


def outcomes(result) -> list:
    return [(each.number, dict(each.configuration), each.budget, each.loss, each.failure) for each in result.records]


def test_a_workflow_that_draws_an_artifact(tmp_path, make_repository, environment):
    """Snakemake with its jobs: four cells of three shards, and the table that is drawn from them."""
    repository, log = make_repository(tmp_path / "repository"), tmp_path / "log"
    target = "figures/own/toy/table1.csv"
    command = ["snakemake", "--quiet", "all", "--config", "scale=paper", "runs=run", "--", target]
    done: set[str] = set()

    def begin() -> Command:
        return Command(command, repository, {**environment, "TOY_LOG": str(log)})

    def begun() -> list[str]:
        lines = [line.partition(" ")[2] for line in log.read_text().splitlines()] if log.exists() else []
        log.write_text("")
        return lines

    def killed() -> None:
        assert not done & set(begun()), "a finished shard was computed again"
        for file in (repository / "results").rglob("*.parquet"):
            name = file.parent.name.removeprefix(".").removesuffix(".shards") if file.stem[0].isdigit() else file.stem
            benchmark = file.parent.parent.name if file.stem[0].isdigit() else file.parent.name
            starts = [int(file.stem.partition("-")[0])] if file.stem[0].isdigit() else [0, 10, 20]
            done.update(f"toy/fit/{benchmark}/{name} {start}" for start in starts)

    def drawn() -> tuple:
        """What the run made, and that this is all."""
        files = sorted(path for path in (repository / "results").rglob("*") if path.suffix == ".parquet")
        assert [file.stem for file in files] == ["noisy", "plain"] * 2
        assert not list(repository.rglob("*.tmp")) and not list(repository.rglob("*.shards"))
        for kind, end in (("pdf", b"%%EOF\n"), ("png", b"IEND\xaeB`\x82")):
            assert (repository / target).with_suffix(f".{kind}").read_bytes().endswith(end)
        json.loads((repository / target).with_suffix(".json").read_text())
        return (repository / target).read_bytes(), [records_of(file).to_csv() for file in files]

    def finished() -> None:
        assert not done & set(begun())
        found = drawn()
        assert found == expected
        clear()

    def clear() -> None:
        done.clear()
        for name in ("results", "figures", ".snakemake", "logs"):
            shutil.rmtree(repository / name)

    seconds = seconds_of(begin)
    assert len(begun()) == 12
    expected = drawn()
    clear()
    endure(begin, KILLS["snakemake"], seconds, killed, finished)
