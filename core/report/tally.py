"""Counting verdicts and claims over sidecars, and the words that the terminal and the page share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.report.records import table_from_record
from core.report.table_text import show
from core.report.verdicts import expected_false_worse


@dataclass(frozen=True)
class Tally:
    """How often each verdict and each outcome of a claim occurs.

    baselines: how many of those that are better than published are a baseline's, which says nothing for the paper.
    claims: outcomes, but those of checks of the code.
    reduced: verdicts from a protocol below the paper's; tested: verdicts from an interval, which chance can make wrong.
    """

    verdicts: Counter[str]
    baselines: int
    reduced: int
    tested: int
    expected_false_worse: float
    claims: Counter[str]


def tally(sidecars: Sequence[dict[str, Any]]) -> Tally:
    """Verdicts and claims of some artifacts, counted."""
    verdicts = [v for s in sidecars if s["table"] is not None for v in table_from_record(s["table"]).verdicts]
    return Tally(
        verdicts=Counter(verdict.kind for verdict in verdicts),
        baselines=sum(verdict.look != verdict.kind for verdict in verdicts),
        reduced=sum(verdict.reduced for verdict in verdicts),
        tested=sum(verdict.tested for verdict in verdicts),
        expected_false_worse=expected_false_worse(verdicts),
        claims=Counter(
            claim["holds"] for sidecar in sidecars for claim in sidecar["claims"] if claim["kind"] != "check"
        ),
    )


def chance_sentence(counts: Tally) -> str:
    """How many false `worse` verdicts to expect, in words."""
    false = f"{counts.expected_false_worse:.1f}"
    return (
        f"Worse than published: {counts.verdicts['worse']} cells. {counts.tested} cells were tested by an interval; "
        f"were every published number right, the 5% level alone would make {false} of them falsely worse, and as many "
        "falsely better."
    )


def value_text(value: Any) -> str:
    """A claim's value: numbers with four digits, words unchanged, a dash if there is none."""
    if value in ("nan", "inf", "-inf"):
        value = float(value)
    if isinstance(value, float) and math.isnan(value):
        return "–"
    return show(value, ".4g") if isinstance(value, (int, float)) else str(value)


def interval_text(claim: dict[str, Any]) -> str:
    """`[low, high]`, empty if the claim has no interval."""
    if "nan" in (claim["low"], claim["high"]):
        return ""
    return f"[{value_text(claim['low'])}, {value_text(claim['high'])}]"
