"""`python -m papers profet sample` and `benchmark --on profet/...`, on the smoke scale's Forrester functions."""

from __future__ import annotations

import shutil
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from rich.console import Console

from core.experiment.paper import Papers
from core.experiment.storage import read_records, write_records
from core.foundation.errors import UserError
from core.objectives.generated_tasks import forrester_tasks
from core.objectives.meta_model import load, save
from papers import __main__ as command_line
from papers.commands.benchmarking import benchmark
from papers.profet.commands import sample
from tests.papers.runs import smoke_runs

COMMANDS = {"sample": ("profet", "sample"), "benchmark": ("benchmark",)}
OWN = """
import numpy as np

from core.optimizers.random_search import RandomSearch


class Mine(RandomSearch):
    def __init__(self, space, seed):
        super().__init__(space, np.random.default_rng(seed))


class Seeded(Mine):
    # Seeded as scikit-learn and Optuna seed theirs.

    def __init__(self, space, seed):
        np.random.RandomState(seed)
        super().__init__(space, seed)


class Fails(Mine):
    def ask(self, n=1):
        raise RuntimeError("out of ideas")


number = 3
"""


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    """The experiments, with a folder of results of their own."""
    root = tmp_path_factory.mktemp("commands")
    run = smoke_runs("profet", root)
    for method in ("random", "differential_evolution"):
        run(f"forrester/forrester_real/{method}")
    return with_results(root)


def with_results(root: Path) -> Papers:
    """This repository's papers with a folder of results of its own."""
    (root / "mine.py").write_text(OWN)
    return Papers(root, code=Papers().root)


def call(papers, command: str, *arguments: str) -> str:
    parser, rest = command_line._parser_of([*COMMANDS[command], *arguments, "--scale", "smoke"])
    options = parser.parse_args(rest)
    console = Console(width=150, record=True, file=StringIO())
    assert {"sample": sample, "benchmark": benchmark}[command](papers, options, console) == 0
    return console.export_text()


def test_sampled_values_are_those_of_the_tasks(papers, tmp_path):
    out = tmp_path / "values.csv"
    told = call(papers, "sample", "forrester_real", "--tasks", "4", "--points", "6", "--out", str(out))
    assert "4 tasks at 6 points" in told
    frame = pd.read_csv(out)
    X = torch.tensor(frame["x0"].to_numpy().reshape(4, 6, 1))
    expected, _ = forrester_tasks(4).observe(X, torch.zeros(4, 6, dtype=torch.float64))
    np.testing.assert_allclose(frame["value"].to_numpy().reshape(4, 6), expected.numpy(), rtol=1e-6)
    assert frame["task"].tolist() == np.repeat(range(4), 6).tolist()


