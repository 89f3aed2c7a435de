"""`python -m papers profet sample` and `benchmark`, on the smoke scale's Forrester functions."""

from __future__ import annotations

from io import StringIO
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from rich.console import Console

from core.benchmarks.forrester import forrester_tasks
from core.errors import UserError
from core.experiment.catalogue import Catalogue
from papers.profet import commands
from tests.papers.runs import smoke_runs

OWN = """
import numpy as np

from core.optimizers.random_search import RandomSearch


class Mine(RandomSearch):
    def __init__(self, space, seed):
        super().__init__(space, np.random.default_rng(seed))


class Fails(Mine):
    def ask(self, n=1):
        raise RuntimeError("out of ideas")


number = 3
"""


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    """The experiments, with a folder of results of their own."""
    root = tmp_path_factory.mktemp("commands")
    run = smoke_runs("profet", root)
    for method in ("random", "differential_evolution"):
        run(f"forrester/forrester_real/{method}")
    (root / "mine.py").write_text(OWN)
    return SimpleNamespace(cells=Catalogue().cells, root=root)


def call(catalogue, *arguments: str) -> str:
    options = commands.parser().parse_args([*arguments, "--scale", "smoke"])
    console = Console(width=150, record=True, file=StringIO())
    assert getattr(commands, options.command[1])(catalogue, options, console) == 0
    return console.export_text()


def test_sampled_values_are_those_of_the_tasks(catalogue, tmp_path):
    out = tmp_path / "values.csv"
    told = call(catalogue, "sample", "forrester_real", "--tasks", "4", "--points", "6", "--out", str(out))
    assert "4 tasks at 6 points" in told
    frame = pd.read_csv(out)
    X = torch.tensor(frame["x0"].to_numpy().reshape(4, 6, 1))
    expected, _ = forrester_tasks(4).observe(X, torch.zeros(4, 6, dtype=torch.float64))
    np.testing.assert_allclose(frame["value"].to_numpy().reshape(4, 6), expected.numpy(), rtol=1e-6)
    assert frame["task"].tolist() == np.repeat(range(4), 6).tolist()


@pytest.mark.parametrize("optimizer", ["{root}/mine.py:Mine", "optuna.samplers:RandomSampler"])
def test_an_optimizer_of_ones_own_is_beside_ours_on_a_page(catalogue, tmp_path, optimizer):
    out = tmp_path / "page.html"
    name = optimizer.rpartition(":")[2]
    told = call(
        catalogue,
        "benchmark",
        optimizer.format(root=catalogue.root),
        "--on",
        "forrester_real",
        "--out",
        str(out),
    )
    page = out.read_text()
    assert f"{name} beside 2 methods" in page and "3 tasks, 2 runs of 6 evaluations" in page
    assert name in told and "average rank" in told
    numbers = pd.read_csv(next(tmp_path.glob("*.csv")), index_col=0)
    assert len(numbers) == 3 and name in numbers.index
    assert numbers["average rank"].mean() == pytest.approx(2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sample", "forrester_real", "--points", "0"), "--points"),
        (("sample", "forrester_real", "--tasks", "-1"), "--tasks"),
        (
            ("sample", "svm"),
            r"searches on 'svm' at scale smoke have not been run; make them .*profet/search_svm/",
        ),
        (("benchmark", "Mine", "--on", "forrester_real"), "allowed: file.py:Name, or module:Name"),
        (("benchmark", "absent.py:Mine", "--on", "forrester_real"), r"absent\.py cannot be imported"),
        (("benchmark", "no.module:Mine", "--on", "forrester_real"), r"no\.module cannot be imported"),
        (("benchmark", "{root}/mine.py:Mime", "--on", "forrester_real"), "no class 'Mime' .*Mine"),
        (("benchmark", "{root}/mine.py:number", "--on", "forrester_real"), "no class 'number'"),
        (("benchmark", "{root}/mine.py:Fails", "--on", "forrester_real"), "Fails, task 0, run 0, .*out of ideas"),
    ],
)
def test_what_is_wrong_is_one_line(catalogue, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=message):
        call(catalogue, *(part.format(root=catalogue.root) for part in arguments))
    assert list(tmp_path.iterdir()) == []
