"""Checks: what the function behind a claim computes and returns, and when the claim holds.

A check computes a statistic of the runs with its bootstrap 95% interval and states the region of values in which the
claim is true. The claim `holds` when the whole interval lies inside the region, `fails` when it lies outside,
and is `inconclusive` otherwise. It is `outside` where what was run cannot show it, however often it is run: our part of
a grid, or comparisons with a baseline that we do not have. What was run still says something, which an outside claim
states beside it: `part` is whether the claim holds on our part. Missing runs make it `not run`.

A claim may be asked two questions: is it *replicated* by our own runs, and is it *reproduced* by our analysis of the
authors' own data? The Check is the answer to the first, and its `reproduced` the answer to the second.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from core.foundation.errors import UserError
from core.report.statistics.bootstrap import Interval

OUTCOMES = ("holds", "fails", "inconclusive", "outside", "not run")


class NotRunError(LookupError):
    """The runs that an artifact or a claim needs are not there; drawn as `not run`."""


class CellNotRunError(NotRunError):
    """A cell was not run.

    Attributes:
        alone: Whether other methods were run on the benchmark.
        words: What a part of a claim lacks without it: by default the benchmark, with the method if others were run.
    """

    def __init__(self, benchmark: str, method: str, alone: bool, words: str = "") -> None:
        super().__init__(f"{benchmark}/{method}")
        self.method, self.alone = method, alone
        self.words = words or (f"{benchmark}: {method}" if alone else benchmark)


@dataclass(frozen=True)
class Check:
    """Outcome of a check: our value with its 95% interval, the published value, and whether the claim holds.

    part: Outcome on our part of a check that is `outside`: `holds`, `fails` or `inconclusive`; empty if nothing of ours
        bears on it.
    clear: Distance from our value to the nearest border of the region that the interval would have to reach to leave
        the outcome open, if the check holds or fails. Its unit is the distance to the end of the interval on that side,
        so it is above 1, and infinite where nothing was sampled.
    lower, upper: Ends of the region in which the claim is true, in the unit of our value or, if it is made of parts, as
        the share of them that must hold; nan where the region is not one interval.
    undecided: Number of parts that are open, if it is made of parts.
    reproduced: Check of the same claim on the authors' own data; None if they do not bear on it or are not at hand.
    """

    ours: float | str
    low: float
    high: float
    holds: str
    detail: str = ""
    clear: float = math.inf
    part: str = ""
    lower: float = math.nan
    upper: float = math.nan
    undecided: int = 0
    reproduced: Check | None = None

    @property
    def on_our_part(self) -> str:
        """The outcome on what was run, whether or not it can show the claim."""
        return self.part if self.holds == "outside" else self.holds


@contextmanager
def reading(results: Any) -> Iterator[None]:
    """Wrap an author's function: an error after it requested the empty frame of an experiment means `not run`.

    Made-up results that do not note such requests have all runs.

    Raises:
        NotRunError: naming these experiments. If it requested no empty frame, the error is passed on unchanged.
    """
    lacking = getattr(results, "lacking", [])
    before = len(lacking)
    try:
        yield
    except (UserError, NotRunError):
        raise
    except Exception as error:
        if absent := dict.fromkeys(lacking[before:]):
            raise NotRunError(", ".join(absent)) from error
        raise


def judge(interval: Interval, lower: float = -math.inf, upper: float = math.inf, detail: str = "") -> Check:
    """The Check of a claim that is true if the statistic lies strictly between `lower` and `upper`.

    "A above B" is lower=0 on the difference; an exact tie is inconclusive.
    """
    estimate, low, high = interval
    clear = math.inf
    inside = (lower < low or lower == -math.inf) and (high < upper or upper == math.inf)
    if inside and not math.isnan(estimate):
        holds = "holds"
        clear = min(_distances(estimate, low, lower), _distances(estimate, high, upper))
    elif high < lower or upper < low:
        holds = "fails"
        clear = _distances(estimate, *((high, lower) if high < lower else (low, upper)))
    else:
        holds = "inconclusive"
    return Check(estimate, low, high, holds, detail, clear, lower=lower, upper=upper)


def _distances(estimate: float, end: float, border: float) -> float:
    """How far a border is from an estimate, in distances to the end of its interval; infinite if that has no width."""
    if end == estimate or not (math.isfinite(estimate) and math.isfinite(end)):
        return math.inf
    return (border - estimate) / (end - estimate)
