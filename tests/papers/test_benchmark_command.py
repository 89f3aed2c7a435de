"""`python -m papers benchmark`: an optimizer of one's own beside ours on objectives."""

from __future__ import annotations

import html
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from papers import __main__ as command_line

OWN = """
class Corner:
    def __init__(self, space, seed):
        self.space = space

    def ask(self, n):
        return [{name: self.space[name].lower for name in self.space}]

    def tell(self, trial, evaluation):
        pass


class Best(Corner):
    def ask(self, n):
        return [{"x1": 3.14159265, "x2": 2.275}]


class Default(Corner):
    def ask(self, n):
        return [dict(self.space.get_default_configuration())]


class Fails(Corner):
    def ask(self, n):
        raise RuntimeError("out of ideas")
"""
FEW = ("--runs", "2", "--evaluations", "3")


@pytest.fixture
def mine(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(OWN)
    return str(tmp_path / "mine.py")


def call(*arguments: str) -> int:
    return command_line.main(["benchmark", *arguments])


def test_who_knows_the_optimum_is_first(mine, tmp_path, capsys):
    out = tmp_path / "page.html"
    assert call(f"{mine}:Best", "--on", "branin", "--beside", "random", *FEW, "--out", str(out)) == 0
    numbers = pd.read_csv(tmp_path / "page.csv", index_col=0)
    assert list(numbers.index) == ["Best", "random search"]
    assert numbers.loc["Best", "mean loss"] == pytest.approx(0.397887, abs=1e-5)
    assert numbers.loc["Best", "solved targets [%]"] == pytest.approx(100)
    page = html.unescape(out.read_text())
    assert "Best beside 1 method on branin" in page and "1 task, 2 runs of 3 evaluations" in page
    assert "tests of the runs' losses, 2 in all" in page
    assert "average rank" in capsys.readouterr().out


def test_several_objectives_are_several_tasks(mine, tmp_path):
    out = tmp_path / "page.html"
    arguments = ("--on", "branin", "hartmann3", "--beside", "random", "tpe", *FEW, "--out", str(out))
    assert call(f"{mine}:Corner", *arguments) == 0
    numbers = pd.read_csv(tmp_path / "page.csv", index_col=0)
    assert set(numbers.index) == {"Corner", "random search", "TPE"}
    assert numbers["average rank"].mean() == pytest.approx(2)
    assert np.isfinite(numbers.to_numpy()).all()
    page = html.unescape(out.read_text())
    assert "2 tasks, 2 runs of 3 evaluations" in page and "tests of the tasks' mean losses, 6 in all" in page


def test_tables_surrogates_and_functions_beside_methods_of_several_budgets(mine, tmp_path):
    out = tmp_path / "page.html"
    on = ("tabular/protein", "bohb/letter", "counting_ones/d8")
    assert call(f"{mine}:Default", "--on", *on, "--beside", "random", "bohb", *FEW, "--out", str(out)) == 0
    numbers = pd.read_csv(tmp_path / "page.csv", index_col=0)
    assert set(numbers.index) == {"Default", "random search", "BOHB"} and np.isfinite(numbers.to_numpy()).all()
    assert f"Default beside 2 methods on {', '.join(on)}" in html.unescape(out.read_text())


def test_one_of_ours_as_a_sampler_of_optuna_runs_as_anothers_would(mine, tmp_path):
    out = tmp_path / "page.html"
    assert call("core.integrations:HPOSampler", "--on", "branin", "--beside", "random", *FEW, "--out", str(out)) == 0
    assert "HPOSampler" in pd.read_csv(tmp_path / "page.csv", index_col=0).index


def test_many_objectives_have_a_short_file_name(mine, tmp_path, monkeypatch, capsys):
    on = ("branin", "hartmann3", "camelback", "levy", "bohachevsky")
    assert call(f"{mine}:Corner", "--on", *on, "--beside", "random", "--runs", "1", "--evaluations", "2") == 0
    written = Path(capsys.readouterr().out.split("wrote ")[1].strip())
    assert written.name == "Corner_on_branin_hartmann3_camelback_2_more.html"
    for file in (written, written.with_suffix(".csv")):
        file.unlink()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{mine}:Best", "--on", "branim"), "unknown objective 'branim'; did you mean 'branin'"),
        (("{mine}:Best", "--on", "branin", "--beside", "gpp"), "unknown method 'gpp'"),
        (("{mine}:Best", "--on", "branin", "--runs", "0"), "--runs"),
        (("{mine}:Best", "--on", "profet/sv"), "unknown class of tasks 'sv'; did you mean 'svm'"),
        (("{mine}:Best", "--on", "ablr/x"), "'ablr' has no classes of tasks; allowed: profet or an objective"),
        (
            ("{mine}:Best", "--on", "tabular/protien"),
            "unknown objective 'tabular/protien'; did you mean 'tabular/protein'",
        ),
        (
            ("{mine}:Best", "--on", "branin", "--beside", "bohb"),
            "--beside bohb: it needs budgets, which branin does not",
        ),
        (("{mine}:Best", "--on", "bohb/letter", "--beside", "hyperband_lcnet"), "it needs learning curves"),
        (("{mine}:Bets", "--on", "branin"), "no class 'Bets'"),
        (("{mine}:Fails", "--on", "branin", "--beside", "random", *FEW), "Fails, task 0, run 0, .*out of ideas"),
    ],
)
def test_what_is_wrong_is_one_line(mine, tmp_path, capsys, arguments, message):
    out = tmp_path / "page.html"
    assert call(*(part.format(mine=mine) for part in arguments), "--out", str(out)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(message, line), line
    assert not out.exists()
