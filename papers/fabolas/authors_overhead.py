"""The seconds that a proposal took in the authors' runs, from their clocks, and our runs with these in place of ours.

Where Fabolas and MTBO train, their clocks add the natural logarithm of the seconds, which the scripts take from the
results of RoBO as if they were seconds (`experiments/bayesopt/run_mtbo_surrogate.py`); where they propose, seconds. The
clocks jump at the first evaluation after the initial design: the 16th of Fabolas, whose first 15 take 33 seconds
in all, and the 6th of MTBO, whose first five take 31. The jump is the seconds of one proposal and one evaluation
together, so it is an upper bound. The other methods evaluate on all of the data, where a proposal hardly counts.
"""

from __future__ import annotations

import pandas as pd

from core.report.verdicts.published_runs import published_runs

AUTHORS_SHARES = {"fabolas": (1 / 128,) * 8 + (1 / 64,) * 4 + (1 / 32,) * 2 + (1 / 4,), "mtbo": (1 / 4,) * 5}
"""Shares of the data of the evaluations in the authors' initial designs, by their scripts."""

DESIGNS = {method: len(shares) for method, shares in AUTHORS_SHARES.items()}
"""Number of these evaluations."""

OUR_DESIGNS = {method: (method, size) for method, size in DESIGNS.items()} | {"fabolas_text": ("fabolas", 40)}
"""The authors' method that one of ours takes its overhead from, and the number of evaluations in our initial design."""


def proposal_seconds(method: str) -> float:
    """The median jump of the authors' clock, over the runs with a new incumbent at the first evaluation after it."""
    frame, design = published_runs("fabolas/fig4_5_runs"), DESIGNS[method]
    clock = frame[frame["method"] == method].groupby("evaluations")["seconds"].median()
    return float(clock[design + 1] - clock[design])


def with_authors_overhead(frame: pd.DataFrame) -> pd.DataFrame:
    """Runs of `timed_search` in which each proposal of Fabolas and MTBO takes as long as in the authors' runs."""
    frame = frame.copy()
    for ours, (theirs, design) in OUR_DESIGNS.items():
        rows = frame["method"] == ours
        proposals = (frame.loc[rows, "evaluations"] - design).clip(lower=0)
        frame.loc[rows, "overhead"] = proposals * proposal_seconds(theirs)
        frame.loc[rows, "time"] = frame.loc[rows, "evaluation_seconds"] + frame.loc[rows, "overhead"]
    return frame
