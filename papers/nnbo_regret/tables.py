"""The table of Brofos et al.: seconds of the optimizer (section 5)."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from core.experiment.results import Results
from core.report import Published, ReportTable, compare_table
from core.report.verdicts.names import published_names
from papers.nnbo_regret.runs import LABELS as BENCHMARKS

LABELS = {**BENCHMARKS, "ratio": "Hartmann / mixture"}
THEIR_TIMES = "their seconds include evaluations of a length that is not stated"


@published_names(rows=LABELS, columns=("seconds",))
def timing(results: Results, published: Published) -> ReportTable:
    """Section 5: seconds for 100 queries; only the ratio of the two stands beside ours."""
    frame = results.frame("seconds")
    columns = ["row", "column", "run", "value", "status"]
    samples = pd.DataFrame(columns=columns)
    if not frame.empty:
        seconds = frame.pivot(index="run", columns="benchmark", values="seconds")
        if set(published.rows) - {"ratio"} <= set(seconds.columns):
            seconds = seconds.assign(ratio=seconds["hartmann4_rescaled"] / seconds["gaussian_mixture"])
        samples = seconds.reset_index().melt("run", var_name="row").assign(column="seconds", status="ok")[columns]
    table = compare_table(
        samples,
        published,
        direction="neither",
        reduced=results.reduced,
        caption=(
            "Ours are processor seconds of the optimizer alone, one run at a time. Theirs are of four processes on a "
            "laptop of their time, so only the ratio stands beside ours."
        ),
        metric="seconds, and their ratio",
        format=".3f",
        row_header="Benchmark",
        row_labels=LABELS,
    )
    for (row, column), cell in table.cells.items():  # no verdict on seconds, and the ratio is one of their times
        outside = None if cell.verdict is None or row != "ratio" else cell.verdict.outside(THEIR_TIMES)
        table.cells[row, column] = replace(cell, verdict=outside)
    return table
