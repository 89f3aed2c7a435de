"""The shape of the claims about the surrogate of support vector machines (6.4.2.1, Fig 6.3)."""

from __future__ import annotations

import math

from core.experiment.results import Results
from core.report import Check
from core.report.figures.authors_svm_runs import OPTIMUM
from core.report.verdicts.checks import CellNotRunError
from core.report.verdicts.level_times import median_speedup
from core.report.verdicts.shapes.shape import Method, shape
from core.report.verdicts.speedups import judge_factor
from papers.bohb.svm_runs import svm_runs

GOOD = 0.02 - OPTIMUM  # regret


@shape
def sooner_on_svm(results: Results, slow: Method, fast: Method, above: float, below: float = math.inf) -> Check:
    """The median time of one method to a good configuration over that of another lies between two factors.

    Raises:
        CellNotRunError: one of the methods was not run.
    """
    frame = svm_runs(results)
    surrogate = frame["benchmark"].iloc[0]
    for method in (slow, fast):
        if method not in set(frame["method"]):
            raise CellNotRunError(surrogate, method, alone=False)
    factor = median_speedup(frame, surrogate, slow, fast, GOOD)
    return judge_factor(factor, (above, below), f"{fast} over {slow}: ")
