"""Cell verdicts: do our runs reproduce a published number?

A published mean and our mean are each turned into an estimate with a standard error and its degrees of freedom; the
95% interval of their difference is Welch's, with Satterthwaite's degrees of freedom,

    d +- t_{0.975, df} sqrt(e1^2 + e2^2),   df = (e1^2 + e2^2)^2 / (e1^4 / df1 + e2^4 / df2).

A published number without a usable spread has standard error 0, which leaves our own t interval around it. Rules:

* `reproduced`: the interval contains zero; `better` or `worse` in the metric's direction: it does not.
* `inconclusive`: it contains zero, but extends further to each side than a difference that matters, which then could
  not have been seen (or we have a single run and no interval at all): one published standard deviation or, where a
  standard error or no spread is printed, a quarter of the published value, if that is less. Against a number published
  with a standard deviation from six runs or fewer this is always the case.
* Without a direction (`neither`: ratios, changes) a number that is not reproduced `differs`.
* A `baseline` that comes out better says nothing for the paper: it weakens what the paper claims by comparison with it.
  One that comes out worse strengthens it, and says as little.
* `outside`: what our part of a grid, or a missing baseline, cannot show. It counts neither way.
* A "+-" of unstated meaning is taken as sd; `alternative` is the verdict if it were a standard error of the mean.
* Divergence: a mean over runs is nan as soon as one run is, so both sides count as diverged when at least one run
  failed or is not finite. Published nan: `reproduced` if ours diverges too, else `better`. Published finite and ours
  diverged: `worse`; the difference over the other runs is given, without an interval.
* `reduced` is set where our protocol, or our number of runs, is below the published one. `not run` and `not published`
  if a side is absent. Exact values (counts, splits, specifications) have
  verdicts of their own, see `exact_verdict`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.foundation.errors import UserError
from core.report.statistics.intervals import LEVEL, Interval, student_quantile
from core.report.verdicts.published import PublishedCell

KINDS = (
    "reproduced",
    "better",
    "worse",
    "inconclusive",
    "equal",
    "as configured",
    "differs",
    "outside",
    "not run",
    "not published",
)
TESTED = ("reproduced", "better", "worse", "inconclusive", "differs")
DIRECTIONS = ("higher", "lower", "neither")
MATTERS = 0.25  # of a published value without a standard deviation: a difference that an interval must be able to show
QUARTILE = NormalDist().inv_cdf(0.75)  # half the distance between the quartiles of a standard normal


@dataclass(frozen=True)
class Verdict:
    """The verdict on one published cell.

    difference: Our mean minus the published one; low, high: its 95% interval (both in the metric's unit);
    difference_in_sd: The difference in published standard deviations; nan if there is none, or it is zero.
    baseline: Whether the number is that of a method that the paper compares its own with.
    directed: Whether the metric has a direction, in which ours can be worse.
    alternative: The verdict's kind if an unstated spread were a standard error of the mean; None if it is stated.
    """

    kind: str
    difference: float = math.nan
    difference_in_sd: float = math.nan
    low: float = math.nan
    high: float = math.nan
    alternative: str | None = None
    reduced: bool = False
    note: str = ""
    baseline: bool = False
    directed: bool = False

    @property
    def look(self) -> str:
        """The kind, or how a baseline that is not as published looks, as `core.report.style` knows it."""
        return f"{self.kind} baseline" if self.baseline and self.kind in ("better", "worse") else self.kind

    @property
    def compared(self) -> bool:
        """Whether ours stands beside a published number."""
        return self.kind not in ("not run", "not published")

    def outside(self, note: str) -> Verdict:
        """`outside` for the reason in the note; the verdict itself if nothing was compared."""
        return replace(self, kind="outside", note=note) if self.compared else self

    @property
    def tested(self) -> bool:
        """Whether the verdict came from an interval and so could be wrong by chance."""
        return self.kind in TESTED and math.isfinite(self.low) and math.isfinite(self.high)


class Estimate(NamedTuple):
    """A mean, its standard error, and the degrees of freedom of that error (infinite: taken as known)."""

    mean: float
    error: float
    freedom: float


def cell_verdict(values: ArrayLike, published: PublishedCell, direction: str, reduced: bool = False) -> Verdict:
    """Verdict on one published number.

    Args:
        values: Our metric, (runs,), one number per run, nan where the run failed.
        published: The published number.
        direction: Better direction, `higher` or `lower`, or `neither`.
        reduced: Whether our protocol is below the published one.
    """
    check_direction(direction)
    verdict = _cell_verdict(np.asarray(values, dtype=float).reshape(-1), published, direction, reduced)
    return replace(verdict, directed=direction != "neither")


def _cell_verdict(values: np.ndarray, published: PublishedCell, direction: str, reduced: bool) -> Verdict:
    if values.size == 0:
        return Verdict("not run")
    reduced = reduced or (published.runs is not None and values.size < published.runs)
    if published.reading not in ("number", "nan"):
        return Verdict("not published", reduced=reduced, note=published.reading)
    finite = values[np.isfinite(values)]
    failed = values.size - finite.size
    note = f"{failed} of {values.size} runs failed"
    if math.isnan(published.value):
        return Verdict("reproduced" if failed else "better", reduced=reduced, note=note)
    if failed:
        difference = float(finite.mean()) - published.value if finite.size else math.nan
        return Verdict("worse", difference, _in_sd(difference, published), reduced=reduced, note=note)
    verdict = replace(_compare(finite, published, direction), reduced=reduced)
    if published.spread_kind == "unstated" and published.spread is not None:
        under_sem = _compare(finite, replace(published, spread_kind="sem"), direction)
        verdict = replace(verdict, alternative=under_sem.kind)
    return verdict


def interval_verdict(interval: Interval, published: PublishedCell, direction: str, reduced: bool = False) -> Verdict:
    """Verdict on a published number from the interval of one statistic of all our runs together (a slope, a quantile).

    The published number is taken as exact. An interval that is not finite is `inconclusive`.
    """
    check_direction(direction)
    if published.reading != "number":
        return Verdict("not published", reduced=reduced, note=published.reading)
    difference, low, high = (end - published.value for end in interval)
    if not (math.isfinite(low) and math.isfinite(high)):
        return Verdict("inconclusive", difference, reduced=reduced, note="the interval is not finite")
    kind = _kind(difference, low, high, replace(published, spread_kind="none"), direction)
    directed = direction != "neither"
    return Verdict(kind, difference, _in_sd(difference, published), low, high, reduced=reduced, directed=directed)


def our_estimate(values: np.ndarray) -> Estimate:
    """Mean and standard error of (runs,) finite numbers; with one run the error is unknown (nan)."""
    runs = values.size
    if runs == 1:
        return Estimate(float(values[0]), math.nan, 0)
    if np.ptp(values) == 0:  # exact results stay exact: the computed mean of equal numbers can be rounded
        return Estimate(float(values[0]), 0.0, runs - 1)
    return Estimate(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(runs), runs - 1)


def published_estimate(published: PublishedCell) -> Estimate:
    """A published number with the standard error that its spread implies, 0 if unknown."""
    runs = published.runs
    if published.spread_kind == "sem" and published.spread is not None:
        freedom = runs - 1 if runs is not None and runs > 1 else math.inf
        return Estimate(published.value, published.spread, freedom)
    sd = published_sd(published)
    if math.isnan(sd) or runs is None or runs < 2:
        return Estimate(published.value, 0.0, math.inf)
    return Estimate(published.value, sd / math.sqrt(runs), runs - 1)


def published_sd(published: PublishedCell) -> float:
    """The standard deviation over runs that a published spread implies (unstated: taken as sd), nan if unknown."""
    spread, kind, runs = published.spread, published.spread_kind, published.runs
    if spread is None or kind == "none" or (kind == "sem" and runs is None):
        return math.nan
    return spread * {"sem": math.sqrt(runs or 1), "quantile": 1 / QUARTILE}.get(kind, 1.0)


def welch_interval(ours: Estimate, published: Estimate, level: float = LEVEL) -> tuple[float, float]:
    """Interval (low, high) of the difference ours - published; infinite where our error is unknown."""
    difference = ours.mean - published.mean
    a, b = ours.error**2, published.error**2
    if math.isnan(a):
        return -math.inf, math.inf
    if a + b == 0:
        return difference, difference
    share = a / (a + b)  # Satterthwaite's formula, written in terms of shares so that tiny errors do not underflow
    inverse = share**2 / ours.freedom + (1 - share) ** 2 / published.freedom
    freedom = 1 / inverse if inverse > 0 else math.inf
    half_width = student_quantile(freedom, level) * math.sqrt(a + b)
    return difference - half_width, difference + half_width


def check_direction(direction: str) -> None:
    if direction not in DIRECTIONS:
        raise UserError(f"direction: {direction!r}; allowed: {', '.join(DIRECTIONS)} (what is better)")


def _compare(finite: np.ndarray, published: PublishedCell, direction: str) -> Verdict:
    ours, theirs = our_estimate(finite), published_estimate(published)
    difference = ours.mean - theirs.mean
    low, high = welch_interval(ours, theirs)
    kind = _kind(difference, low, high, published, direction)
    note = "a single run has no interval" if math.isinf(high) else ""
    return Verdict(kind, difference, _in_sd(difference, published), low, high, note=note)


def _kind(difference: float, low: float, high: float, published: PublishedCell, direction: str) -> str:
    if low <= 0 <= high:
        return "inconclusive" if (high - low) / 2 > _limit(published) else "reproduced"
    if direction == "neither":
        return "differs"
    return "better" if (difference > 0) == (direction == "higher") else "worse"


def _limit(published: PublishedCell) -> float:
    """How far an interval that reproduces a published number may extend to each side."""
    sd, share = published_sd(published), MATTERS * abs(published.value)
    if published.spread_kind in ("sem", "none"):
        return float(np.fmin(sd, share))
    return share if math.isnan(sd) else sd


def _in_sd(difference: float, published: PublishedCell) -> float:
    sd = published_sd(published)
    return difference / sd if sd else math.nan


def exact_verdict(ours: object, published: object, reduced: bool = False, configured: bool = False) -> Verdict:
    """`equal` or `differs` for counts, splits and specifications; numbers compare as numbers, the rest as text.

    Args:
        configured: Whether ours is what our own configuration says. That it is the printed value is then no evidence,
            and the verdict on it is `as configured`.
    """
    same = "as configured" if configured else "equal"
    return Verdict(same if _same(ours, published) else "differs", reduced=reduced)


def _same(ours: object, published: object) -> bool:
    try:
        a, b = float(str(ours)), float(str(published))
    except ValueError:
        return str(ours).strip() == str(published).strip()
    return a == b or (math.isnan(a) and math.isnan(b))
