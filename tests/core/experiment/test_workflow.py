"""What the Snakefile is told: configuration, targets, inputs. tests/test_snakemake.py runs Snakemake itself."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import UnknownNameError, UserError
from core.experiment.drawings import state_of
from core.experiment.outputs import one_of
from core.experiment.runner import run_cell
from core.experiment.targets import Asked
from core.experiment.workflow import Workflow

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def workflow(toy, tmp_path, monkeypatch):
    """Workflows over the toy: their catalogue is read by the fixture, which knows the package's name."""
    monkeypatch.setattr("core.experiment.workflow.Catalogue", lambda root: toy())
    (tmp_path / "papers").symlink_to(tmp_path / "toypapers")
    return lambda *targets, anew=False, **config: Workflow(
        config, tmp_path, lambda: Asked(targets or ("all",), anew), [].append
    )


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


def state_file(name: str) -> str:
    return f".snakemake/drawings/{name}"


def test_a_drawing_of_shipped_runs_depends_on_its_state_alone(workflow):
    flow = workflow()
    assert flow.inputs(flow.outputs.drawing("toy/table1", "")) == [state_file("toy/table1")]


def test_a_drawing_of_own_runs_depends_on_these_whether_present_or_not(workflow):
    flow = workflow(runs="run")
    state, *cells = flow.inputs(flow.outputs.drawing("toy/fig1", "own/"))
    assert state == state_file("own/toy/fig1")
    assert "results/run/quick/toy/fit/curve/noisy.parquet" in cells
    assert "results/run/paper/toy/count/line/plain.parquet" in cells, "quick is an alias of paper there"
    assert len(cells) == 5


def test_own_drawings_do_without_cells_whose_optional_package_is_missing(workflow, edit):
    edit("    description: one integer a run\n", "    description: one\n    extras: {plain: no_such_package}\n")
    flow = workflow("toy", runs="run")
    inputs = flow.inputs(flow.outputs.drawing("toy/fig1", "own/"))
    assert len(inputs) == 5 and not any("toy/count" in file for file in inputs)
    assert flow.announcement() == "4 cells to run; 4 were never timed"


def test_everything_is_every_file_of_every_artifact_and_the_page(workflow):
    names = ["figures/comparison.html"]
    names += [f"figures/toy/table1.{end}" for end in ("pdf", "png", "csv", "md", "tex", "json")]
    names += [f"figures/toy/fig1.{end}" for end in ("pdf", "png", "json")]
    assert sorted(workflow().all_targets()) == sorted(names)
    own = [name.replace("figures/", "figures/own/") for name in names]
    assert sorted(workflow(runs="run").all_targets()) == sorted(own)


class TestStateFile:
    """Snakemake draws what is older than its state file."""

    def test_is_written_when_the_state_changes_and_at_no_other_time(self, workflow, tmp_path, edit):
        path = tmp_path / state_file("toy/table1")

        def plan():
            flow = workflow()
            flow.inputs(flow.outputs.drawing("toy/table1", ""))
            return path.read_text(), path.stat().st_mtime_ns

        first = plan()
        assert plan() == first
        edit("title: Means of draws", "title: Means")
        second = plan()
        assert second[0] != first[0] and second[1] > first[1]

    def test_are_there_before_the_first_is_asked_for(self, workflow, tmp_path):
        flow = workflow("figures/own/toy/table1.pdf", "figures/own/fig1.png")
        flow.write_states()
        assert sorted(path.name for path in (tmp_path / state_file("own/toy")).iterdir()) == ["fig1", "table1"]

    def test_is_older_than_a_drawing_that_somebody_else_brought_up_to_date(self, workflow, tmp_path, draw):
        flow = workflow()
        drawn = flow.outputs.drawing("toy/table1", "")
        draw(drawn)
        flow.inputs(drawn)
        written = (tmp_path / state_file("toy/table1")).stat().st_mtime
        assert all(written < (tmp_path / file).stat().st_mtime for file in drawn.files)


