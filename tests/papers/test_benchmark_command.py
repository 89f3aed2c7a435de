"""`python -m papers benchmark`: an optimizer of one's own beside ours on objectives."""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import wilcoxon

from core.experiment.storage import read_records
from core.objectives import objective
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
        if self.space.name == "hartmann3" or len(self.space) == 3:
            raise RuntimeError("out of ideas")
        return super().ask(n)


class gp(Best):
    pass


class TPE(Best):
    pass


class branin(Best):
    pass


class Other:
    def __init__(self, space):
        pass


class NoTell:
    def __init__(self, space, seed):
        self.ask = list


class Leaves(Corner):
    def __init__(self, space, seed):
        raise SystemExit("leaves")


number = 3
"""
TRACE = ("run", "trial", "loss", "cost", "budget", "started", "finished", "origin", "status", "message")
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
    assert "paired by seed: of each of the 2 seeds" in page and "Best against random search" in page
    assert page.count("data:image/png;base64,") == 2
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
    assert "2 tasks, 2 runs of 3 evaluations" in page and "paired by task: of each of the 2 tasks" in page
    assert "<h3>branin</h3>" in page and "<h3>hartmann3</h3>" in page and page.count("data:image/png;base64,") == 3
    assert "mean loss" not in page and "the targets of a task are the losses that the best configurations" in page


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
    for file in (written, written.with_suffix(".csv"), written.with_suffix(".parquet")):
        file.unlink()


@pytest.mark.parametrize("name", ["gp", "TPE", "branin"])
def test_a_class_with_a_name_of_ours_runs_and_keeps_its_files_name(mine, tmp_path, name):
    out = tmp_path / "page.html"
    assert call(f"{mine}:{name}", "--on", "branin", "--beside", "gp", "tpe", "tpe", *FEW, "--out", str(out)) == 0
    numbers = pd.read_csv(tmp_path / "page.csv", index_col=0)
    assert set(numbers.index) == {f"mine.py:{name}", "GP-BO", "TPE"}
    assert numbers.loc[f"mine.py:{name}", "mean loss"] == pytest.approx(0.397887, abs=1e-5)


def test_raw_runs_are_kept_with_what_the_page_says_of_them(mine, tmp_path, capsys):
    out, on = tmp_path / "page.html", ["branin", "hartmann3", "camelback", "forrester"]
    assert call(f"{mine}:Default", "--on", *on, "--beside", "random", "tpe", *FEW, "--out", str(out)) == 0
    printed = capsys.readouterr().out
    assert f"raw runs: {tmp_path / 'page.parquet'}, one row for each of 72 evaluations" in printed
    runs, notes = read_records(tmp_path / "page.parquet")
    pd.testing.assert_frame_equal(runs, pd.read_parquet(tmp_path / "page.parquet"))
    assert notes["settings"]["optimizer"] == f"{mine}:Default" and notes["seeds"] == [0, 1]
    assert set(TRACE) <= set(runs.columns) and len(runs) == 3 * 4 * 2 * 3
    assert set(runs["task"]) == set(on) and set(runs["method"]) == {"Default", "random", "tpe"}
    assert set(json.loads(runs.query("task == 'branin'")["configuration"].iloc[0])) == {"x1", "x2"}
    groups = runs.groupby(["task", "method", "seed"])
    np.testing.assert_allclose(groups["incumbent"].last(), groups["loss"].min())

    regret = groups["incumbent"].last().unstack("seed").sub(pd.Series({n: objective(n).optimum for n in on}), 0, "task")
    log = np.log10(regret.clip(lower=1e-8)).mean(axis=1).unstack("method")
    p = [wilcoxon(log["Default"] - log[other], method="exact").pvalue for other in ("random", "tpe")]
    rows = re.findall(r"^Default against .*$", printed, re.MULTILINE)
    assert [float(row.split()[-2]) for row in rows] == pytest.approx(p, rel=0.01)


def test_a_line_for_each_search_is_printed_while_it_runs(mine, tmp_path, capsys):
    assert (
        call(f"{mine}:Corner", "--on", "branin", "hartmann3", *FEW, "--beside", "random", "--out", f"{mine}.html") == 0
    )
    lines = capsys.readouterr().out.splitlines()
    ends = [line.partition(" after ")[0] for line in lines if "100% after" in line]
    assert ends == [
        "[1/4] Corner on branin (2 runs): 100%",
        "[2/4] Corner on hartmann3 (2 runs): 100%",
        "[3/4] random on branin (2 runs): 100%",
        "[4/4] random on hartmann3 (2 runs): 100%",
    ]


def test_what_was_finished_before_a_mistake_is_kept(mine, tmp_path, capsys):
    out = tmp_path / "page.html"
    assert call(f"{mine}:Fails", "--on", "branin", "hartmann3", "--beside", "random", *FEW, "--out", str(out)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "error: Fails, hartmann3, run 0, evaluation 1: RuntimeError when it was asked: out of ideas"
    runs = pd.read_parquet(tmp_path / "page.parquet")
    assert not out.exists() and set(runs["task"]) == {"branin"} and len(runs) == 6


def test_pages_of_two_classes_of_one_name_stand_side_by_side(tmp_path, monkeypatch, capsys):
    written = []
    monkeypatch.setattr("papers.__main__.workplace", lambda code: tmp_path)
    for folder in ("one", "two", "one"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "mine.py").write_text(OWN)
        assert call(f"{tmp_path}/{folder}/mine.py:Corner", "--on", "branin", "--beside", "random", *FEW) == 0
        written.append(Path(capsys.readouterr().out.split("wrote ")[1].strip()).name)
    assert written == ["Corner_on_branin.html", "Corner_on_branin_2.html", "Corner_on_branin.html"]


def test_a_dataclass_with_postponed_annotations(tmp_path):
    (tmp_path / "data.py").write_text(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "from typing import Any\n"
        "@dataclass\n"
        "class Mine:\n"
        "    space: Any\n"
        "    seed: int\n"
        "    def ask(self, n: int) -> list: return [dict(self.space.get_default_configuration())]\n"
        "    def tell(self, trial, evaluation) -> None: pass\n"
    )
    arguments = ("--on", "branin", "--beside", "random", *FEW, "--out", str(tmp_path / "page.html"))
    assert call(f"{tmp_path}/data.py:Mine", *arguments) == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x = undefined", r"cannot be imported: NameError: name 'undefined' is not defined \(line 1\)"),
        (b"\nraise ValueError('two\\nlines')", r"cannot be imported: ValueError: two lines \(line 2\)"),
        (b"import sys; sys.exit('no')", "cannot be imported: SystemExit: no"),
        (b"import nothing_of_that_name", "cannot be imported: ModuleNotFoundError: No module named"),
        (b"def f(:", r"cannot be imported: SyntaxError: .*bad\.py, line 1"),
        (b"\x7fELF\x00\xff\xfe", "cannot be imported: (SyntaxError|ValueError): "),
        (
            b"class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
            r"cannot be imported: E: its message cannot be read \(ValueError\)",
        ),
    ],
)
def test_a_file_that_cannot_be_imported_is_one_line(tmp_path, capsys, content, message):
    (tmp_path / "bad.py").write_bytes(content)
    before = set(sys.modules)
    assert call(f"{tmp_path}/bad.py:Mine", "--on", "branin", "--out", str(tmp_path / "page.html")) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(f"^error: optimizer .*{message}", line), line
    assert "own_bad" not in set(sys.modules) - before


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("", "--out '{folder}'; allowed: a file whose name ends in .html"),
        ("folder.html", "--out {folder}/folder.html: cannot be written: Is a directory"),
        ("page.csv", "--out '{folder}/page.csv'; allowed: a file whose name ends in .html"),
        ("none/page.html", "--out {folder}/none/page.html: there is no folder {folder}/none; allowed: a file in one"),
        ("file/page.html", "--out {folder}/file/page.html: there is no folder {folder}/file"),
        ("x" * 250 + ".html", ".html: cannot be written: File name too long"),
        ("taken.html", "--out {folder}/taken.parquet: cannot be written: Is a directory"),
    ],
)
def test_a_page_that_cannot_be_written_is_found_before_any_work(mine, tmp_path, capsys, out, message):
    (tmp_path / "file").touch()
    (tmp_path / "taken.parquet").mkdir()
    (tmp_path / "folder.html").mkdir()
    before = sorted(tmp_path.rglob("*"))
    assert call(f"{mine}:Best", "--on", "branin", "--out", str(tmp_path / out)) == 2
    printed = capsys.readouterr()
    (line,) = printed.err.splitlines()
    assert message.format(folder=tmp_path) in line and not printed.out
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(
            (("{mine}:Best", "--on", "branin", "--seconds", value), f"--seconds is {float(value)}".replace("+", "."))
            for value in ("nan", "-1", "0", "0.0", "inf", "1e99")
        ),
        *(
            (
                ("{mine}:Best", "--on", "branin", option, value),
                f"{option} is {value}; allowed: a whole number from 1 to",
            )
            for option in ("--runs", "--evaluations")
            for value in ("-1", "0", "9999999999")
        ),
        (("{mine}:Best", "--on", "branin", "--runs", "9999", "--evaluations", "99999"), "allowed: 10,000,000"),
        (("..:Mine", "--on", "branin"), "optimizer '..:Mine'; allowed: file.py:Name, or module:Name"),
        ((".:Mine", "--on", "branin"), "allowed: file.py:Name, or module:Name"),
        (("/etc/passwd:Mine", "--on", "branin"), "allowed: file.py:Name, or module:Name"),
        ((":Mine", "--on", "branin"), "allowed: file.py:Name, or module:Name"),
        (("{mine}", "--on", "branin"), "allowed: file.py:Name, or module:Name"),
        (("nothing.here:Mine", "--on", "branin"), "No module named 'nothing'"),
        (("{mine}x.py:Mine", "--on", "branin"), "No such file"),
        (("{mine}:", "--on", "branin"), "no class ''"),
        (("{mine}:number", "--on", "branin"), "no class 'number'"),
        (("{mine}:Other", "--on", "branin"), r"Other\(space\) cannot be called with \(space, seed\): too many"),
        (("{mine}:NoTell", "--on", "branin"), r"NoTell, branin, run 0: method is .*; allowed: an object with ask\(n\)"),
        (("{mine}:Leaves", "--on", "branin"), "Leaves, branin, run 0: SystemExit when it was made: leaves"),
        (
            ("{mine}:Best", "--on", "branin", "--beside", "reinforce"),
            "--beside reinforce, on branin: hyperparameter 'x1'",
        ),
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
        (("{mine}:Fails", "--on", "hartmann3", "--beside", "random", *FEW), "Fails, hartmann3, run 0, .*out of ideas"),
    ],
)
def test_what_is_wrong_is_one_line(mine, tmp_path, capsys, arguments, message):
    out = tmp_path / "page.html"
    assert call(*(part.format(mine=mine) for part in arguments), "--out", str(out)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(message, line), line
    assert not out.exists()
