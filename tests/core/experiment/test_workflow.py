"""What the Snakefile is told: configuration, targets, inputs. tests/test_snakemake.py runs Snakemake itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.experiment.storage import write_records
from core.experiment.workflow import CELL, NOW, Workflow, in_one_line, one_of
from core.foundation.errors import UnknownNameError, UserError

ROOT = Path(__file__).resolve().parents[3]
OWN, SHIPPED = (f"results/{source}/smoke/toy/fit/bundled/plain.parquet" for source in ("run", "reference"))


@pytest.fixture
def workflow(toy, tmp_path, monkeypatch):
    """Workflows over the toy: their papers are read by the fixture, which knows the package's name."""
    monkeypatch.setattr("core.experiment.workflow.Papers", lambda root: toy())
    (tmp_path / "papers").symlink_to(tmp_path / "toypapers")
    return lambda say=print, **config: Workflow(config, tmp_path, say, ancient=lambda file: f"ancient {file}")


@pytest.mark.parametrize(
    "config, message",
    [
        ({"scale": "papr"}, "unknown value of --config scale 'papr'; did you mean 'paper'?"),
        ({"runs": 10}, "unknown value of --config runs '10'; existing: reference, run"),
        ({"scal": "paper"}, "unknown configuration key (--config) 'scal'; did you mean 'scale'?"),
        ({"scale": ["paper"]}, "unknown value of --config scale"),
    ],
)
def test_the_configuration_is_validated(workflow, config, message):
    with pytest.raises(UnknownNameError) as caught:
        workflow(**config)
    assert str(caught.value).startswith(message)


def runs_of(inputs) -> list[str]:
    return [name for name in inputs if name.startswith("results/")]


def test_a_drawing_of_shipped_runs_is_made_from_those_that_are_there(workflow, toy, tmp_path):
    assert runs_of(workflow().inputs("toy/table1", "")) == []
    shipped = find_cells(toy(), "toy/count/line/plain", "quick")[0].path(tmp_path, "reference")
    shipped.parent.mkdir(parents=True)
    shipped.touch()
    expected = [str(shipped.relative_to(tmp_path))]
    for asked in (
        workflow().inputs("toy/table1", ""),
        workflow().inputs("table1", ""),
        workflow().inputs_of_paper("toy"),
    ):
        assert runs_of(asked) == expected, "whichever rule draws it"
        assert {"toypapers/toy/paper.yaml", "toypapers/toy/published/table1.csv"} < set(asked)


def test_a_drawing_of_own_runs_is_made_from_these_whether_present_or_not(workflow):
    cells = runs_of(workflow(runs="run").inputs("toy/fig1", "own/"))
    assert "results/run/quick/toy/fit/curve/noisy.parquet" in cells
    assert "results/run/paper/toy/count/line/plain.parquet" in cells, "quick is an alias of paper there"
    assert len(cells) == 5 and len(runs_of(workflow().inputs("toy/table1", "own/"))) == 4


def test_own_drawings_do_without_cells_whose_optional_package_is_missing(workflow, edit):
    edit("    description: one integer a run\n", "    description: one\n    extras: {plain: no_such_package}\n")
    cells = runs_of(workflow(runs="run").inputs("toy/fig1", "own/"))
    assert len(cells) == 4 and not any("toy/count" in file for file in cells)


def counts(inputs: list[str]) -> bool:
    """Whether the time of the file that is as new as the call counts, so that Snakemake makes the output again."""
    assert [name.removeprefix("ancient ") for name in inputs].count(NOW) == 1
    return NOW in inputs


def test_a_drawing_made_by_hand_at_another_scale_is_drawn_again(workflow, tmp_path):
    assert not counts(workflow().inputs("toy/table1", "")), "not drawn"
    sidecar = tmp_path / "figures/toy/table1.json"
    sidecar.parent.mkdir(parents=True)
    for scale in ("quick", "paper"):
        sidecar.write_text(json.dumps({"drawn_at": scale}))
        assert counts(workflow().inputs("toy/table1", "")) == (scale == "paper")
    assert not counts(workflow(scale="paper").inputs("toy/table1", ""))


def test_each_call_has_a_new_file_and_a_job_of_it_has_not(workflow, tmp_path):
    for main in (True, False, False):
        Workflow({}, tmp_path, main=main)
        assert ((tmp_path / NOW).stat().st_mtime > 0) == main
        os.utime(tmp_path / NOW, (0, 0))


