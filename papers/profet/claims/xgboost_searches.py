"""Claims about Bayesian optimization and random search on XGBoost (8, E.2).

The final losses of a set's runs are compared in pairs, since methods share their initial designs run by run.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import (
    Check,
    Interval,
    NotRunError,
    all_of,
    bootstrap_interval,
    claim,
    contrary,
    frame_of,
    judge,
    pending,
    worded,
)
from core.report.runs.trajectories import incumbent, per_run
from core.report.statistics.reductions import mean
from papers.profet.xgboost_runs import EXPERIMENT, LABELS, METHODS, UNLUCKY, both_ran

SEED = 81


@claim(
    artifact="fig8_1",
    place="thesis 8 and E.2, Fig 8.1",
    sentence="Boston housing, power plant and concrete do not show clearly that BO-GP is better than random search.",
    published="not on all",
)
def three_sets_do_not_decide(results: Results) -> Check:
    """The ranking varies: random search ends as low as BO-GP on one of the three, whose difference is not above 0.

    True if BO-GP is worse on one beyond doubt, false if it is better on all three beyond doubt.
    """
    differences = _differences(results, UNLUCKY)
    parts = [worded(judge(interval, lower=0.0), LABELS[name], "+.3g") for name, interval in differences.items()]
    lacking = [pending(LABELS[name]) for name in UNLUCKY if name not in differences]
    return contrary(all_of([*parts, *lacking]))


@claim(
    artifact="figE_2",
    place="thesis E.2, Fig E.2",
    sentence="Over all regression sets BO-GP performs better than random search.",
    published="better on 10, worse on 1, ties on 2",
)
def gp_is_better_overall(results: Results) -> Check:
    """The share of the sets on which BO-GP ends below random search; above one half (published 10 of 13)."""
    frame = frame_of(results, EXPERIMENT)
    names = both_ran(frame)
    samples = np.stack([_ends(frame, name) for name in names], 1)
    interval = bootstrap_interval(samples, lambda drawn: (drawn.mean(1) > 0).mean(1), SEED)
    detail = f"share of {len(names)} sets; {_words(_differences(results, names))}"
    return judge(interval, lower=0.5, detail=detail)


def _differences(results: Results, names: Iterable[str]) -> dict[str, Interval]:
    """What random search ends above BO-GP on each set that was run, with its interval.

    Raises:
        NotRunError: none of the sets was run.
    """
    frame = frame_of(results, EXPERIMENT)
    differences = {
        name: bootstrap_interval(_ends(frame, name), mean, SEED) for name in names if name in both_ran(frame)
    }
    if not differences:
        raise NotRunError(EXPERIMENT)
    return differences


def _ends(frame: pd.DataFrame, name: str) -> np.ndarray:
    """Final loss of random search less that of BO-GP, (runs,)."""
    random, gp = (incumbent(per_run(frame, "loss", name, method))[:, -1] for method in METHODS)
    return random - gp


def _words(differences: dict[str, Interval]) -> str:
    return "; ".join(f"{LABELS[name]} {interval.text('+.3g')}" for name, interval in differences.items())
