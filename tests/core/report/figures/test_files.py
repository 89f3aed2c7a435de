"""Bytes on disk: the same for the same content, whole or not at all.

Figures as bytes: laid out once, cropped as matplotlib does it, with text that can be searched.

Labels of logarithmic axes stand apart, on axes of every length, and simpler ticks look as those they replace.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import sys
import zlib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import NullFormatter
from PIL import Image
from pypdfium2 import PdfDocument

from core.foundation.errors import UserError
from core.report import style
from core.report.figures.figure import add_caption
from core.report.figures.files import PlainPowers, log_from_zero, render, simplify_ticks, write_file

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


STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)


@pytest.fixture
def figure():
    with style.context():
        figure, panels = style.subplots(2, 2)
        for axes, power in zip(panels.flat, (1, 2, 3, 4), strict=True):
            axes.plot(np.geomspace(1, 100, 20), np.geomspace(0.1, 10, 20) ** power, label=f"power {power}")
            axes.set(xscale="log", yscale="log", xlabel=r"$t$ first affinity", title="Title")
        style.legend(figure, panels.flat, 2)
        return add_caption(figure, "A caption that is longer than the figure is wide, so that it takes two lines. " * 2)


def _fonts(pdf: bytes) -> list[TTFont]:
    streams = [zlib.decompressobj().decompress(found) for found in STREAM.findall(pdf) if found[:1] == b"\x78"]
    return [TTFont(io.BytesIO(stream)) for stream in streams if stream[:4] == b"\0\1\0\0"]


def test_text_is_embedded_as_truetype_and_can_be_searched(figure):
    pdf = render(figure, "title")["pdf"]
    assert len(_fonts(pdf)) >= 2  # regular and bold
    assert all("glyf" in font for font in _fonts(pdf))
    with PdfDocument(pdf) as document:
        assert "t first affinity" in document[0].get_textpage().get_text_bounded()


def test_a_figure_is_laid_out_once_and_drawn_once(figure, monkeypatch):
    calls, execute, draw = [], ConstrainedLayoutEngine.execute, figure.draw

    def counted(self, drawn):
        calls.append("laid out")
        return execute(self, drawn)

    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", counted)
    monkeypatch.setattr(figure, "draw", lambda renderer: calls.append("drawn") or draw(renderer))
    render(figure, "title")
    assert calls == ["laid out", "drawn"]


@pytest.mark.parametrize("crop", [True, False])
def test_images_have_the_size_that_matplotlib_gives_them(figure, crop):
    rendered = render(figure, "title", crop)
    stream = io.BytesIO()
    with style.context():
        figure.savefig(stream, format="png", bbox_inches="tight" if crop else None, pad_inches=0.08)
    ours, theirs = Image.open(io.BytesIO(rendered["png"])), Image.open(stream)
    assert ours.size == pytest.approx(theirs.size, abs=2)
    box = re.search(rb"/MediaBox \[ ?([\d. ]+?) ?\]", rendered["pdf"]).group(1).split()
    assert [float(number) / 72 * 200 for number in box[2:]] == pytest.approx(ours.size, abs=2)


def drawn(low: float, high: float, formatter: NullFormatter | None = None) -> list[tuple[str, float, float]]:
    """Text, left and right edge of the labels of a narrow panel's axis, after a figure is drawn."""
    with style.context():
        figure, panels = style.subplots(1, 2)
        axes = panels[0]
        axes.set_xscale("log")
        axes.set_xlim(low, high)
        if formatter is not None:
            axes.xaxis.set_minor_formatter(formatter)
        simplify_ticks(figure)
        figure.canvas.draw()
        ticks = [*axes.xaxis.get_major_ticks(), *axes.xaxis.get_minor_ticks()]
        shown = [tick.label1 for tick in ticks if tick.label1.get_text() and low <= tick.get_loc() <= high]
        boxes = [(label.get_text(), label.get_window_extent()) for label in shown]
    return sorted(((text, box.x0, box.x1) for text, box in boxes), key=lambda label: label[1])


SPANS = [
    (2e-3, 2.4e-2),
    (1.4e-5, 2.6e-4),
    (3e-3, 1.1e-2),
    (1e-3, 1e-2),
    (0.25, 0.98),
    (0.3, 0.92),
    (510, 1700),
    (6, 7.1),
]


