"""What the claims about BOHB share: the data sets, how regrets are compared, and what the runs cannot decide.

Times are full evaluations. A claim about all data sets is judged on those that were run, and its detail says how many.

One scale stands for the thesis' words. "Much", "clearly" and "substantially" better are a factor of 1.5 or more. What
is "the same", or works "as well", is within 1.25, well inside of that. What is "comparable", "quite" alike or "roughly"
a number is within 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, frame_of
from core.report.runs.time_curves import end_of
from core.report.verdicts.mean_comparisons import Cells, lower_than, no_common_end, within_factor
from papers.bohb.names import DATA_SETS, RESOLUTION, SURROGATES

CLEARLY = 1 / 1.5  # margin of what the thesis calls "much", "clearly" or "substantially" better
ALIKE = 1.25  # factor within which two are "the same", or one is "as good" as the other
COMPARABLE = 2.0  # factor within which two are "comparable", or "quite" alike
MODEL = 30  # full evaluations before which TPE, whose first 20 configurations are random, has hardly a model
FIRST_ITERATIONS = 20  # full evaluations, five brackets


def before_the_model(cells: Cells) -> str:
    """Words where TPE is among the cells and ends before it has a model; else empty."""
    if "tpe" in cells and end_of(cells["tpe"]) < MODEL:
        return f"tpe ends at {end_of(cells['tpe']):.4g}, its first 20 evaluations are random"
    return ""


def cannot_compare(cells: Cells, time: float | None = None) -> str:
    """Why cells cannot be compared at a time, or at the end where it is None; empty where they can."""
    return no_common_end(cells, time) or before_the_model(cells)


lower = partial(lower_than, reason=before_the_model)
lower_on_surrogate = partial(lower, floor=RESOLUTION)
alike_on_surrogate = partial(within_factor, floor=RESOLUTION, reason=before_the_model)


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


def on_sets(checks: list[Check], names: list[str], said: str = "all six sets", wanted: int = len(DATA_SETS)) -> Check:
    """A claim composed of one or more checks for each set."""
    return all_of(checks, said, f"{len(names)} of {wanted} sets run")
