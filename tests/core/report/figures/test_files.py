"""Bytes on disk: the same for the same content, whole or not at all."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.foundation.errors import UserError
from core.report.figures.files import write_file

SCRIPT = r"""
import sys
import numpy as np
import pandas as pd
from core.report import style
from core.report.figures.figure import add_caption
from core.report.figures.files import render
from core.report.verdicts.published import Published, PublishedCell
from core.report.tables.compare import compare_table
from core.report.tables.image import table_figure

cells = {(r, c): PublishedCell(-1.5, 0.5, "unstated", 5, text="-1.50", spread_text="0.50") for r in "ab" for c in "xyz"}
rows = [(r, c, i, -1.5 + 0.3 * i, "ok") for r in "ab" for c in "xy" for i in range(-2, 3)]
samples = pd.DataFrame(rows, columns=["row", "column", "run", "value", "status"])
with style.context():
    figure, axes = style.subplots(1, 2)
    for name in ("gp", "bohamiann", "something new"):
        look = style.method(name)
        axes[0].plot(np.linspace(0, 1, 50) ** 2, marker=look.marker, **look.line)
        axes[1].scatter(np.arange(9), np.arange(9) ** 2, color=look.color)
    axes[0].legend()
    axes[0].set_xlabel(r"$\theta_1$ and −1 ± 2")
    images = {"figure": add_caption(figure, "A caption."), "table": table_figure(
        compare_table(samples, Published(cells), "higher", True, title="Table"), "A caption.")}
    for name, image in images.items():
        for suffix, content in render(image, "title").items():
            with open(f"{sys.argv[1]}/{name}.{suffix}", "wb") as stream:
                stream.write(content)
"""


def test_two_processes_write_the_same_bytes(tmp_path, monkeypatch):
    """Another hash seed and time of day than this process's; SOURCE_DATE_EPOCH is set as reproducible builds set it."""
    mine, other = tmp_path / "1", tmp_path / "2"
    mine.mkdir()
    other.mkdir()
    environment = {**os.environ, "PYTHONHASHSEED": "1", "SOURCE_DATE_EPOCH": "1480000000", "TZ": "UTC1"}
    with subprocess.Popen([sys.executable, "-c", SCRIPT, str(other)], env=environment) as process:
        monkeypatch.setattr(sys, "argv", ["", str(mine)])
        exec(SCRIPT, {})
    assert process.returncode == 0
    digests = []
    for folder in (mine, other):
        files = sorted(folder.iterdir())
        assert [f.name for f in files] == ["figure.pdf", "figure.png", "table.pdf", "table.png"]
        digests.append([hashlib.sha256(f.read_bytes()).hexdigest() for f in files])
    assert digests[0] == digests[1]
    content = (tmp_path / "1" / "figure.pdf").read_bytes()
    assert b"/FontFile2" in content and b"/Type3" not in content  # TrueType, so text stays text
    assert b"CreationDate" not in content


def test_write_replaces_and_leaves_nothing_beside(tmp_path):
    path = tmp_path / "new" / "file.md"
    write_file(path, "−1")
    write_file(path, b"second")
    assert path.read_bytes() == b"second" and [p.name for p in path.parent.iterdir()] == ["file.md"]


def test_a_write_that_fails_keeps_the_old_file_and_says_where(tmp_path, monkeypatch):
    path = write_file(tmp_path / "file.md", "old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match=r"file.md: no space left on the device .*; nothing of it was kept"):
        write_file(path, "new")
    assert path.read_text() == "old" and [p.name for p in Path(tmp_path).iterdir()] == ["file.md"]
