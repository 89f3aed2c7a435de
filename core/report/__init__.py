"""Tables and figures with published numbers beside ours, verdicts, claims, and the page that compares them all."""

from core.report.figures.figure import Figure
from core.report.runs.frames import cell_rows, frame_of, rows_of, runs_of
from core.report.statistics.bootstrap import Interval, bootstrap_interval
from core.report.tables.table import ReportCell, ReportTable, compare_table, samples_of, spec_table
from core.report.verdicts.cells import Verdict, cell_verdict, expected_false_worse
from core.report.verdicts.checks import Check, NotRunError, judge
from core.report.verdicts.claims import Cause, claim
from core.report.verdicts.exact import exact_verdict
from core.report.verdicts.outcomes import (
    absent,
    all_of,
    both,
    contrary,
    each_of,
    left_out,
    not_run,
    open_where,
    outside,
    pending,
    slightly,
    unknown,
    worded,
)
from core.report.verdicts.published import Published, PublishedCell

__all__ = [
    "Cause",
    "Check",
    "Figure",
    "Interval",
    "NotRunError",
    "Published",
    "PublishedCell",
    "ReportCell",
    "ReportTable",
    "Verdict",
    "absent",
    "all_of",
    "bootstrap_interval",
    "both",
    "cell_rows",
    "cell_verdict",
    "claim",
    "compare_table",
    "contrary",
    "each_of",
    "exact_verdict",
    "expected_false_worse",
    "frame_of",
    "judge",
    "left_out",
    "not_run",
    "open_where",
    "outside",
    "pending",
    "rows_of",
    "runs_of",
    "samples_of",
    "slightly",
    "spec_table",
    "unknown",
    "worded",
]
