"""The shapes of the claims about proximal policy optimization on cart-pole (6.4.4).

Searches whose agents are trained live decide where there are any, otherwise those on the forest.
"""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report import Check, frame_of
from core.report.verdicts.mean_comparisons import lower_than, within_factor
from core.report.verdicts.shapes.searches import Time, time_of
from core.report.verdicts.shapes.shape import Benchmark, Method, shape
from papers.bohb.claims.comparisons import before_the_model
from papers.bohb.names import POLICY_EXPERIMENTS


@shape
def fewer_episodes(
    results: Results, benchmark: Benchmark, better: Method, worse: Method, at: Time = "end", factor: float = 1.0
) -> Check:
    """The geometric mean of the episodes that one method's incumbents take is below another's, by a factor or more."""
    return lower_than(_episodes(results), benchmark, better, worse, time_of(at), 1 / factor, reason=before_the_model)


@shape
def as_many_episodes(
    results: Results, benchmark: Benchmark, first: Method, second: Method, factor: float, at: Time = "end"
) -> Check:
    """The geometric means of the episodes that two methods' incumbents take differ by less than a factor."""
    return within_factor(_episodes(results), benchmark, first, second, factor, time_of(at))


def _episodes(results: Results) -> pd.DataFrame:
    """The runs, with episodes in the column that is compared."""
    forest, live = POLICY_EXPERIMENTS
    frame = results.frame(live)
    return (frame_of(results, forest) if frame.empty else frame).assign(regret=lambda rows: rows["episodes"])
