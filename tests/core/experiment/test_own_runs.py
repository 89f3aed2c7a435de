"""Your own runs in a plan of Snakemake: which are finished, what each reads, and what is announced."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from core.experiment.outputs import CELL
from core.experiment.own_runs import OwnRuns
from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.experiment.storage import write_records
from core.experiment.workflow import Workflow

OWN, SHIPPED = (f"results/{source}/smoke/toy/fit/bundled/plain.parquet" for source in ("run", "reference"))
COUNT = "results/run/smoke/toy/count/bundled/plain.parquet"


@pytest.fixture
def workflow(toy, tmp_path, monkeypatch):
    """Workflows over the toy, and what they said; see test_workflow.py."""
    monkeypatch.setattr("core.experiment.workflow.Catalogue", lambda root: toy())
    (tmp_path / "papers").symlink_to(tmp_path / "toypapers")

    def make(**config):
        said = []
        return Workflow(config, tmp_path, said.append), said

    return make


@pytest.fixture
def cell(toy):
    """A cell at scale smoke."""
    return lambda name: find_cells(toy(), name, "smoke")[0]


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
        for cell in find_cells(catalogue, name, "smoke"):
            path = run_cell(replace(cell, **changes), catalogue.function(cell), tmp_path, say=[].append)
            if ship:
                shipped = cell.path(tmp_path, "reference")
                shipped.parent.mkdir(parents=True, exist_ok=True)
                path.rename(shipped)

    return make


class TestSettingsFile:
    """Snakemake runs a cell again whose settings file is newer than the cell's file."""

    @pytest.fixture
    def newer(self, cell, tmp_path):
        """Whether the settings file is newer than the cell's; None if there is none to compare with."""

        def look() -> bool | None:
            found = OwnRuns(tmp_path).inputs(cell("toy/fit/bundled/plain"))
            if not found:
                return None
            return (tmp_path / found[0]).stat().st_mtime_ns > (tmp_path / OWN).stat().st_mtime_ns

        return look

    def test_what_was_made_by_hand_and_is_finished_needs_none(self, made, newer):
        made("toy/fit/bundled/plain")
        assert newer() is None
        made("toy/fit/bundled/plain", runs=9)
        assert newer() is None

    def test_is_there_before_the_run_and_older_than_it(self, cell, made, newer, tmp_path):
        OwnRuns(tmp_path).inputs(cell("toy/fit/bundled/plain"))
        made("toy/fit/bundled/plain")
        assert newer() is False and newer() is False

    def test_newer_than_what_is_short_until_it_is_whole(self, made, newer):
        made("toy/fit/bundled/plain", runs=1)
        assert newer() and newer()
        made("toy/fit/bundled/plain")
        assert newer() is False

    def test_newer_than_what_is_damaged(self, cell, made, newer, tmp_path):
        OwnRuns(tmp_path).inputs(cell("toy/fit/bundled/plain"))
        made("toy/fit/bundled/plain")
        (tmp_path / OWN).write_bytes(b"PAR1")
        assert newer()

    def test_newer_than_what_was_made_with_other_settings(self, made, newer, edit):
        made("toy/fit/bundled/plain")
        edit("settings: {points: 2}", "settings: {points: 3}")
        assert newer()
        made("toy/fit/bundled/plain")
        assert newer() is False


class TestWhatACellReads:
    """The file that Snakemake waits for is the one that the run reads: your own, then the shipped one."""

    @pytest.fixture
    def read(self, cell, tmp_path):
        """The file of `fit` that `count` waits for, where the cells of some names are wanted."""

        def look(*wanted: str) -> str:
            own = OwnRuns(tmp_path)
            own.missing(map(cell, wanted))
            return next(name for name in own.inputs(cell("toy/count/bundled/plain")) if name in (OWN, SHIPPED))

        return look

    def test_own_before_shipped(self, needing, read, made):
        assert read() == OWN, "it is to be made"
        made("toy/fit", ship=True)
        assert read() == SHIPPED, "nothing is to be made"
        made("toy/fit")
        assert read() == OWN

    def test_what_is_itself_wanted_is_waited_for(self, needing, read, made):
        made("toy/fit", ship=True)
        assert read("toy/fit/bundled/plain") == OWN

    def test_not_what_is_short_or_damaged(self, needing, read, made, tmp_path):
        made("toy/fit", ship=True)
        made("toy/fit", runs=1)
        assert read() == SHIPPED
        (tmp_path / OWN).write_bytes(b"PAR1")
        assert read() == OWN, "it is to be made again"


class TestMissing:
    """What a plan announces."""

    @pytest.fixture
    def names(self, cell, tmp_path):
        return lambda name: [each.name for each in OwnRuns(tmp_path).missing([cell(name)])]

    def test_what_is_read_as_well(self, needing, names, made):
        assert len(names("toy/count/bundled/plain")) == 3
        made("toy/fit", ship=True)
        assert names("toy/count/bundled/plain") == ["toy/count/bundled/plain"]

    def test_what_is_short(self, names, made):
        made("toy/fit/bundled/plain", runs=1)
        assert names("toy/fit/bundled/plain") == ["toy/fit/bundled/plain"]
        made("toy/fit/bundled/plain")
        assert names("toy/fit/bundled/plain") == []


def test_what_is_missing_is_announced_once_with_its_time(workflow, toy, tmp_path):
    flow, said = workflow()
    flow.inputs("toy/table1", "")
    assert said == []
    flow, said = workflow(runs="run")
    flow.inputs_of_paper("toy")
    flow.inputs_of_paper("toy")
    assert said == ["toy: 5 cells to run; 5 were never timed"]
    for each in find_cells(toy(), "toy/fit", "quick"):
        records = pd.DataFrame({"run": range(3), "status": "ok", "message": ""})
        notes = {"settings_hash": each.settings_hash, "runs": 3, "commit": "", "seeds": {}, "peak_memory_mb": 1.0}
        write_records(each.path(tmp_path, "reference"), records, {**notes, "wall_seconds": 22.5})
    flow, said = workflow(runs="run")
    flow.inputs_of_paper("toy")
    assert said == ["toy: 5 cells to run, about 1 min 30 s of computing by earlier runs; 1 was never timed"]


@pytest.mark.parametrize("asked", [1, 3])
def test_a_plan_looks_at_each_settings_file_once(workflow, edit, tmp_path, monkeypatch, asked):
    """However many cells are in a folder, and however often Snakemake asks: a plan grows with its cells alone."""
    looks = Counter()

    def counted(name):
        original = getattr(Path, name)

        def look(self, *arguments, **options):
            looks[str(self)] += "settings" in self.parts
            return original(self, *arguments, **options)

        monkeypatch.setattr(Path, name, look)

    edit("noisy: {noise: 0.5}", "\n      ".join(f"noisy{number}: {{noise: 0.{number + 1}}}" for number in range(40)))
    flow, _ = workflow(runs="run")
    cells = [cell for cell in flow.catalogue.cells("toy", "fit", "quick") if cell.benchmark == "line"]
    assert len(cells) == 41
    counted("stat")
    counted("open")
    for _ in range(asked):
        for cell in cells:
            files = flow.cell_inputs(SimpleNamespace(**{part: getattr(cell, part) for part in CELL}))
            assert files == [f".snakemake/settings/quick/toy/fit/line/{cell.method}"]
            assert sum(file.name.startswith("noisy") for file in (tmp_path / files[0]).parent.iterdir()) == 40
    by_cell = [looks[str(tmp_path / ".snakemake/settings/quick/toy/fit/line" / cell.method)] for cell in cells]
    assert set(by_cell) == {1}, "whether it is there; nothing is read that is not"