@pytest.fixture
def draw(toy, tmp_path):
    """Writes what a drawing's files are told apart by: the sidecar with the state of now, and empty others."""

    def write(drawn):
        for file in drawn.files:
            (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file).touch()
        (tmp_path / f"{drawn.stem}.json").write_text(json.dumps({"state": state_of(toy(), drawn)}))

    return write


class TestOutdated:
    @pytest.fixture
    def many(self, workflow, edit):
        """Workflows over ten figures and a table."""
        figure = "    kind: figure\n    comparison: shape\n    title: T\n"
        source = "    source: {document: note, place: Fig}\n    experiments: [fit]\n"
        edit("artifacts:\n", "artifacts:\n" + "".join(f"  extra{i}:\n{figure}{source}" for i in range(9)))
        return workflow

    def test_all_that_is_out_of_date(self, many, draw):
        flow = many("toy")
        outdated = flow.outdated("")
        assert sorted(drawn.name for drawn in outdated) == sorted(flow.catalogue.artifacts)
        assert flow.targets("toy") == [".snakemake/drawn/done"] and flow.outdated("own/") == []
        for drawn in outdated[:5]:
            draw(drawn)
        assert many().outdated("") == outdated[5:]

    def test_none_where_few_are(self, many, draw):
        first, *others, last = many().everything
        for drawn in others:
            draw(drawn)
        flow = many()
        assert flow.outdated("") == [] and set(first.files + last.files) < set(flow.targets("toy"))

    def test_what_is_drawn_together_is_waited_for_and_the_rest_by_its_files(self, many, draw):
        current = many().everything[0]
        draw(current)
        flow = many()
        assert flow.all_targets() == ["figures/comparison.html", ".snakemake/drawn/done", *current.files]
        assert flow.page_inputs("") == [".snakemake/drawn/done", f"{current.stem}.json"]

    def test_a_file_that_is_a_target_is_a_job_of_its_own(self, many):
        flow = many("all", "figures/toy/table1.pdf")
        drawn = flow.outputs.drawing("toy/table1", "")
        assert drawn not in flow.outdated("") and len(flow.outdated("")) == 10
        assert set(drawn.files) < set(flow.targets("toy"))

    def test_nothing_is_left_out_where_all_is_forced(self, many, draw):
        for drawn in many().everything:
            draw(drawn)
        assert many().outdated("") == []
        assert len(many(anew=True).outdated("")) == 11

    def test_own_drawings_wait_for_their_runs(self, many, tmp_path):
        flow = many("toy", runs="run")
        assert flow.outdated("own/") == []
        for cell in flow.catalogue.cells("toy", "fit", "quick"):
            run_cell(cell, flow.catalogue.function(cell), tmp_path)
        outdated = many("toy", runs="run").outdated("own/")
        assert sorted(drawn.artifact for drawn in outdated) == ["extra0", *(f"extra{i}" for i in range(1, 9)), "table1"]
        assert {drawn.source for drawn in outdated} == {"run"}

    def test_what_a_killed_call_left_behind_hides_nothing(self, many, tmp_path):
        """Snakemake would take the file of the rule for what it says."""
        left = tmp_path / ".snakemake/drawn/done"
        left.parent.mkdir(parents=True)
        left.touch()
        many("toy").begin()
        assert not left.exists()


