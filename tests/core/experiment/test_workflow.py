"""What the Snakefile is told: configuration, targets, inputs. tests/test_snakemake.py runs Snakemake itself."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import UnknownNameError, UserError
from core.experiment.workflow import Workflow, one_of

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


def test_a_fresh_clone_needs_code_and_published_numbers_alone(workflow):
    assert workflow().artifact_inputs("toy/table1") == ["papers/toy/artifacts.py", "papers/toy/published/table1.csv"]
    assert workflow().artifact_inputs("toy/fig1") == ["papers/toy/artifacts.py"]


def test_shipped_runs_are_inputs_where_present(workflow, tmp_path):
    shipped = "results/reference/quick/toy/fit/line/plain.parquet"
    (tmp_path / shipped).parent.mkdir(parents=True)
    (tmp_path / shipped).touch()
    assert shipped in workflow().artifact_inputs("toy/table1")
    assert shipped not in workflow(scale="paper").artifact_inputs("toy/table1")


def test_all_own_runs_are_inputs_whether_present_or_not(workflow):
    inputs = workflow(runs="run").artifact_inputs("toy/fig1")
    cells = [path for path in inputs if path.endswith(".parquet")]
    assert "results/run/quick/toy/fit/curve/noisy.parquet" in cells
    assert "results/run/paper/toy/count/line/plain.parquet" in cells, "quick is an alias of paper there"
    assert len(cells) == 5


def test_whatever_draws_is_an_input_and_what_runs_is_not(workflow, tmp_path):
    for name in ("claims.py", "grid.py"):
        (tmp_path / "toypapers" / "toy" / name).touch()
    code = [path for path in workflow().artifact_inputs("toy/fig1") if path.endswith(".py")]
    assert code == ["papers/toy/artifacts.py", "papers/toy/claims.py", "papers/toy/grid.py"]


class TestState:
    """What is drawn anew: an artifact's state stands for what its inputs do not show."""

    @pytest.mark.parametrize(
        "old, new, changed",
        [
            ("points: 5", "points: 6", True),
            ("title: Means of draws", "title: Means", True),
            ("{runs: 3,", "{runs: 4,", True),
            ("paper: {runs: 25}", "paper: {runs: 26}", False),
            ("title: The draws", "title: Draws", False),
            ("settings: {points: 1}", "settings: {points: 3}", False),
        ],
    )
    def test_of_a_table(self, workflow, edit, old, new, changed):
        before = workflow().artifact_state("toy/table1")
        edit(old, new)
        assert (workflow().artifact_state("toy/table1") != before) == changed


class TestTargets:
    @pytest.mark.parametrize(
        "word",
        [
            "figures/toy/table1.pdf",
            "./figures/toy/fig1.png",
            "figures/table1.tex",
            "figures/comparison.html",
            "results/run/paper/toy/fit/line/plain.parquet",
            "toy",
            "all",
            "--cores",
            "figures/report.html",
            "core/errors.py",
        ],
    )
    def test_known_and_foreign_words_pass(self, workflow, word):
        workflow().check_targets([word])

    @pytest.mark.parametrize(
        "word, nearest",
        [
            ("figures/toy/tabel1.pdf", "figures/toy/table1.pdf"),
            ("figures/tabel1.csv", "figures/table1.csv"),
            ("./figures/toy/fig1.csv", "figures/toy/fig1.png"),
            ("results/run/paper/toy/fit/lin/plain.parquet", "results/run/paper/toy/fit/line/plain.parquet"),
            ("results/run/quick/toy/count/line/plain.parquet", "results/run/paper/toy/count/line/plain.parquet"),
        ],
    )
    def test_a_mistyped_file_names_the_nearest(self, workflow, word, nearest):
        with pytest.raises(UnknownNameError) as caught:
            workflow().check_targets(["-n", "--cores", "1", word])
        assert str(caught.value).startswith(f"unknown file '{word.removeprefix('./')}'; did you mean ")
        assert repr(nearest) in str(caught.value)

    def test_short_names_that_two_papers_share_are_no_targets(self, workflow, tmp_path):
        folder = tmp_path / "toypapers" / "again"
        shutil.copytree(tmp_path / "toypapers" / "toy", folder)
        text = (folder / "paper.yaml").read_text()
        (folder / "paper.yaml").write_text(text.replace("paper: toy", "paper: again"))
        with pytest.raises(UnknownNameError):
            workflow().check_targets(["figures/table1.pdf"])


def test_cells_by_their_path(workflow):
    flow = workflow()
    assert flow.cell("toy", "fit", "line", "plain", "paper").runs == 25
    with pytest.raises(
        UserError, match=r"results/run/paper/toy/count/curve/plain\.parquet: no such cell; see python -m"
    ):
        flow.cell("toy", "count", "curve", "plain", "paper")
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
