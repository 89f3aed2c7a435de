"""The shapes of the claims about agents of deep deterministic policy gradient (NIPS 6.4)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, frame_of, judge
from core.report.runs.frames import cell_rows
from core.report.statistics.bootstrap import bootstrap_interval
from core.report.verdicts.mean_comparisons import as_factor
from core.report.verdicts.shapes.shape import Benchmark, Method, shape


@shape
def fewer_training_episodes(
    results: Results, benchmark: Benchmark, better: Method, worse: Method, seed: int, factor: float = 1.0
) -> Check:
    """Agents of one method learn in fewer episodes than another's, by a factor or more."""
    frame = frame_of(results, "control_agents")
    return _fewer(frame, benchmark, better, worse, seed, factor, "episodes")


@shape
def fewer_episodes_found(results: Results, benchmark: Benchmark, better: Method, worse: Method, seed: int) -> Check:
    """The incumbents of one search end with fewer episodes than another's."""
    return _fewer(frame_of(results, "control"), benchmark, better, worse, seed, 1.0, "loss")


def _fewer(
    frame: pd.DataFrame, benchmark: str, better: str, worse: str, seed: int, factor: float, metric: str
) -> Check:
    samples = tuple(
        np.log10(cell_rows(frame, benchmark, method).groupby("run")[metric].min().to_numpy(dtype=float))
        for method in (better, worse)
    )
    interval = bootstrap_interval(samples, lambda fast, slow: fast.mean(-1) - slow.mean(-1), seed)
    detail = f"{better} needs {as_factor(interval)} times as many episodes as {worse}"
    return judge(interval, upper=-np.log10(factor), detail=detail)