class TestTargets:
    @pytest.mark.parametrize(
        "target",
        [
            "figures/toy/table1.pdf",
            "figures/toy/fig1.png",
            "figures/table1.tex",
            "figures/comparison.html",
            "results/run/paper/toy/fit/line/plain.parquet",
            "toy",
            "all",
            "core/errors.py",
        ],
    )
    def test_known_and_foreign_words_pass(self, workflow, target):
        flow = workflow(target)
        flow.begin()
        assert not re.fullmatch(flow.outputs.unknown(), target) or target in ("all", "toy"), "these are rules"

    @pytest.mark.parametrize(
        "target, nearest",
        [
            ("figures/toy/tabel1.pdf", "figures/toy/table1.pdf"),
            ("figures/tabel1.csv", "figures/table1.csv"),
            ("figures/own/toy/tabel1.csv", "figures/own/toy/table1.csv"),
            ("figures/comparson.html", "figures/comparison.html"),
            ("figures/toy/fig1.csv", "figures/toy/fig1.png"),
            ("results/run/paper/toy/fit/lin/plain.parquet", "results/run/paper/toy/fit/line/plain.parquet"),
        ],
    )
    def test_a_mistyped_file_names_the_nearest(self, workflow, target, nearest):
        flow = workflow(target)
        with pytest.raises(UnknownNameError) as caught:
            flow.begin()
        assert str(caught.value).startswith(f"unknown file '{target}'; did you mean ")
        assert repr(nearest) in str(caught.value)
        assert re.fullmatch(flow.outputs.unknown(), target), "Snakemake asks for it"

    def test_a_cell_that_its_names_do_not_have_together(self, workflow):
        target = "results/run/quick/toy/count/line/plain.parquet"
        with pytest.raises(UnknownNameError, match=r" or 'results/run/paper/toy/count/line/plain\.parquet'\?$"):
            workflow(target).begin()

    def test_a_mistyped_name(self, workflow):
        flow = workflow("toi")
        assert re.fullmatch(flow.outputs.unknown(), "toi")
        with pytest.raises(UnknownNameError, match="unknown target 'toi'; did you mean 'toy'"):
            flow.outputs.check("toi")

    def test_an_input_function_ends_in_one_line(self, workflow):
        with pytest.raises(SystemExit, match=r"^unknown file 'figures/tabel1\.csv'; did you mean "):
            workflow("figures/tabel1.csv").input(lambda wildcards: [])(None)

    def test_short_names_that_two_papers_share_are_no_targets(self, workflow, tmp_path):
        folder = tmp_path / "toypapers" / "again"
        shutil.copytree(tmp_path / "toypapers" / "toy", folder)
        text = (folder / "paper.yaml").read_text()
        (folder / "paper.yaml").write_text(text.replace("paper: toy", "paper: again"))
        told = "2 papers have an artifact 'table1'; allowed: again/table1 or toy/table1"
        for target in ("figures/table1.pdf", "figures/own/table1.png"):
            with pytest.raises(UserError, match=told):
                workflow(target).begin()

    def test_own_runs_are_never_drawn_over_shipped_ones(self, workflow):
        with pytest.raises(UserError, match=r"from your own it is figures/own/toy/table1\.pdf"):
            workflow("figures/toy/table1.pdf", runs="run").begin()
        workflow("figures/own/toy/table1.pdf").begin()

    def test_a_broken_paper_stops_what_needs_it(self, workflow, tmp_path, edit):
        shutil.copytree(tmp_path / "toypapers" / "toy", tmp_path / "toypapers" / "again")
        for target in ("all", "again", "figures/again/table1.pdf"):
            with pytest.raises(UserError, match=r"again/paper\.yaml"):
                workflow(target).begin()

    def test_a_broken_paper_is_named_where_it_is_left_out(self, toy, workflow, tmp_path):
        shutil.copytree(tmp_path / "toypapers" / "toy", tmp_path / "toypapers" / "again")
        said = []
        Workflow({}, tmp_path, lambda: Asked(("toy",)), said.append).begin()
        assert said[0].startswith("left out: ") and "again/paper.yaml" in said[0]


def test_cells_by_their_path(workflow):
    flow = workflow()
    assert flow.cell("toy", "fit", "line", "plain", "paper").runs == 25
    with pytest.raises(
        UserError, match=r"results/run/paper/toy/count/curve/plain\.parquet: no such cell; see python -m"
    ):
        flow.cell("toy", "count", "curve", "plain", "paper")
    assert flow.outputs.cell_names("scale") == {"smoke", "quick", "paper"}
    assert flow.outputs.cell_names("benchmark") == {"line", "curve", "bundled"}


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
