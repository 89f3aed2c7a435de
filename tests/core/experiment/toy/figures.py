"""The toy paper's figure."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import style
from core.report.figures.figure import Figure


def fig1(results: Results, published: None) -> Figure:
    frame = results.frame("fit")
    figure, axes = style.subplots()
    axes.plot(frame["run"], frame["estimate"], "o")
    return Figure(figure, "Estimates.")
