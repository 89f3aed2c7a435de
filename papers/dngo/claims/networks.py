"""Claims about the search for hyperparameters of convolutional networks (section 4.3, Fig 4).

"Promising" are validation errors below the median of the first half of the evaluations.
"""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, all_of, claim, each_of, frame_of, judge, pending
from core.report.runs.frames import cell_rows
from core.report.statistics.bootstrap import bootstrap_interval
from papers.dngo.artifacts.network_tables import SETS

SEED = 4
EXPLORING = 0.1  # share of the later evaluations


@claim(
    artifact="fig4",
    place="DNGO 4.3, Fig 4",
    sentence="The search focuses on parts of the space that show promise.",
    published="focuses",
)
def later_evaluations_are_promising(results: Results) -> Check:
    """More than half of the errors in the second half of the evaluations are below the median of the first half."""
    return _on_sets(results, lower=0.5, upper=np.inf)


@claim(
    artifact="fig4",
    place="DNGO 4.3, Fig 4",
    sentence="All along the search also visits parts of the space that are unexplored.",
    published="explores",
)
def later_evaluations_explore(results: Results) -> Check:
    """At least a tenth of the errors in the second half of the evaluations are above the median of the first half."""
    return _on_sets(results, lower=-np.inf, upper=1 - EXPLORING)


def _on_sets(results: Results, lower: float, upper: float) -> Check:
    """The share of later evaluations with an error below the median of the earlier ones, on each set."""
    frame = frame_of(results, "networks")

    def on(name: str) -> Check:
        shares = []
        for _, rows in cell_rows(frame, name, "dngo").groupby("run"):
            errors = rows.sort_values("evaluation")["loss"].to_numpy()
            half = len(errors) // 2
            shares.append((errors[half:] < np.median(errors[:half])).mean())
        interval = bootstrap_interval(np.array(shares), lambda drawn: drawn.mean(-1), SEED)
        return judge(interval, lower, upper, detail=f"{SETS[name]}: {interval.text()} of them are below")

    return all_of(each_of(SETS, set(frame["benchmark"]), on, SETS.__getitem__, missing=pending))
