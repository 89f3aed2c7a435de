"""Widths of text as matplotlib draws it in the active style, and lines broken to fit."""

from __future__ import annotations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as MatplotlibFigure


class Ruler:
    """Measures text in points, at ten times the resolution so that hinting does not round widths."""

    def __init__(self) -> None:
        self._figure = MatplotlibFigure(figsize=(1, 1), dpi=720)
        self._renderer = FigureCanvasAgg(self._figure).get_renderer()
        self._artist = self._figure.text(0, 0, "")

    def __call__(self, text: str, size: float, weight: str = "normal") -> float:
        if not text:
            return 0.0
        self._artist.set(text=literal(text), fontsize=size, fontweight=weight)
        return self._artist.get_window_extent(self._renderer).width / 10

    def wrap(self, text: str, width: float, size: float, weight: str = "normal") -> list[str]:
        """Lines of at most `width` points, broken at spaces."""
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self(longer, size, weight) <= width:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines


def literal(text: str) -> str:
    """Text without mathematics: a dollar sign is a dollar sign."""
    return text.replace("$", r"\$")
