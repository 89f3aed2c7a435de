"""Checks: what the function behind a claim computes and returns, and when the claim holds.

A check computes a statistic of the runs with its bootstrap 95% interval, and states the region of values in which the
claim is true. The claim `holds` when the whole interval lies inside the region, `fails` when the interval lies outside,
and is `inconclusive` otherwise. Runs that are missing make it `not run`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from core.errors import UserError
from core.report.bootstrap import Interval

OUTCOMES = ("holds", "fails", "inconclusive", "not run")


class NotRunError(LookupError):
    """The runs that an artifact or a claim needs are not there; drawn as `not run`."""


@dataclass(frozen=True)
class Check:
    """Outcome of a check: our value with its 95% interval, the published value, and whether the claim holds."""

    ours: float | str
    published: float | str
    low: float
    high: float
    holds: str
    detail: str = ""


@contextmanager
def reading(results: Any) -> Iterator[None]:
    """Around an author's function: where an experiment has no runs, what fails on its empty frame was not run.

    Raises:
        NotRunError: naming these experiments. With runs of each experiment an error stays what it is.
    """
    try:
        yield
    except (UserError, NotRunError):
        raise
    except Exception as error:
        names = dict.fromkeys(cell.experiment for cell in results.cells)
        run = {cell.experiment for cell in results.cells if cell.present}
        if absent := [name for name in names if name not in run]:
            raise NotRunError(", ".join(absent)) from error
        raise


def runs_of(frame: pd.DataFrame, metric: str, benchmark: str, method: str, failed: float = math.nan) -> np.ndarray:
    """The metric of one cell of a results frame, (runs,) in the order of the runs.

    Args:
        failed: what a failed or not finite run counts as; the metric's worst value (-inf for a log-likelihood) if it
            has one.

    Raises:
        NotRunError: the cell has no rows.
    """
    rows = frame[(frame["benchmark"] == benchmark) & (frame["method"] == method)]
    if rows.empty:
        raise NotRunError(f"{benchmark}/{method}")
    if metric not in rows:
        raise KeyError(f"no metric {metric!r} in the results of {benchmark}/{method}; there are {list(rows.columns)}")
    rows = rows.sort_values("run")
    values = rows[metric].to_numpy(dtype=float, na_value=np.nan)
    values = np.where(np.isfinite(values), values, failed)
    return np.where(rows["status"].to_numpy() == "failed", failed, values)


def judge(
    interval: Interval,
    published: float | str,
    lower: float = -math.inf,
    upper: float = math.inf,
    detail: str = "",
) -> Check:
    """The Check of a claim that is true where the statistic lies strictly between `lower` and `upper`.

    "A above B" is lower=0 on the difference; an order that ties exactly is inconclusive.
    """
    estimate, low, high = interval
    inside = (lower < low or lower == -math.inf) and (high < upper or upper == math.inf)
    if inside and not math.isnan(estimate):
        holds = "holds"
    elif high < lower or upper < low:
        holds = "fails"
    else:
        holds = "inconclusive"
    return Check(estimate, published, low, high, holds, detail)


def all_of(checks: Iterable[Check], published: float | str, detail: str = "") -> Check:
    """The Check of a claim made of several ("on all four data sets"): our value is how many of them hold."""
    checks = list(checks)
    outcomes = [check.holds for check in checks]
    holds = next((o for o in ("not run", "fails", "inconclusive") if o in outcomes), "holds" if checks else "not run")
    ours = f"{outcomes.count('holds')} of {len(checks)}"
    detail = "; ".join(filter(None, [detail, *(check.detail for check in checks)]))
    return Check(ours, published, math.nan, math.nan, holds, detail)


def unknown(why: str) -> Check:
    """A part of a claim, for `all_of`, that cannot be judged: the other parts may refute the claim, not confirm it."""
    return Check(math.nan, "", math.nan, math.nan, "inconclusive", why)


def absent(name: str) -> Check:
    """The part of what a sentence names and nobody ran."""
    return unknown(f"{name} not run")


def not_run(published: float | str = math.nan, detail: str = "") -> Check:
    """The Check of a claim whose runs are missing."""
    return Check(math.nan, published, math.nan, math.nan, "not run", detail)
