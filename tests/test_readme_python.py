"""The READMEs' Python runs as printed, offline, in the order in which it stands there; so do the examples."""

from __future__ import annotations

import ast
import re
import runpy
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest

from core.study import METHODS
from docs.pages.programs import blocks, is_python
from tests.papers.runs import smoke_runs

ROOT = Path(__file__).resolve().parent.parent
SECTION = "## Optimize something of your own"


def section() -> str:
    """The section's text."""
    return (ROOT / "README.md").read_text().split(f"{SECTION}\n")[1].split("\n## ")[0]


def test_the_first_block_is_a_whole_program_of_eight_lines_at_most():
    first = blocks(section())[0]
    assert first.startswith("from core import minimize") and len([line for line in first.splitlines() if line]) <= 8


def near_the_optimum(line: str) -> bool:
    """Whether the configuration at the start of a printed line looks like the answer, x = 1 and n = 3."""
    found = ast.literal_eval(re.match(r"\{.*?\}", line)[0])
    return abs(found["x"] - 1) < 0.35 and found["n"] == 3


def test_the_blocks_run_one_after_another(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        exec("\n\n".join(blocks(section())), {"__name__": "readme"})
    first, second, third, warm, continued = capsys.readouterr().out.splitlines()
    assert all(map(near_the_optimum, (first, second, third, warm)))
    assert float(first.split()[-1]) < 0.2 and second.endswith(" 81.0")
    cost, initial = float(third.split()[-2]), 60 * 10 * (1 / 64 + 1 / 32 + 1 / 16 + 1 / 8)
    assert initial + 10 * 60 / 64 <= cost <= initial + 10 * 60
    assert continued == "True" and Path("search.pt").exists()
    assert Path("run.jsonl").read_text().count('"told"') == 20


def test_python_stands_where_tests_run_it():
    """One that is written somewhere else is not forgotten."""
    found = {
        str(path.relative_to(ROOT)): [block.splitlines()[0] for block in blocks(path.read_text()) if is_python(block)]
        for path in [ROOT / "README.md", *sorted(ROOT.glob("papers/*/README.md"))]
    }
    assert found.pop("README.md") == [block.splitlines()[0] for block in blocks(section())] + ["import numpy as np"]
    assert {path: firsts for path, firsts in found.items() if firsts} == {"papers/profet/README.md": ["import torch"]}


def test_the_block_on_generated_tasks_runs_on_a_meta_model_of_the_smoke_scale(tmp_path, monkeypatch, capsys):
    text = (ROOT / "papers" / "profet" / "README.md").read_text()
    [block] = filter(is_python, blocks(text))
    [command] = re.findall(r"after `(python -m papers run [^`]+)`", text)
    name, scale = re.fullmatch(r"python -m papers run profet/(\w+) --scale (\w+)", command).groups()
    assert scale == "smoke"
    smoke_runs("profet", tmp_path)(name)
    monkeypatch.chdir(tmp_path)
    exec(block, {"__name__": "readme"})
    shape, best = capsys.readouterr().out.splitlines()
    assert shape == "torch.Size([1000, 5])" and re.fullmatch(r"\{'x': 0?\.?\d+.*\} -?\d.*", best)


def test_the_page_on_minimize_runs(tmp_path, monkeypatch, capsys):
    """Its numbers are those that it states; what it prints as a comparison holds."""
    pytest.importorskip("matplotlib.pyplot").switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "minimize.md").read_text()
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        exec("\n\n".join(blocks(text)), {"__name__": "readme"})
    said = capsys.readouterr().out
    assert said.splitlines()[:9] == [
        *("True", "target True", "callback", "10 True", "True"),
        *(said.splitlines()[5], "1581 1902", "True None", "15"),
    ]
    assert re.match(r"True \{.*'infeasible'.*\}", said.splitlines()[5]) and "1581 epochs do where 1902" in text
    assert "False" not in said and said.endswith("True\n")
    assert len(list(tmp_path.glob("plot*.png"))) == 4


def test_the_learning_curves_are_extrapolated():
    text = (ROOT / "README.md").read_text().split("## Extrapolate learning curves of your own\n")[1]
    names = {"__name__": "readme"}
    exec(textwrap.dedent(re.search(r"(?:^(?: {4}.*)?\n)+", text, re.MULTILINE)[0]), names)
    truth = names["configurations"][:, 0] + np.exp(-1 - 5 * names["configurations"][:, 1])
    error, last_seen = (np.abs(values - truth)[20:].mean() for values in (names["mean"], names["curves"][:, 9]))
    assert error < last_seen / 2 and names["variance"].shape == (40,)


def test_all_methods_are_named():
    named = re.search(r"^Methods: (.*?) after\s+`pip", section(), re.MULTILINE | re.DOTALL).group(1)
    assert sorted(set(re.findall(r"[a-z_]+", named)) - {"with", "budgets", "and"}) == sorted(METHODS)


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_examples_run(example, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(example), run_name="__main__")
    assert re.match(r"error 0\.0\d+ ", capsys.readouterr().out)
    assert str(example.relative_to(ROOT)) in example.read_text()
