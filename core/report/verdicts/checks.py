"""Checks: what the function behind a claim computes and returns, and when the claim holds.

A check computes a statistic of the runs with its bootstrap 95% interval and states the region of values in which the
claim is true. The claim `holds` when the whole interval lies inside the region, `fails` when it lies outside,
and is `inconclusive` otherwise. It is `outside` where what was run cannot show it, however often it is run: our part of
a grid, or comparisons with a baseline that we do not have. What was run still says something, which an outside claim
states beside it: `part` is whether the claim holds on our part. Missing runs make it `not run`.

A claim may be asked two questions: is it *replicated* by our own runs, and is it *reproduced* by our analysis of the
authors' own data? The Check is the answer to the first, and its `reproduced` the answer to the second.

Parts: a claim of k parts holds if all of them do. It fails if one of them does so with the 5% of its interval shared
among them all (Bonferroni): of 16 true parts, one in three claims has a part whose 95% interval misses it.

A part about a method that we do not have is `outside`: what was run may refute the claim, but cannot confirm it alone.
A data set that we do not have is left out: the claim is judged on those at hand, and says so. The outcome of a claim on
our part combines the outcomes of its parts on our part, and this combined outcome is also the one that is counted.

A claim whose outcome was looked at before runs were added had several chances. The 5% of its interval are then shared
among the looks, as they are among parts.

Where the authors' own data are at hand, a claim has a second outcome beside the one of our runs, see `both`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from core.report.runs.frames import NotRunError
from core.report.statistics.intervals import Interval

OUTCOMES = ("holds", "fails", "inconclusive", "outside", "not run")


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


LEFT_OUT = "left out"  # of a conjunction
NORMAL = NormalDist()


def all_of(checks: Iterable[Check], detail: str = "") -> Check:
    """The Check of a claim made of several ("on all four data sets"): our value is how many of them hold."""
    checks = list(checks)
    judged = [check for check in checks if check.holds != LEFT_OUT]
    holds, clear, note = _together([(check.holds, check.clear) for check in judged])
    bearing = [(check.on_our_part, check.clear) for check in judged if check.on_our_part]
    ours = f"{sum(outcome == 'holds' for outcome, _ in bearing)} of {len(judged)}"
    part = ""
    if holds == "outside" and bearing:
        part, clear, note = _together(bearing)
    details = "; ".join(filter(None, dict.fromkeys([detail, *(check.detail for check in checks), note])))
    undecided = sum(check.on_our_part not in ("holds", "fails") for check in judged)
    return Check(ours, math.nan, math.nan, holds, details, clear, part, lower=1.0, undecided=undecided)


def at_least(count: int, checks: Iterable[Check], detail: str = "") -> Check:
    """The Check of a claim that some of several hold ("on four of five"): our value is how many of them do.

    One false part among n - count + 1 would make it hold, and one among `count` would make it fail, so that each shares
    the 5% of its interval among as many.
    """
    checks = list(checks)
    spare = len(checks) - count
    clear = {"holds": -math.inf, "fails": -math.inf}
    for outcome, needed, shares in (("holds", count, spare + 1), ("fails", spare + 1, count)):
        clearest = sorted((check.clear / farther(shares) for check in checks if check.holds == outcome), reverse=True)
        if len(clearest) >= needed:
            clear[outcome] = clearest[needed - 1]
    holds = next((outcome for outcome, value in clear.items() if value >= 1), "inconclusive")
    ours = f"{sum(check.holds == 'holds' for check in checks)} of {len(checks)}"
    details = "; ".join(filter(None, [detail, *(check.detail for check in checks)]))
    undecided = sum(check.holds not in ("holds", "fails") for check in checks)
    share, clearest_of = count / len(checks), clear.get(holds, math.inf)
    return Check(ours, math.nan, math.nan, holds, details, clearest_of, lower=share, undecided=undecided)


def _together(parts: Sequence[tuple[str, float]]) -> tuple[str, float, str]:
    """The combined outcome of parts, how clear it is, and a note on it, from the parts' outcomes and clearness."""
    outcomes = [outcome for outcome, _ in parts]
    order = ("not run", "fails", "inconclusive", "outside")
    holds = next((o for o in order if o in outcomes), "holds" if outcomes else "not run")
    if holds == "holds":
        return holds, min(clear for _, clear in parts), ""
    if holds != "fails":
        return holds, math.inf, ""
    clear = max(clear for outcome, clear in parts if outcome == "fails") / farther(len(parts))
    if clear >= 1:
        return holds, clear, ""
    note = f"{outcomes.count('fails')} of {len(outcomes)} parts fail, none with 5% shared among all of them"
    return "inconclusive", math.inf, note


