"""Calls that are interrupted, resumed or finished, and their journals."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from core import minimize
from core.errors import UserError
from core.study.methods import BOHBSettings
from core.study.methods.bayesian import GPSettings
from tests.core.study.bowl import SPACE, bowl, curve, outcomes

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("method", "budgets"), [("random", None), ("tpe", None), ("bohb", (1, 9)), ("cmaes", None), ("optuna_tpe", None)]
)
def test_an_interrupted_run_goes_on_as_if_it_had_not_been(tmp_path, capsys, method, budgets):
    calls = []

    def interrupting(configuration, *budget):
        calls.append(configuration)
        if len(calls) == 9:
            raise KeyboardInterrupt
        return bowl(configuration) + sum(budget)

    def call(journal):
        return minimize(interrupting, SPACE, method, 30, budgets=budgets, journal=journal)

    with pytest.raises(KeyboardInterrupt) as caught:
        call(tmp_path / "run.jsonl")
    assert len(caught.traceback) <= 3  # the test, its call, and `minimize`
    said = capsys.readouterr().err
    assert said == f"interrupted after 8 of 30 evaluations, which are kept in {tmp_path / 'run.jsonl'}; " + (
        "the same call resumes from there\n"
    )
    resumed = call(tmp_path / "run.jsonl")
    assert len(calls) == 9 + 22
    assert outcomes(resumed) == outcomes(call(None))


def test_without_a_journal_an_interruption_says_that_all_is_lost(capsys):
    def interrupting(configuration):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        minimize(interrupting, SPACE, "random", 5)
    said = capsys.readouterr().err
    assert re.match("interrupted after 0 of 5 evaluations, which are lost unless .* is used; journal=", said)


def test_a_model_that_was_interrupted_goes_on_with_the_same_proposals(tmp_path, monkeypatch):
    monkeypatch.setattr("core.study.replay.WORTH_SECONDS", 0.0)
    method, calls = GPSettings(initial_design=3), []

    def interrupting(configuration):
        calls.append(configuration)
        if len(calls) in (6, 9):
            raise KeyboardInterrupt
        return bowl(configuration)

    whole = minimize(bowl, SPACE, method, 10)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            minimize(interrupting, SPACE, method, 10, journal=tmp_path / "run.jsonl")
    assert outcomes(minimize(bowl, SPACE, method, 10, journal=tmp_path / "run.jsonl")) == outcomes(whole)


def test_a_finished_journal_is_read_without_a_model_and_without_evaluations(tmp_path, monkeypatch):
    whole = minimize(bowl, SPACE, "gp", 7, journal=tmp_path / "run.jsonl")
    monkeypatch.setattr(GPSettings, "_build", None)
    again = minimize(lambda configuration: 1 / 0, SPACE, "gp", 7, journal=tmp_path / "run.jsonl")
    assert outcomes(again) == outcomes(whole) and again.trace.equals(whole.trace)
    fewer = minimize(bowl, SPACE, "gp", 4, journal=tmp_path / "run.jsonl")
    assert outcomes(fewer) == outcomes(whole)[:4]


def test_a_method_that_ends_by_itself_is_finished(tmp_path):
    def call():
        return minimize(curve, SPACE, BOHBSettings(brackets=1), 500, budgets=(1, 9), journal=tmp_path / "run.jsonl")

    first = call()
    size = (tmp_path / "run.jsonl").stat().st_size
    assert len(first.records) == 9 + 3 + 1
    assert outcomes(call()) == outcomes(first) and (tmp_path / "run.jsonl").stat().st_size == size


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"method": "tpe"}, "with method"),
        ({"seed": 1}, "with seed 0; this run has 1"),
        ({"space": {**SPACE, "x": (-5.0, 6.0)}}, "with space"),
        ({"budgets": (1, 27), "method": "hyperband"}, "with method"),
        ({"worst_loss": 3.0}, "with worst_loss null; this run has 3.0"),
    ],
)
def test_the_journal_of_another_run_is_refused(tmp_path, changed, message):
    arguments = {"space": SPACE, "method": "random", "evaluations": 5, "journal": tmp_path / "run.jsonl"}
    minimize(bowl, **arguments)
    function = curve if "budgets" in changed else bowl
    with pytest.raises(UserError, match=f"is the journal of a run {message}"):
        minimize(function, **{**arguments, **changed})


def test_neither_random_search_nor_a_finished_journal_imports_what_models_need(tmp_path):
    program = """
import sys
from core import minimize
minimize(lambda configuration: configuration["x"], {"x": (0.0, 1.0)}, sys.argv[1], 5, journal=sys.argv[2])
print(sorted({"torch", "pandas", "numba", "distributed", "matplotlib"} & sys.modules.keys()))
"""
    minimize(lambda configuration: configuration["x"], {"x": (0.0, 1.0)}, "gp", 5, journal=tmp_path / "gp.jsonl")
    for method in ("random", "gp"):
        command = [sys.executable, "-c", program, method, str(tmp_path / f"{method}.jsonl")]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        assert done.stdout == "[]\n"


def test_a_run_that_never_began_leaves_no_claim_on_its_journal(tmp_path):
    with pytest.raises(UserError, match="any number of values"):
        minimize(bowl, SPACE, "reinforce", 3, journal=tmp_path / "run.jsonl")
    assert len(minimize(bowl, SPACE, "random", 3, journal=tmp_path / "run.jsonl").records) == 3


def test_choices_keep_their_types_when_a_run_is_resumed(tmp_path):
    space = {"widths": [(50,), (50, 50)], "scale": [abs, len], "k": [1, "1", None], "x": (0.0, 1.0)}
    arguments = {"space": space, "method": "random", "evaluations": 12, "journal": tmp_path / "run.jsonl"}
    first = minimize(lambda configuration: configuration["x"], **arguments)
    again = minimize(lambda configuration: 1 / 0, **arguments)
    assert outcomes(again) == outcomes(first)
    for one, other in zip(first.records, again.records, strict=True):
        assert type(one.configuration["k"]) is type(other.configuration["k"])
    start = {"method": "ablr", "initial_design": 1, "widths": (5,), "iterations": 2}
    assert minimize(lambda c: c["x"], space, start, 2, earlier=[again]).best is not None