def test_drawings_are_every_file_of_every_artifact(workflow):
    names = [f"figures/toy/table1.{end}" for end in ("pdf", "png", "csv", "md", "tex", "rst", "json")]
    names += [f"figures/toy/fig1.{end}" for end in ("pdf", "png", "rst", "json")]
    assert sorted(workflow().drawings("toy")) == sorted(names)
    own = [name.replace("figures/", "figures/own/") for name in names]
    assert sorted(workflow(runs="run").drawings("toy")) == sorted(own)


def test_images_are_in_snakemakes_report_with_their_captions(workflow):
    flow = workflow()
    shown = {file: found for file in flow.drawings("toy") if (found := flow.in_report(file))}
    assert sorted(shown) == ["figures/toy/fig1.png", "figures/toy/table1.png"]
    spec = flow.papers.paper("toy").artifacts["fig1"]
    assert shown["figures/toy/fig1.png"]["caption"] == "figures/toy/fig1.rst"
    assert shown["figures/toy/fig1.png"]["labels"] == {"place": spec.source.place, "title": spec.title}


class TestUnknown:
    """What no rule makes has a rule of its own, which says what is near."""

    @pytest.mark.parametrize(
        "target, told",
        [
            ("figures/toy/tabel1.pdf", "unknown file 'figures/toy/tabel1.pdf'; did you mean 'figures/toy/table1.pdf'"),
            ("figures/tabel1.csv", "unknown file 'figures/tabel1.csv'; did you mean "),
            ("results/run/paper/toy/count/lin/plain.parquet", "unknown file 'results/run/paper/toy/count/lin/plain"),
            ("toi", "unknown target 'toi'; did you mean 'toy'"),
        ],
    )
    def test_is_named(self, workflow, target, told):
        flow = workflow()
        assert re.fullmatch(flow.unknown(), target)
        with pytest.raises(SystemExit, match=re.escape(told)):
            in_one_line(lambda wildcards: flow.check(target))(None)

    @pytest.mark.parametrize(
        "target",
        ["figures/toy/table1.pdf", "figures/own/table1.tex", "figures/own/comparison.html",
         "results/run/paper/toy/count/line/plain.parquet"],
    )  # fmt: skip
    def test_what_a_rule_makes_does_not_match(self, workflow, target):
        assert not re.fullmatch(workflow().unknown(), target)

    def test_what_has_no_short_name_is_no_target(self, workflow, edit, tmp_path):
        edit("short_names: [table1, fig1]\n", "")
        folder = tmp_path / "toypapers" / "again"
        shutil.copytree(tmp_path / "toypapers" / "toy", folder)
        text = (folder / "paper.yaml").read_text()
        (folder / "paper.yaml").write_text(
            text.replace("paper: toy", "paper: again").replace("short_names: [table1, fig1]\n", "")
        )
        told = "artifact 'table1': no short name; allowed: again/table1 or toy/table1"
        for target in ("figures/table1.pdf", "figures/own/table1.png"):
            with pytest.raises(UserError, match=told):
                workflow().check(target)


def test_own_runs_are_never_drawn_over_shipped_ones(workflow):
    with pytest.raises(UserError, match=r"from your own it is figures/own/toy/table1$"):
        workflow(runs="run").inputs("toy/table1", "")
    assert workflow().inputs("toy/table1", "own/")


def test_a_broken_paper_stops_what_needs_it_and_is_named_where_it_is_left_out(toy, workflow, tmp_path):
    shutil.copytree(tmp_path / "toypapers" / "toy", tmp_path / "toypapers" / "again")
    said = []
    flow = Workflow({}, tmp_path, said.append)
    assert list(flow.papers.valid) == ["toy"] and said[0].startswith("left out: ") and "again/paper.yaml" in said[0]
    for broken in (
        flow.require_all,
        lambda: flow.check("again"),
        lambda: flow.check("figures/again/x.pdf"),
    ):
        with pytest.raises(UserError, match=r"again/paper\.yaml"):
            broken()


def named(*parts):
    return SimpleNamespace(**dict(zip(("paper", "experiment", "benchmark", "method", "scale"), parts, strict=True)))


