"""What cells ask of a cluster, and that the profiles of Snakemake agree with it and with each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml

from core.experiment import SCALES
from core.experiment.cells import Cell
from core.experiment.costs import SHORT, SHORT_MINUTES, UNKNOWN_MEMORY, UNKNOWN_MINUTES, Jobs, depth
from core.experiment.paper import Papers
from core.experiment.settings import Settings
from core.experiment.storage import REQUIRED, write_records
from core.experiment.workflow import Workflow

ROOT = Path(__file__).resolve().parents[3]
CELL = Cell("toy", "fit", "line", "plain", "paper", 20, Settings(), "fit")
READER = replace(CELL, experiment="read", needs=(CELL,))


def record(cell: Cell, root: Path, seconds: float, memory: float = 600.0) -> None:
    frame = pd.DataFrame({"run": range(cell.runs), "status": "ok", "message": ""})
    known = {"runs": cell.runs, "wall_seconds": seconds, "peak_memory_mb": memory, "settings_hash": cell.settings_hash}
    write_records(cell.path(root, "reference"), frame, dict.fromkeys(REQUIRED, 1) | known)


def test_a_cell_asks_for_a_few_times_what_was_recorded(tmp_path):
    record(CELL, tmp_path, 1200.0)
    jobs = Jobs(tmp_path)
    assert jobs.minutes(CELL) == 65 and jobs.memory_mb(CELL) == 1400


@pytest.mark.parametrize("attempt", [1, 2, 3])
def test_each_attempt_gets_twice_as_much(tmp_path, attempt):
    record(CELL, tmp_path, 60.0)
    for cell in (CELL, replace(CELL, method="unknown")):
        jobs = Jobs(tmp_path)
        assert jobs.minutes(cell, attempt) == 2 ** (attempt - 1) * jobs.minutes(cell)
        assert jobs.memory_mb(cell, attempt) == 2 ** (attempt - 1) * jobs.memory_mb(cell)


def test_a_cell_that_was_never_recorded_has_a_job_of_its_own_and_room(tmp_path):
    jobs = Jobs(tmp_path)
    assert (jobs.minutes(CELL), jobs.memory_mb(CELL), jobs.shared(CELL)) == (UNKNOWN_MINUTES, UNKNOWN_MEMORY, None)


def test_smoke_takes_seconds_by_itself(tmp_path):
    smoke = replace(CELL, scale="smoke")
    assert Jobs(tmp_path).minutes(smoke) < SHORT_MINUTES and Jobs(tmp_path).shared(smoke) == f"{SHORT}0"


def test_only_short_cells_of_the_same_depth_share_jobs(tmp_path):
    """Three cells that read each other's records in a row: the first and last must never wait for each other."""
    last = replace(CELL, experiment="last", needs=(READER, replace(CELL, method="other")))
    for cell in (CELL, READER, last):
        record(cell, tmp_path, 10.0)
    assert [depth(cell) for cell in (CELL, READER, last)] == [0, 1, 2]
    assert [Jobs(tmp_path).shared(cell) for cell in (CELL, READER, last)] == [f"{SHORT}{place}" for place in range(3)]
    record(READER, tmp_path, 60.0 * SHORT_MINUTES)
    assert Jobs(tmp_path).shared(READER) is None


def test_the_workflow_asks_for_the_cell_behind_wildcards(toy, tmp_path, monkeypatch):
    monkeypatch.setattr("core.experiment.workflow.Papers", lambda root: toy())
    flow = Workflow({}, tmp_path)
    names = {"paper": "toy", "experiment": "fit", "method": "plain"}
    smoke = SimpleNamespace(scale="smoke", benchmark="bundled", **names)
    assert (flow.job(smoke), flow.minutes(smoke, 1), flow.memory_mb(smoke, 2)) == (f"{SHORT}0", 8, 2 * UNKNOWN_MEMORY)
    paper = SimpleNamespace(scale="paper", benchmark="line", **names)
    assert flow.job(paper) is None and flow.minutes(paper, 1) == UNKNOWN_MINUTES


class TestProfiles:
    def read(self, name: str) -> dict:
        return yaml.safe_load((ROOT / f"profiles/{name}/config.yaml").read_text())

    def test_slurm_replaces_the_default_one_and_states_all_of_it(self):
        default, slurm = self.read("default"), self.read("slurm")
        assert {name: slurm[name] for name in default if name != "cores"} == {
            name: value for name, value in default.items() if name != "cores"
        }
        assert slurm["cores"] == 1, "cells of one job run one after the other"

    def test_every_kind_of_shared_job_has_a_size(self):
        papers = Papers(ROOT)
        deepest = max(
            depth(cell)
            for paper, spec in papers.valid.items()
            for experiment in spec.experiments
            for scale in SCALES
            for cell in papers.paper(paper).cells(experiment, scale)
        )
        sized = {kind.partition("=")[0] for kind in self.read("slurm")["group-components"]}
        assert {f"{SHORT}{place}" for place in range(deepest + 1)} <= sized
