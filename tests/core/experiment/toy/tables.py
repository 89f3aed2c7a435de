"""The toy paper's table."""

from __future__ import annotations

from core.experiment.results import Results
from core.report.tables.compare import compare_table, samples_of
from core.report.tables.table import ReportTable
from core.report.verdicts.published import Published


def table1(results: Results, published: Published) -> ReportTable:
    samples = samples_of(results.frame("fit"), "estimate")
    return compare_table(samples, published, "lower", results.reduced, metric="estimate")