def test_cells_by_their_path(workflow):
    flow = workflow()
    assert flow.cell(named("toy", "fit", "line", "plain", "paper")).runs == 25
    with pytest.raises(
        UserError, match=r"results/run/paper/toy/count/curve/plain\.parquet: no such cell; see python -m"
    ):
        flow.cell(named("toy", "count", "curve", "plain", "paper"))
    assert flow.cell_names("scale") == {"smoke", "quick", "paper"}
    assert flow.cell_names("benchmark") == {"line", "curve", "bundled"}


def test_constraints_match_names_exactly():
    constraint = one_of(["a.b", "a+b", "c"])
    assert re.fullmatch(constraint, "a.b") and re.fullmatch(constraint, "a+b")
    assert not re.fullmatch(constraint, "axb") and not re.fullmatch(constraint, "aab")
    assert not re.fullmatch(one_of([]), "")


def test_the_snakefile_imports_neither_torch_nor_pandas():
    """They would add seconds to every call of Snakemake."""
    code = "import sys; from core.experiment.workflow import Workflow; Workflow({}); print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).split()
    assert not {"torch", "pandas", "numpy", "matplotlib"} & set(loaded)


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
        papers = toy()
        for cell in find_cells(papers, name, "smoke"):
            path = run_cell(replace(cell, **changes), papers.function(cell), tmp_path, say=[].append)
            if ship:
                shipped = cell.path(tmp_path, "reference")
                shipped.parent.mkdir(parents=True, exist_ok=True)
                path.rename(shipped)

    return make


@pytest.fixture
def inputs(workflow, cell):
    """What the Snakefile is told that a cell is made from."""

    def look(name: str, flow: Workflow | None = None) -> list[str]:
        wildcards = SimpleNamespace(**{part: getattr(cell(name), part) for part in CELL})
        return (flow or workflow()).cell_inputs(wildcards)

    return look


class TestUnfinished:
    """Snakemake runs a cell again if it is told so."""

    @pytest.fixture
    def again(self, inputs):
        return lambda: counts(inputs("toy/fit/bundled/plain"))

    def test_not_what_is_finished_though_it_was_made_by_hand(self, made, again):
        made("toy/fit/bundled/plain")
        assert not again()
        made("toy/fit/bundled/plain", runs=9)
        assert not again()

    def test_what_is_short_until_it_is_whole(self, made, again):
        made("toy/fit/bundled/plain", runs=1)
        assert again() and again()
        made("toy/fit/bundled/plain")
        assert not again()

    def test_what_is_damaged(self, made, again, tmp_path):
        made("toy/fit/bundled/plain")
        (tmp_path / OWN).write_bytes(b"PAR1")
        assert again()

    def test_what_was_made_with_other_settings(self, made, again, edit):
        made("toy/fit/bundled/plain")
        edit("settings: {points: 2}", "settings: {points: 3}")
        assert again()
        made("toy/fit/bundled/plain")
        assert not again()


class TestWhatACellReads:
    """The file that Snakemake waits for is the one that the run reads: your own, then the shipped one."""

    @pytest.fixture
    def read(self, workflow, cell, inputs):
        """The file of `fit` that `count` waits for, where the cells of some names are wanted."""

        def look(*wanted: str) -> str:
            flow = workflow()
            flow.missing(map(cell, wanted))
            return next(name for name in inputs("toy/count/bundled/plain", flow) if name in (OWN, SHIPPED))

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
    def names(self, workflow, cell):
        return lambda name: [each.name for each in workflow().missing([cell(name)])]

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
    said = []
    workflow(said.append).inputs("toy/table1", "")
    assert said == []
    flow = workflow(said.append, runs="run")
    flow.inputs_of_paper("toy")
    flow.inputs_of_paper("toy")
    assert said == ["toy: 5 cells to run; 5 were never timed"]
    for each in find_cells(toy(), "toy/fit", "quick"):
        records = pd.DataFrame({"run": range(3), "status": "ok", "message": ""})
        notes = {"settings_hash": each.settings_hash, "runs": 3, "commit": "", "seeds": {}, "peak_memory_mb": 1.0}
        write_records(each.path(tmp_path, "reference"), records, {**notes, "wall_seconds": 22.5})
    workflow(said.append, runs="run").inputs_of_paper("toy")
    assert said[1:] == ["toy: 5 cells to run, about 1 min 30 s of computing by earlier runs; 1 was never timed"]
