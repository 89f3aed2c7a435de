"""The headline claims of all papers on one scale, from the sidecars.

The scale of an effect is ours over the published one:

    x = ours / published           where the paper prints a number
    x = ours / limit               where it has words, of which the claim's criterion makes a limit
    x = parts that hold / parts    where a claim has parts ("on all four sets")

and the claim is true where x lies in its region, which is divided by the same number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.report.page.records import Record, fails, value_text

COUNT = re.compile(r"(\d+) of ([1-9]\d*)")


@dataclass(frozen=True)
class Effect:
    """A value on the common scale with the ends of its interval and of the region in which the claim is true.

    For a claim of parts, the interval reaches from the share of those that hold to the share of those that do not fail.
    """

    value: float
    low: float
    high: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Answer:
    """The outcome of a check, of our part where the whole is out of reach, and its effect if it has one.

    shown: Our value and, if it is a number, the published one: `8.6 (100)`, `2 of 6`.
    """

    holds: str
    part: str
    effect: Effect | None
    shown: str


@dataclass(frozen=True)
class Headline:
    """A headline claim.

    words: The claim in a few words.
    ours: The answer of our own runs.
    authors: The answer of the authors' data, if there is one.
    full: Whether our runs follow the paper's protocol in full.
    cause: Kind of the cause if the claim fails, empty otherwise.
    """

    paper: str
    artifact: str
    id: str
    words: str
    ours: Answer
    authors: Answer | None
    full: bool
    cause: str


def headlines(sidecars: Sequence[Record]) -> list[Headline]:
    """The headline claims in the sidecars, in their order."""
    return [
        Headline(
            sidecar["paper"],
            sidecar["artifact"],
            claim["id"],
            claim["headline"],
            _answer(claim, claim["published"]),
            None if claim["reproduced"] is None else _answer(claim["reproduced"], claim["published"]),
            not claim["reduced"],
            claim["cause"]["kind"] if claim["cause"] is not None and fails(claim) else "",
        )
        for sidecar in sidecars
        for claim in sidecar["claims"]
        if claim["headline"] and claim["kind"] != "check"
    ]


def effect_of(check: Record, stated: float | str) -> Effect | None:
    """The effect of a check as a record, beside the published value; None if there is no ratio of the two."""
    lower, upper = float(check["lower"]), float(check["upper"])
    if isinstance(check["ours"], str) and (counted := COUNT.fullmatch(check["ours"])):
        held, parts = map(int, counted.groups())
        return Effect(held / parts, held / parts, (held + check["undecided"]) / parts, lower, 1.0)
    ours, unit = _number(check["ours"]), _number(stated)
    if not unit > 0:
        unit = _limit(lower, upper)
    if math.isnan(ours) or math.isnan(unit):
        return None
    ends = (float(check["low"]), float(check["high"]), lower, upper)
    return Effect(ours / unit, *(end / unit for end in ends))


def _answer(check: Record, stated: float | str) -> Answer:
    published = f" ({value_text(stated)})" if _number(stated) > 0 else ""
    ours = check["ours"] if isinstance(check["ours"], str) else f"{check['ours']:.2g}".replace("-", "−")
    shown = "" if check["ours"] == "nan" else f"{ours}{published}"
    return Answer(check["holds"], check["part"], effect_of(check, stated), shown)


def _limit(lower: float, upper: float) -> float:
    """What stands for the published value where the paper has words: the middle of a region, or its one end above 0."""
    ends = [end for end in (lower, upper) if math.isfinite(end) and end != 0]
    return math.prod(ends) ** (1 / len(ends)) if ends and min(ends) > 0 else math.nan


def _number(value: float | str) -> float:
    try:
        return float(value)
    except ValueError:
        return math.nan