@pytest.mark.parametrize("optimizer", ["{root}/mine.py:Mine", "{root}/mine.py:Seeded", "optuna.samplers:RandomSampler"])
def test_an_optimizer_of_ones_own_is_beside_ours_on_a_page(papers, tmp_path, optimizer):
    out = tmp_path / "page.html"
    name = optimizer.rpartition(":")[2]
    told = call(
        papers,
        "benchmark",
        optimizer.format(root=papers.root),
        "--on",
        "profet/forrester_real",
        "--out",
        str(out),
    )
    page = out.read_text()
    assert f"{name} beside 2 methods" in page and "3 tasks, 2 runs of 6 evaluations" in page
    assert name in told and "average rank" in told
    numbers = pd.read_csv(next(tmp_path.glob("*.csv")), index_col=0)
    assert len(numbers) == 3 and name in numbers.index
    assert numbers["average rank"].mean() == pytest.approx(2)
    assert "values on a grid of 100 points a dimension" in page and "<h3>profet/forrester_real, task 2</h3>" in page
    runs = pd.read_parquet(out.with_suffix(".parquet"))
    own = runs[runs["method"] == name]
    assert len(runs) == 3 * 3 * 2 * 6 and runs["incumbent"].notna().all()
    np.testing.assert_allclose(own.groupby(["task", "run"])["loss"].cummin(), own["incumbent"])
    assert own["configuration"].str.startswith('{"x00": ').all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sample", "forrester_real", "--points", "0"), "--points"),
        (("sample", "forrester_real", "--tasks", "-1"), "--tasks"),
        (("sample", "forrester_real", "--tasks", "9999999999"), "--tasks is 9999999999; allowed: .* to 1,000,000"),
        (("sample", "forrester_real", "--points", "9999999999"), "--points is 9999999999; allowed: .* to 1,000,000"),
        (("sample", "forrester_real", "--points", "9999", "--tasks", "9999"), "99,980,001 values; allowed: 1,000,000"),
        (("sample", "forrester_real", "--out", "/dev/null/tasks.csv"), "/dev/null/tasks.csv: cannot be written"),
        (
            ("sample", "svm"),
            r"searches on 'svm' at scale smoke have not been run; make them .*profet/search_svm/",
        ),
        (("benchmark", "Mine", "--on", "profet/forrester_real"), "allowed: file.py:Name, or module:Name"),
        (("benchmark", "absent.py:Mine", "--on", "profet/forrester_real"), r"absent\.py cannot be imported"),
        (("benchmark", "no.module:Mine", "--on", "profet/forrester_real"), r"no\.module cannot be imported"),
        (("benchmark", "{root}/mine.py:Mime", "--on", "profet/forrester_real"), "no class 'Mime' .*Mine"),
        (("benchmark", "{root}/mine.py:number", "--on", "profet/forrester_real"), "no class 'number'"),
        (
            ("benchmark", "{root}/mine.py:Fails", "--on", "profet/forrester_real"),
            "Fails, profet/forrester_real, task 0, run 0, .*out of ideas",
        ),
    ],
)
def test_what_is_wrong_is_one_line(papers, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=message):
        call(papers, *(part.format(root=papers.root) for part in arguments))
    assert list(tmp_path.iterdir()) == []


class TestOtherTasks:
    """Searches on tasks of other weights than those that are here are not compared."""

    @pytest.fixture(scope="class")
    def searched(self, tmp_path_factory):
        """A meta-model, and two searches on its tasks."""
        root = tmp_path_factory.mktemp("tasks")
        run = smoke_runs("profet", root)
        run("meta_forrester/forrester/profet")
        for method in ("random", "differential_evolution"):
            run(f"forrester/forrester_generated/{method}")
        return with_results(root)

    def compare(self, searched, out):
        return call(
            searched,
            "benchmark",
            f"{searched.root}/mine.py:Mine",
            "--on",
            "profet/forrester_generated",
            "--out",
            str(out),
        )

    def test_the_same_weights_are(self, searched, tmp_path):
        assert "Mine" in self.compare(searched, tmp_path / "page.html")

    def test_others_are_refused_with_the_command_that_makes_both_the_same(self, searched, tmp_path):
        """The records that the searches read are shipped, and those here are of a meta-model that was fitted again."""
        own = searched.root / "results/run/smoke/profet/meta_forrester/forrester/profet.parquet"
        shipped = searched.root / str(own.relative_to(searched.root)).replace("run", "reference", 1)
        shipped.parent.mkdir(parents=True)
        shutil.copy(own, shipped)
        records, provenance = read_records(own)
        weights = own.with_suffix(".npz")
        model, _ = load(weights, "forrester")
        digest = save(replace(model, worst=model.worst + 1), weights)
        write_records(own, records.assign(weights=digest), provenance)
        command = r"python -m papers run 'profet/forrester/forrester_generated/\*' --scale smoke$"
        with pytest.raises(UserError, match=rf"weights [0-9a-f]{{16}}; those here are {digest}, .*{command}"):
            self.compare(searched, tmp_path / "page.html")
        shipped.unlink()
        with pytest.raises(UserError, match="weights of a file that is gone; those here are"):
            self.compare(searched, tmp_path / "page.html")
        assert list(tmp_path.iterdir()) == []
