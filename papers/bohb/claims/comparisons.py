"""What the claims about BOHB beside the tables share: the data sets, and what the runs cannot decide.

One scale stands for the thesis' words, here and in the tables. "Much", "clearly" and "substantially" better are a
factor of 1.5 or more. What is "the same", or works "as well", is within 1.25, well inside of that. What is
"comparable", "quite" alike or "roughly" a number is within 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, frame_of
from core.report.verdicts.mean_comparisons import Cells, ends_too_soon, no_common_end
from papers.bohb.names import DATA_SETS, SURROGATES

COMPARABLE = 2.0  # factor within which two are "comparable", or "quite" alike
FIRST_ITERATIONS = 20  # full evaluations, five brackets
LEARNING = {"tpe": 30}
"""Full evaluations before which TPE, whose first 20 configurations are random, hardly has a model."""


def before_the_model(cells: Cells) -> str:
    """Why TPE cannot be compared, if it is among the cells and ends before it has a model; else empty."""
    return ends_too_soon(cells, LEARNING)


def cannot_compare(cells: Cells, time: float | None = None) -> str:
    """Why cells cannot be compared at a time, or at the end if it is None; empty if they can."""
    return no_common_end(cells, time) or before_the_model(cells)


def sets_of(
    results: Results, experiments: Sequence[str] = SURROGATES, besides: str = ""
) -> tuple[pd.DataFrame, list[str]]:
    """The runs of experiments, and the thesis' data sets among them, without `besides`, which a sentence may except.

    Raises:
        NotRunError: none of them was run.
    """
    frame = frame_of(results, *experiments)
    ran = set(frame["benchmark"].unique())
    names = [name for name in DATA_SETS if name in ran and name != besides]
    if not names:
        raise NotRunError(experiments[0])
    return frame, names


def on_sets(checks: list[Check], names: list[str], wanted: int = len(DATA_SETS)) -> Check:
    """A claim composed of one or more checks for each set."""
    return all_of(checks, f"{len(names)} of {wanted} sets run")
