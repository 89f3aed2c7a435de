"""The toy paper's drawings."""

from __future__ import annotations

from core.experiment.results import Results
from core.report import style
from core.report.figure import Figure
from core.report.published import Published
from core.report.table import ReportTable, compare_table, samples_of


def table1(results: Results, published: Published) -> ReportTable:
    samples = samples_of(results.frame("fit"), "estimate")
    return compare_table(samples, published, "lower", results.reduced, metric="estimate")


def fig1(results: Results, published: None) -> Figure:
    frame = results.frame("fit")
    figure, axes = style.subplots()
    axes.plot(frame["run"], frame["estimate"], "o")
    return Figure(figure, "Estimates.")
