"""Claims about the surrogate of support vector machines (6.4.2.1, Fig 6.3).

A good configuration has an error as near the surrogate's smallest as 2% is to the 1.505% of the authors' surrogate.
Times are medians over the runs of when they first have one.
"""

from __future__ import annotations

import numpy as np

from core.experiment.results import Results
from core.report import Check, all_of, claim
from core.report.figures.authors_svm_runs import OPTIMUM
from core.report.verdicts.level_times import median_speedup
from core.report.verdicts.speedups import judge_known
from papers.bohb.claims.comparisons import COMPARABLE
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
    parts = [_faster(results, "fabolas", fast, (1 / COMPARABLE, COMPARABLE), "comparable") for fast in BANDITS]
    return all_of(parts, "comparable")


@claim(
    artifact="fig6_3",
    place="thesis 6.4.2.1, Fig 6.3",
    sentence="BOHB and Hyperband outperform MTBO and GP-BO.",
)
def bandits_outperform_mtbo_and_gp(results: Results) -> Check:
    """They find a good configuration sooner."""
    pairs = [(slow, fast) for slow in ("mtbo", "gp") for fast in BANDITS]
    return all_of([_faster(results, slow, fast, (1.0, np.inf), "sooner") for slow, fast in pairs], "sooner")


def _faster(results: Results, slow: str, fast: str, between: tuple[float, float], said: str) -> Check:
    frame = svm_runs(results)
    found = median_speedup(frame, frame["benchmark"].iloc[0], slow, fast, GOOD)
    return judge_known(found, said, between, f"{fast} over {slow}: ")
