"""The README's Python runs as printed, offline, in the order in which it stands there; so do the examples."""

from __future__ import annotations

import re
import runpy
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest

from core.study import METHODS

ROOT = Path(__file__).resolve().parent.parent
SECTION = "## Optimize something of your own"


def section() -> str:
    """The section's text."""
    return (ROOT / "README.md").read_text().split(f"{SECTION}\n")[1].split("\n## ")[0]


def blocks() -> list[str]:
    """Its indented blocks, in order."""
    found = re.findall(r"(?:^(?: {4}.*)?\n)+", section(), re.MULTILINE)
    return [textwrap.dedent(block).strip() for block in found if block.strip()]


def test_the_first_block_is_a_whole_program_of_eight_lines_at_most():
    first = blocks()[0]
    assert first.startswith("from core import minimize") and len([line for line in first.splitlines() if line]) <= 8


def test_the_blocks_run_one_after_another(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        exec("\n\n".join(blocks()), {"__name__": "readme"})
    first, second, third, warm, continued = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"\{.*'n': \d.*\} \S+", first) and float(first.split()[-1]) < 3
    assert second.endswith(" 81.0")
    cost, initial = float(third.split()[-1]), 60 * 10 * (1 / 64 + 1 / 32 + 1 / 16 + 1 / 8)
    assert initial + 2 * 60 / 64 <= cost <= initial + 2 * 60
    assert re.fullmatch(r"\{.*'n': \d.*\}", warm)
    assert continued == "True" and Path("search.pt").exists()
    assert Path("run.jsonl").read_text().count('"told"') == 20


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
