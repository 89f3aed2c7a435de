"""Widths of text as matplotlib draws it in the active style, and lines broken to fit."""

from __future__ import annotations

import re
from functools import cache

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as MatplotlibFigure

SENTENCES = re.compile(r"(?<=[.!?]) (?=[A-Z])")
SLACK = 0.04  # words and spaces add up to the width of a line except for kerning and rounding, which are far smaller


class Ruler:
    """Measures text in points, at ten times the resolution so that hinting does not round widths.

    It remembers what it has measured; `shared_ruler` gives the one of the process.
    """

    def __init__(self) -> None:
        self._figure = MatplotlibFigure(figsize=(1, 1), dpi=720)
        self._renderer = FigureCanvasAgg(self._figure).get_renderer()
        self._artist = self._figure.text(0, 0, "")
        self._widths: dict[tuple[str, float, str], float] = {}

    def __call__(self, text: str, size: float, weight: str = "normal") -> float:
        if not text:
            return 0.0
        known = (text, size, weight)
        if known not in self._widths:
            self._artist.set(text=literal(text), fontsize=size, fontweight=weight)
            self._widths[known] = self._artist.get_window_extent(self._renderer).width / 10
        return self._widths[known]

    def wrap(self, text: str, width: float, size: float, weight: str = "normal") -> list[str]:
        """Lines of at most `width` points, broken at spaces. A line is measured only if it may not fit."""
        space = self("x x", size, weight) - 2 * self("x", size, weight)
        lines: list[str] = []
        length = 0.0  # width of the last line, its words and spaces added up
        for word in text.split():
            own = self(word, size, weight)
            longer = f"{lines[-1]} {word}" if lines else word
            sure = abs(length + space + own - width) > SLACK * width
            if lines and (length + space + own <= width if sure else self(longer, size, weight) <= width):
                lines[-1], length = longer, length + space + own
            else:
                lines.append(word)
                length = own
        return lines

    def fit(self, text: str, last: str, count: int, width: float, size: float) -> list[str]:
        """The text, as far as its whole sentences fit into `count` lines that end with `last`; at least its first."""
        sentences = SENTENCES.split(text)
        for kept in range(len(sentences), 1, -1):
            lines = self.wrap(" ".join([*sentences[:kept], last]), width, size)
            if len(lines) <= count:
                return lines
        return self.wrap(f"{sentences[0]} {last}", width, size)


@cache
def shared_ruler() -> Ruler:
    """The one ruler of the process: captions have most of their words in common."""
    return Ruler()


def literal(text: str) -> str:
    """Text without mathematics: a dollar sign means a dollar sign."""
    return text.replace("$", r"\$")
