"""Tables and figures with published numbers beside ours, verdicts, claims, and the page that compares them all."""

from core.report.bootstrap import Interval, bootstrap_interval
from core.report.checks import Check, NotRunError, absent, all_of, judge, not_run, runs_of, unknown
from core.report.figure import Figure
from core.report.published import Published, PublishedCell
from core.report.table import Cell, Table, compare_table, samples_of, spec_table
from core.report.verdicts import Verdict, best, cell_verdict, exact_verdict, expected_false_worse, order_verdict, ranks

__all__ = [
    "Cell",
    "Check",
    "Figure",
    "Interval",
    "NotRunError",
    "Published",
    "PublishedCell",
    "Table",
    "Verdict",
    "absent",
    "all_of",
    "best",
    "bootstrap_interval",
    "cell_verdict",
    "compare_table",
    "exact_verdict",
    "expected_false_worse",
    "judge",
    "not_run",
    "order_verdict",
    "ranks",
    "runs_of",
    "samples_of",
    "spec_table",
    "unknown",
]
