"""Another Python than the environment's, or an environment without a library: one line that says what to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ADVICE = "is missing; `make quickstart` installs the environment into .venv, and `source .venv/bin/activate` enters it"


def test_a_python_without_any_library():
    command = [sys.executable, "-S", "-m", "papers", "list"]  # -S: without the site-packages
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={"PATH": "/usr/bin"})
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("error: ") and done.stderr.endswith(f"{ADVICE}\n")


def test_a_library_that_one_command_needs(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert refused("run", "toy/fit", "--device", "cuda") == f"error: the Python package 'torch' {ADVICE}\n"


def test_a_library_that_the_authors_functions_need(refused, toy, tmp_path):
    experiments = tmp_path / "toypapers" / "toy" / "experiments.py"
    experiments.write_text(f"{experiments.read_text()}import tourch\n")
    line = experiments.read_text().count("\n")
    assert (
        refused("run", "toy/fit")
        == f"error: toypapers/toy/experiments.py, line {line}: the Python package 'tourch' {ADVICE}\n"
    )
