"""What the Snakefile is told: configuration, targets, inputs. tests/test_snakemake.py runs Snakemake itself."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.experiment.outputs import one_of
from core.experiment.selection import find_cells
from core.experiment.workflow import Workflow, in_one_line
from core.foundation.errors import UnknownNameError, UserError

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def workflow(toy, tmp_path, monkeypatch):
    """Workflows over the toy: their catalogue is read by the fixture, which knows the package's name."""
    monkeypatch.setattr("core.experiment.workflow.Catalogue", lambda root: toy())
    (tmp_path / "papers").symlink_to(tmp_path / "toypapers")
    return lambda **config: Workflow(config, tmp_path)


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


def test_a_drawing_made_by_hand_at_another_scale_is_drawn_again(workflow, tmp_path):
    *_, name = workflow().inputs("toy/table1", "")
    assert (tmp_path / name).read_text() == ""
    sidecar = tmp_path / "figures/toy/table1.json"
    sidecar.parent.mkdir(parents=True)
    for scale, text in (("quick", ""), ("paper", "toy/table1 drawn at paper"), ("quick", "toy/table1 drawn at paper")):
        sidecar.write_text(json.dumps({"drawn_at": scale}))
        workflow().inputs("toy/table1", "")
        assert (tmp_path / name).read_text() == text, "older than what was drawn since"


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
    spec = flow.catalogue.paper("toy").artifacts["fig1"]
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
        assert re.fullmatch(flow.outputs.unknown(), target)
        with pytest.raises(SystemExit, match=re.escape(told)):
            in_one_line(lambda wildcards: flow.outputs.check(target))(None)

    @pytest.mark.parametrize(
        "target",
        ["figures/toy/table1.pdf", "figures/own/table1.tex", "figures/own/comparison.html",
         "results/run/paper/toy/count/line/plain.parquet"],
    )  # fmt: skip
    def test_what_a_rule_makes_does_not_match(self, workflow, target):
        assert not re.fullmatch(workflow().outputs.unknown(), target)

    def test_short_names_that_two_papers_share_are_no_targets(self, workflow, tmp_path):
        folder = tmp_path / "toypapers" / "again"
        shutil.copytree(tmp_path / "toypapers" / "toy", folder)
        text = (folder / "paper.yaml").read_text()
        (folder / "paper.yaml").write_text(text.replace("paper: toy", "paper: again"))
        told = "2 papers have an artifact 'table1'; allowed: again/table1 or toy/table1"
        for target in ("figures/table1.pdf", "figures/own/table1.png"):
            with pytest.raises(UserError, match=told):
                workflow().outputs.check(target)


def test_own_runs_are_never_drawn_over_shipped_ones(workflow):
    with pytest.raises(UserError, match=r"from your own it is figures/own/toy/table1$"):
        workflow(runs="run").inputs("toy/table1", "")
    assert workflow().inputs("toy/table1", "own/")


def test_a_broken_paper_stops_what_needs_it_and_is_named_where_it_is_left_out(toy, workflow, tmp_path):
    shutil.copytree(tmp_path / "toypapers" / "toy", tmp_path / "toypapers" / "again")
    said = []
    flow = Workflow({}, tmp_path, said.append)
    assert flow.papers == ["toy"] and said[0].startswith("left out: ") and "again/paper.yaml" in said[0]
    for broken in (
        flow.require_all,
        lambda: flow.outputs.check("again"),
        lambda: flow.outputs.check("figures/again/x.pdf"),
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
