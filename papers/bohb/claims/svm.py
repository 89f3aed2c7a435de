"""Claims about the surrogate of support vector machines (6.4.2.1, Fig 6.3).

A good configuration has an error of 2% or less; the smallest is 1.505%. Times are medians over the runs of when they
first have one.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from core.experiment.results import Results
from core.report import Check, NotRunError, all_of, claim, each_of, pending
from core.report.figures.authors_svm_runs import OPTIMUM
from core.report.verdicts.level_times import median_speedup
from core.report.verdicts.speedups import judge_known
from papers.bohb.claims.comparisons import COMPARABLE
from papers.bohb.names import SVM_SEARCHES
from papers.bohb.svm_runs import svm_runs

GOOD = 0.02 - OPTIMUM  # regret
BANDITS = ("hyperband", "bohb")


@claim(
    artifact="fig6_3",
    place="thesis 6.4.2.1, Fig 6.3",
    sentence="BOHB and Hyperband work about as well as Fabolas.",
)
def bandits_work_like_fabolas(results: Results) -> Check:
    """Their times to a good configuration and that of Fabolas differ by less than a factor of 2."""
    return _each_faster(results, ["fabolas"], (1 / COMPARABLE, COMPARABLE), "comparable")


@claim(
    artifact="fig6_3",
    place="thesis 6.4.2.1, Fig 6.3",
    sentence="BOHB and Hyperband outperform MTBO and GP-BO.",
)
def bandits_outperform_mtbo_and_gp(results: Results) -> Check:
    """They find a good configuration sooner."""
    return _each_faster(results, ["mtbo", "gp"], (1.0, np.inf), "sooner")


def _each_faster(results: Results, slower: list[str], between: tuple[float, float], said: str) -> Check:
    """How much faster Hyperband and BOHB are than each of the others; those that were not run leave it open.

    Raises:
        NotRunError: none of the others was run.
    """
    frame = svm_runs(results)
    run = set(frame["method"])
    if not run & set(slower):
        raise NotRunError(f"{SVM_SEARCHES}: {', '.join(slower)}")

    def faster(fast: str, slow: str) -> Check:
        found = median_speedup(frame, frame["benchmark"].iloc[0], slow, fast, GOOD)
        return judge_known(found, said, between, f"{fast} over {slow}: ")

    parts = [check for fast in BANDITS for check in each_of(slower, run, partial(faster, fast), missing=pending)]
    return all_of(parts, said)
