"""The shapes of the claims about Hyperband with LC-Net on the tables of chapter 7 (5.4.4, B.4)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Check, NotRunError, judge, worded
from core.report.runs.time_curves import end_of, over_time
from core.report.statistics.win_probability import probabilities, resampled_interval, wins
from core.report.verdicts.checks import CellNotRunError
from core.report.verdicts.mean_comparisons import cells_of
from core.report.verdicts.shapes.shape import Benchmark, Method, shape
from core.report.verdicts.speedups import Pair, judge_factor, speedup
from core.tabular.values import LABELS
from papers.lcnet.table_runs import table_runs

HALF = 0.5  # of the time until the first runs end


@shape
def below_on_table(results: Results, benchmark: Benchmark, better: Method, worse: Method, share: float = 1.0) -> Check:
    """The probability that a run of one method is below one of another after a share of the time that both ran."""
    cells, end = _cells(results, benchmark, (better, worse))
    matrix = wins(*(over_time(rows, np.array([share * end])) for rows in cells.values()))
    interval = resampled_interval(lambda a, b: probabilities(matrix, a, b)[:, 0], *matrix.shape[1:])
    words = f"{LABELS[benchmark]}, {better} below {worse} at {share * end:.4g} s"
    return worded(judge(interval, lower=0.5), words)


@shape
def faster_with_lcnet(results: Results, benchmark: Benchmark, above: float, share: float = HALF) -> Check:
    """How much sooner Hyperband's median regret after a share of the time that both ran is reached with LC-Net."""
    slow, fast = methods = ("hyperband", "hyperband_lcnet")
    cells, end = _cells(results, benchmark, methods)
    level = float(np.median(over_time(cells[slow], np.array([share * end]))))
    factor = speedup(Pair.of(table_runs(results), benchmark, slow, fast, level, average=np.median))
    return judge_factor(factor, (above, np.inf), f"{benchmark}, factor by which LC-Net is faster: ")


def _cells(results: Results, benchmark: str, methods: tuple[str, str]) -> tuple[dict[str, pd.DataFrame], float]:
    """The rows of two methods, and when the first of them ends.

    Raises:
        CellNotRunError: one of them was not run, which leaves the set out.
    """
    try:
        cells = cells_of(table_runs(results), benchmark, methods)
    except NotRunError as error:
        raise CellNotRunError(benchmark, methods[0], alone=False, words=LABELS[benchmark]) from error
    return cells, min(map(end_of, cells.values()))
