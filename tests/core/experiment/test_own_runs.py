"""Your own runs in a plan of Snakemake: which are finished, what each reads, and what is announced."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from core.experiment.own_runs import OwnRuns
from core.experiment.runner import run_cell
from core.experiment.storage import write_records
from core.experiment.targets import Asked
from core.experiment.workflow import Workflow

OWN, SHIPPED = (f"results/{source}/smoke/toy/fit/bundled/plain.parquet" for source in ("run", "reference"))
COUNT = "results/run/smoke/toy/count/bundled/plain.parquet"


@pytest.fixture
def workflow(toy, tmp_path, monkeypatch):
    """Workflows over the toy; see test_workflow.py."""
    monkeypatch.setattr("core.experiment.workflow.Catalogue", lambda root: toy())
    return lambda *targets, **config: Workflow(config, tmp_path, lambda: Asked(targets or ("all",)))


@pytest.fixture
def needing(toy, edit):
    """The experiment `count` reads what `fit` wrote."""
    edit("    description: one integer a run\n", "    description: one integer a run\n    needs: [fit]\n")
    edit("smoke: {runs: 1, cut: 1 run}", "smoke: {runs: 1, cut: 1 run, benchmarks: [bundled]}")


@pytest.fixture
def made(toy, tmp_path):
    """Runs cells, with other repetitions or settings if asked for, and ships them if asked to."""

    def make(name: str, ship: bool = False, **changes) -> None:
        catalogue = toy()
        for cell in catalogue.find_cells(name, "smoke"):
            path = run_cell(replace(cell, **changes), catalogue.function(cell), tmp_path, say=[].append)
            if ship:
                shipped = cell.path(tmp_path, "reference")
                shipped.parent.mkdir(parents=True, exist_ok=True)
                path.rename(shipped)

    return make


class TestStateFile:
    """Snakemake runs a cell again whose state file is newer than the cell's file, and has another text than before."""

    def state(self, toy, root) -> tuple[bool, str]:
        """Whether the state file is newer than the cell's, and its text."""
        [cell] = toy().find_cells("toy/fit/bundled/plain", "smoke")
        file = root / OwnRuns(root, [cell]).inputs(cell)[0]
        return file.stat().st_mtime > (root / OWN).stat().st_mtime, file.read_text()

    def test_older_than_what_is_finished_however_it_was_made(self, toy, made, tmp_path):
        made("toy/fit/bundled/plain")
        assert not self.state(toy, tmp_path)[0]
        made("toy/fit/bundled/plain", runs=9)
        assert not self.state(toy, tmp_path)[0]

    def test_newer_than_what_is_short(self, toy, made, tmp_path):
        made("toy/fit/bundled/plain", runs=1)
        assert self.state(toy, tmp_path) == self.state(toy, tmp_path) and self.state(toy, tmp_path)[0]

    def test_newer_than_what_is_damaged(self, toy, made, tmp_path):
        made("toy/fit/bundled/plain")
        before = self.state(toy, tmp_path)
        (tmp_path / OWN).write_bytes(b"PAR1")
        newer, text = self.state(toy, tmp_path)
        assert newer and text != before[1]

    def test_newer_than_what_was_made_with_other_settings(self, toy, made, edit, tmp_path):
        made("toy/fit/bundled/plain")
        for _ in range(2):
            edit("settings: {points: 2}", "settings: {points: 3}")
            assert self.state(toy, tmp_path)[0]
            edit("settings: {points: 3}", "settings: {points: 2}")
            assert not self.state(toy, tmp_path)[0]

    def test_are_there_before_snakemake_looks(self, needing, workflow, tmp_path):
        workflow(COUNT).write_states()
        folder = tmp_path / ".snakemake/cells/smoke/toy"
        assert sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()) == [
            "count/bundled/plain",
            "fit/bundled/noisy",
            "fit/bundled/plain",
        ]


class TestWhatACellReads:
    """The file that Snakemake waits for is the one that the run reads: your own, then the shipped one."""

    def read(self, workflow, *targets, **config) -> list[str]:
        flow = workflow(*targets, **config)
        return flow.cell_inputs(flow.cell("toy", "count", "bundled", "plain", "smoke"))[1:]

    @pytest.mark.parametrize("source", ["run", "reference"])
    def test_own_before_shipped(self, needing, workflow, made, source):
        assert self.read(workflow, runs=source)[0] == OWN, "it is to be made"
        made("toy/fit", ship=True)
        assert self.read(workflow, runs=source)[0] == SHIPPED, "nothing is to be made"
        made("toy/fit")
        assert self.read(workflow, runs=source)[0] == OWN

    def test_what_is_itself_wanted_is_waited_for(self, needing, workflow, made):
        made("toy/fit", ship=True)
        assert self.read(workflow, OWN, COUNT)[0] == OWN

    def test_not_what_is_short_or_damaged(self, needing, workflow, made, tmp_path):
        made("toy/fit", ship=True)
        made("toy/fit", runs=1)
        assert self.read(workflow)[0] == SHIPPED
        (tmp_path / OWN).write_bytes(b"PAR1")
        assert self.read(workflow)[0] == OWN, "it is to be made again"


class TestAnnouncement:
    def test_counts_what_is_needed_as_well(self, needing, workflow, made):
        assert workflow(COUNT).announcement() == "3 cells to run; 3 were never timed"
        made("toy/fit", ship=True)
        assert workflow(COUNT).announcement() == "1 cell to run; 1 was never timed"

    def test_counts_what_is_short(self, workflow, made):
        made("toy/fit/bundled/plain", runs=1)
        assert workflow(OWN).announcement().startswith("1 cell to run, about ")
        made("toy/fit/bundled/plain")
        assert workflow(OWN).announcement() == ""


def test_what_is_missing_is_announced_with_its_time(workflow, toy, tmp_path):
    assert workflow("toy").announcement() == ""
    path = "results/run/quick/toy/fit/line/plain.parquet"
    assert workflow(path).announcement() == "1 cell to run; 1 was never timed"
    assert workflow("toy", runs="run").announcement() == "5 cells to run; 5 were never timed"
    [cell] = toy().find_cells("toy/fit/line/plain", "quick")
    for seconds, file in ((90.0, path.replace("/run/", "/reference/")), (1.0, path)):
        records = pd.DataFrame({"run": range(3), "status": "ok", "message": ""})
        notes = {"settings_hash": cell.settings_hash, "runs": 3, "commit": "", "seeds": {}, "peak_memory_mb": 1.0}
        write_records(tmp_path / file, records, {**notes, "wall_seconds": seconds})
        if seconds > 1:
            text = "1 cell to run, about 1 min 30 s of computing by earlier runs"
            assert workflow(path).announcement() == text
    assert workflow(path).announcement() == ""
