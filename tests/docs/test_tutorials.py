"""The programs of each tutorial run in order, from an empty folder, and what they print as a comparison holds."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from docs.pages.programs import blocks, is_python

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
FILE = re.compile(r"# (\w+\.py)\n")


def test_there_are_tutorials():
    assert len(TUTORIALS) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_runs_from_top_to_bottom(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": page.stem}
    for block in blocks(page.read_text()):
        if not is_python(block):
            command(block)
            continue
        if file := FILE.match(block):
            Path(file[1]).write_text(f"{block}\n")
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            exec(block, names)
    said = capsys.readouterr().out
    assert said.count("True") >= 3 and "False" not in said, said


def command(block: str) -> None:
    """Run a command as a reader would, with this environment's Python."""
    words = shlex.split(block)
    assert words[:3] == ["python", "-m", "papers"], block
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    pages = [word for word in words if word.endswith(".html")]
    assert pages and all(Path(page).stat().st_size > 1000 for page in pages)
