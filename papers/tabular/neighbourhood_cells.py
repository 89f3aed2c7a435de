"""Rows and cells of the neighbourhood tables (Tables 7.3 and D.1 to D.4).

A relative change a / b - 1 is a ratio of two means, each over its own repetitions: the interval is Welch's for
log a - log b, with standard errors sd / (mean sqrt(R)). A smaller change is not better than a larger one, so its
verdict is `reproduced` or `differs`.
"""

from __future__ import annotations

import math

import numpy as np

from core.report.statistics.intervals import Interval
from core.report.tables.table import ReportCell
from core.report.verdicts.cells import Estimate, Verdict, interval_verdict, our_estimate, welch_interval
from core.report.verdicts.published import PublishedCell
from papers.tabular.printed_incumbents import INCUMBENT

ERROR, CHANGE = "test_error", "relative_change"
NAMES = {
    "init_lr": "Initial LR",
    "batch_size": "Batch Size",
    "lr_schedule": "LR Schedule",
    "activation_fn_1": "Activation/Layer 1",
    "activation_fn_2": "Activation/Layer 2",
    "n_units_1": "Layer 1 Size",
    "n_units_2": "Layer 2 Size",
    "dropout_1": "Dropout/Layer 1",
    "dropout_2": "Dropout/Layer 2",
}


def relative_change(changed: np.ndarray, best: np.ndarray) -> Interval:
    """Mean of errors (R,) over that of others minus 1, with its 95% interval; nan where a repetition diverged."""
    if not (np.isfinite(changed).all() and np.isfinite(best).all()):
        return Interval(math.nan, math.nan, math.nan)
    low, high = welch_interval(_log_estimate(changed), _log_estimate(best))
    return Interval(float(changed.mean() / best.mean()) - 1, math.expm1(low), math.expm1(high))


def changed(errors: np.ndarray, start: np.ndarray, published: PublishedCell | None, reduced: bool) -> ReportCell:
    """A relative change without a direction."""
    interval = relative_change(errors, start)
    failed = int((~np.isfinite(errors)).sum())
    if published is None:
        verdict = Verdict("not published", reduced=reduced, note="missing")
    elif failed:
        verdict = Verdict("differs", reduced=reduced, note=f"{failed} repetitions diverged")
    else:
        verdict = interval_verdict(interval, published, "neither", reduced)
    return ReportCell(interval.estimate, runs=len(errors), failed=failed, published=published, verdict=verdict)


def row_label(row: str) -> str:
    """The thesis' words for a row."""
    if row == INCUMBENT:
        return "Incumbent"
    name, change = row.split(": ")
    return f"{NAMES[name]}: {change}"


def _log_estimate(errors: np.ndarray) -> Estimate:
    """The logarithm of a mean with its standard error, to first order."""
    mean, error, freedom = our_estimate(errors)
    return Estimate(math.log(mean), error / mean, freedom)