@pytest.mark.parametrize(("low", "high"), SPANS)
def test_labels_between_powers_of_ten_do_not_meet(low, high):
    labels = drawn(low, high)
    assert 1 <= len(labels) <= 5
    assert all(left[2] < right[1] for left, right in pairwise(labels))


def test_long_axes_are_labelled_at_powers_of_ten_alone():
    assert [text for text, *_ in drawn(1e-4, 1e1)] == ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹"]


def test_labels_between_are_multiples_of_powers():
    assert [text for text, *_ in drawn(3e-3, 1.1e-2)] == ["0.005", "0.01"]


def test_labels_on_both_sides_of_zero_have_minus_signs():
    with style.context():
        figure, axes = style.subplots()
        axes.set(yscale="symlog", ylim=(-100, 100))
        simplify_ticks(figure)
        formatted = axes.yaxis.get_major_formatter().format_ticks([-100, 0, 10])
    assert formatted == ["−10²", "0", "10¹"]


@pytest.mark.parametrize("shared", [False, True])
def test_unlabelled_ticks_look_as_those_of_matplotlib(shared):
    """Powers are plain text in both, so that nothing but the ticks may differ."""
    images = []
    for simplify in (simplify_ticks, plain_powers):
        with style.context():
            figure, panels = style.subplots(1, 2, sharey=shared)
            for axes in panels:
                axes.set(xscale="log", yscale="log", xlim=(0.02, 700), ylim=(1e-3, 3))
            simplify(figure)
            figure.canvas.draw()
            images.append(np.asarray(figure.canvas.buffer_rgba()).astype(int))
    assert np.abs(images[0] - images[1]).max() <= 1  # of 255, where lines end between pixels
    assert len(panels[0].xaxis.get_minor_ticks()) > 20  # there was something to replace


def plain_powers(figure: Figure) -> None:
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(PlainPowers(axis.get_major_formatter()))


def test_a_figures_own_choice_stays():
    assert len(drawn(2e-3, 2.4e-2, NullFormatter())) == 1


def labels_from_zero(values: list[float], limits: tuple[float, float]) -> tuple[float, list[str]]:
    """Where the logarithmic part of an axis of values begins, and the axis' labels from bottom to top."""
    with style.context():
        figure, axes = style.subplots()
        threshold = log_from_zero(axes.yaxis, values, 1e-12)
        axes.set_ylim(limits)
        simplify_ticks(figure)
        figure.canvas.draw()
        ticks = [tick for tick in axes.yaxis.get_major_ticks() if limits[0] <= tick.get_loc() <= limits[1]]
        boxes = sorted((tick.label1.get_window_extent() for tick in ticks), key=lambda box: box.y0)
        assert all(low.y1 < high.y0 for low, high in pairwise(boxes))
        return threshold, [tick.label1.get_text() for tick in sorted(ticks, key=lambda tick: tick.get_loc())]


@pytest.mark.parametrize(
    ("values", "limits", "expected"),
    [
        ([0.0, 1e-13, 1.2e-5, 0.03], (0, 0.05), ["0", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²"]),
        ([0.0, 1e-13, 9e-5, 0.03], (0, 0.05), ["0", "10⁻⁴", "10⁻³", "10⁻²"]),
        ([0.0, 3.0, 40.0], (-50, 60), ["−50", "−20", "−10", "−5", "−2", "0", "2", "5", "10", "20", "50"]),
        ([0.0, 3.0, 7.0], (0, 8), ["0", "1", "2", "5"]),
        ([0.0, 3.0, 7.0], (-6, 8), ["−5", "−2", "−1", "0", "1", "2", "5"]),
    ],
)
def test_an_axis_from_zero_has_labels_that_stand_apart(values, limits, expected):
    threshold, labels = labels_from_zero(values, limits)
    assert threshold == pytest.approx(min(value for value in values if value > 1e-12))
    assert labels == expected


def test_an_axis_that_only_has_zeros_is_drawn():
    assert labels_from_zero([0.0, 0.0], (0, 1e-11))[0] == pytest.approx(1e-12)


def test_a_panel_without_axes_gets_no_ticks():
    with style.context():
        figure, (left, right) = style.subplots(1, 2)
        for axes in (left, right):
            axes.set(xscale="log", yscale="log", xlim=(1, 1e3), ylim=(1e-3, 1))
        left.set_axis_off()
        simplify_ticks(figure)
    assert not left.lines and right.lines