def farther(shares: int) -> float:
    """How much farther out the ends of an interval lie if its 5% are shared among several, by normal quantiles."""
    return NORMAL.inv_cdf(1 - 0.025 / shares) / NORMAL.inv_cdf(1 - 0.025)


def after_looks(check: Check, looks: int) -> Check:
    """The check, `inconclusive` unless its outcome stands with the 5% of its interval shared among several looks."""
    if looks == 1 or check.on_our_part not in ("holds", "fails"):
        return check
    if check.clear >= farther(looks):
        return replace(check, clear=check.clear / farther(looks))
    note = f"runs were added, and with 5% shared among {looks} looks it is open whether it {check.on_our_part[:-1]}s"
    check = replace(check, clear=math.inf, detail="; ".join(filter(None, [check.detail, note])))
    return replace(check, part="inconclusive") if check.holds == "outside" else replace(check, holds="inconclusive")


def unknown(why: str) -> Check:
    """A part of a claim, for `all_of`, that cannot be judged: the others may refute the claim but not confirm it."""
    return Check(math.nan, math.nan, math.nan, "inconclusive", why)


def absent(name: str) -> Check:
    """The part of a claim about a method that we do not have."""
    return replace(pending(name), holds="outside")


def pending(name: str) -> Check:
    """The part of a claim about a cell of our own that has not been run; running the cell can settle the claim."""
    return unknown(f"{name} not run")


def left_out(name: str) -> Check:
    """The part of a claim about a data set that is not at hand; the claim is judged without it."""
    return replace(unknown(f"without {name}"), holds=LEFT_OUT)


def outside(check: Check, reason: str) -> Check:
    """The check as `outside`, with the reason why it neither confirms nor refutes the claim; `part` is its outcome."""
    if check.holds in ("not run", LEFT_OUT):
        return check
    details = "; ".join(filter(None, [check.detail, reason]))
    return replace(check, holds="outside", part=check.on_our_part, detail=details)


def not_run(detail: str = "") -> Check:
    """The Check of a claim whose runs are missing."""
    return Check(math.nan, math.nan, math.nan, "not run", detail)


def both(replicate: Callable[[], Check], reproduce: Callable[[], Check]) -> Check:
    """The Check of a claim on our own runs, with the one on the authors' data beside it where both are at hand.

    Args:
        replicate: Makes the check on our own runs.
        reproduce: Makes the check on the authors' data.

    Raises:
        NotRunError: neither are at hand.
    """
    try:
        reproduced = reproduce()
    except NotRunError:
        return replicate()
    try:
        replicated = replicate()
    except NotRunError as error:
        replicated = not_run(str(error))
    return replace(replicated, reproduced=reproduced)


def each_of(
    names: Iterable[str],
    run: Container[str],
    check: Callable[[str], Check],
    label: Callable[[str], str] = str,
    missing: Callable[[str], Check] = absent,
) -> list[Check]:
    """A part for each data set or method that a claim names; those not run are `absent`, `pending` or `left_out`."""
    return [check(name) if name in run else missing(label(name)) for name in names]


def contrary(check: Check) -> Check:
    """The opposite of a claim: it holds where the claim fails, and fails where the claim holds."""
    turned = {"holds": "fails", "fails": "holds"}
    holds, part = (turned.get(outcome, outcome) for outcome in (check.holds, check.part))
    return replace(check, holds=holds, part=part, lower=math.nan, upper=math.nan)  # its region is two pieces, mostly


def open_where(check: Check, reason: str) -> Check:
    """The check itself or, given a reason, an inconclusive one whose detail ends with it."""
    return replace(check, holds="inconclusive", detail=f"{check.detail} ({reason})") if reason else check


def slightly(check: Check, upper: float) -> Check:
    """The part of a claim that says "slightly"; where it fails because all of it is above the limit, it says so."""
    too_much = check.on_our_part == "fails" and check.low > upper
    return replace(check, detail="; ".join(filter(None, [check.detail, "by more than slightly" if too_much else ""])))


def worded(check: Check, words: str, digits: str = ".3g") -> Check:
    """A part whose detail begins with its description and its value, `words: ours [low, high]`.

    Args:
        digits: Format of the numbers; a leading + applies to ours alone.
    """
    value = check.ours if isinstance(check.ours, str) else Interval(check.ours, check.low, check.high).text(digits)
    return replace(check, detail=f"{words}: {value}" + (f" ({check.detail})" if check.detail else ""))
