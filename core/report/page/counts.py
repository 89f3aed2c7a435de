"""Verdicts and claims counted over sidecars, and the words that the terminal, the page and the README share.

"as configured" stands apart from "equal": that our configuration has the printed value is no evidence.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.report.page.records import table_from_record
from core.report.tables.table import show
from core.report.verdicts.cells import expected_false_worse

WORDS = {"inconclusive": "open"}
"""Words of verdicts and outcomes that are not their names."""


@dataclass(frozen=True)
class Tally:
    """How often each verdict and each outcome of a claim occurs.

    Attributes:
        verdicts: Number of cells by verdict; an artifact that repeats another's numbers adds none.
        baselines: Verdicts among these on a baseline, better or worse, which say nothing for the paper's method.
        reduced: Number of verdicts from a protocol below the paper's.
        tested: Number of verdicts from an interval, which chance can make wrong.
        directed: Number of tested verdicts that could have been `worse`.
        expected_false_worse: Number of false `worse` that chance alone makes.
        claims: Number of claims by outcome; checks of the code are not counted.
        on_our_part: Number of claims that are `outside` by their outcome on our part, which is empty if nothing of ours
            bears on them.
        full: Number of claims at the paper's full protocol by outcome.
        reproduced: Number of claims on the authors' own data by outcome, which those above leave out.
        reproduced_cells: Number of verdicts on numbers that follow from the authors' own data by kind, likewise.
    """

    verdicts: Counter[str]
    baselines: Counter[str]
    reduced: int
    tested: int
    directed: int
    expected_false_worse: float
    claims: Counter[str]
    on_our_part: Counter[str]
    full: Counter[str]
    reproduced: Counter[str]
    reproduced_cells: Counter[str]


def tally(sidecars: Sequence[dict[str, Any]]) -> Tally:
    """Verdicts and claims of some artifacts, counted."""
    records = [s["table"] for s in sidecars if s["table"] is not None and not s["repeats"]]
    tables = [table_from_record(record) for record in records]
    verdicts = [verdict for table in tables for verdict in table.verdicts]
    claims = [claim for sidecar in sidecars for claim in sidecar["claims"] if claim["kind"] != "check"]
    return Tally(
        verdicts=Counter(verdict.kind for verdict in verdicts),
        baselines=Counter(verdict.kind for verdict in verdicts if verdict.look != verdict.kind),
        reduced=sum(verdict.reduced for verdict in verdicts),
        tested=sum(verdict.tested for verdict in verdicts),
        directed=sum(verdict.tested and verdict.directed for verdict in verdicts),
        expected_false_worse=expected_false_worse(verdicts),
        claims=Counter(claim["holds"] for claim in claims),
        on_our_part=Counter(claim["part"] for claim in claims if claim["holds"] == "outside"),
        full=Counter(claim["holds"] for claim in claims if not claim["reduced"]),
        reproduced=Counter(claim["reproduced"]["holds"] for claim in claims if claim["reproduced"] is not None),
        reproduced_cells=Counter(verdict.kind for table in tables for verdict in table.reproduced_verdicts),
    )


def chance_sentence(counts: Tally) -> str:
    """How many false `worse` verdicts to expect, in words."""
    false = f"{counts.expected_false_worse:.1f}"
    return (
        f"Worse than published: {counts.verdicts['worse']} cells. {counts.tested} cells were tested by an interval, "
        f"{counts.directed} of them in a metric that has a direction; were every published number right, the 5% level "
        f"alone would make {false} of these falsely worse, and as many falsely better."
    )


def answers(claim: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The questions that a claim was asked, in words, each with the check that answers it: first that of our runs."""
    if claim["reproduced"] is None:
        return [("", claim)]
    return [("our runs", claim), ("authors' data", claim["reproduced"])]


def outcome_text(claim: dict[str, Any]) -> str:
    """A claim's outcome in words, with what our part shows where that cannot decide it."""
    if claim["holds"] != "outside" or not claim["part"]:
        return claim["holds"]
    return f"outside; on our part: {WORDS.get(claim['part'], claim['part'])}"


def cause_text(claim: dict[str, Any]) -> str:
    """Why a claim fails, on our part at least, as `kind: evidence`; empty if it does not, or no cause is stated."""
    if claim["cause"] is None or not fails(claim):
        return ""
    return f"{claim['cause']['kind']}: {claim['cause']['evidence']}"


def fails(claim: dict[str, Any]) -> bool:
    """Whether a claim fails on our runs, on our part at least, or on the authors' data."""
    return any("fails" in (check["holds"], check["part"]) for _, check in answers(claim))


def needs_cause(claim: dict[str, Any]) -> bool:
    """Whether a claim has to say why it fails: on our runs or the authors' data, or on our part if it is a headline."""
    judged = any(check["holds"] == "fails" for _, check in answers(claim))
    return judged or (bool(claim["headline"]) and fails(claim))


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


CLAIMS = {"hold": "holds", "fail": "fails", "open": "inconclusive", "outside": "outside", "not run": "not run"}
"""The columns of claims, and the outcome that each counts."""
APART = ("outside, on our part", "at the full protocol", "on the authors' data")
CLAIM_HEADS = (*CLAIMS, *(f"{words}: hold / fail / open" for words in APART))
NUMBERS = {
    "reproduced": "reproduced", "equal": "equal", "better": "better", "worse": "worse", "differ": "differs",
    "open": "inconclusive", "outside": "outside", "not run": "not run", "as configured": "as configured",
}  # fmt: skip
"""The columns of printed numbers, and the verdict that each counts."""
NUMBER_HEADS = (*NUMBERS, "reduced", "false worse expected", "on the authors' data: reproduced / differ / open")
Rows = list[tuple[str, list[str]]]


def claim_counts(papers: Mapping[str, Sequence[dict[str, Any]]]) -> Rows:
    """A row for each paper's sidecars and one for all, named "", with the cells below `CLAIM_HEADS`."""
    return [(name, _claims(tally(sidecars))) for name, sidecars in _with_total(papers)]


def number_counts(papers: Mapping[str, Sequence[dict[str, Any]]]) -> Rows:
    """Likewise for the printed numbers, with the cells below `NUMBER_HEADS`."""
    return [(name, _numbers(tally(sidecars))) for name, sidecars in _with_total(papers)]


def drawn(sidecars: Sequence[dict[str, Any]]) -> int:
    """Number of artifacts that show any runs."""
    return sum(not sidecar["absent"] for sidecar in sidecars)


def _with_total(papers: Mapping[str, Sequence[dict[str, Any]]]) -> list[tuple[str, Sequence[dict[str, Any]]]]:
    return [*papers.items(), ("", [sidecar for sidecars in papers.values() for sidecar in sidecars])]


def _claims(counts: Tally) -> list[str]:
    apart = (counts.on_our_part, counts.full, counts.reproduced)
    return [*(_number(counts.claims[outcome]) for outcome in CLAIMS.values()), *map(_three, apart)]


def _numbers(counts: Tally) -> list[str]:
    numbers = [_number(counts.verdicts[kind]) for kind in NUMBERS.values()]
    theirs = counts.reproduced_cells
    same, other = theirs["reproduced"] + theirs["equal"], theirs["differs"] + theirs["worse"] + theirs["better"]
    apart = f"{same} / {other} / {theirs['inconclusive']}" if theirs else ""
    return [*numbers, _number(counts.reduced), f"{counts.expected_false_worse:.1f}", apart]


def _three(counts: Counter[str]) -> str:
    return f"{counts['holds']} / {counts['fails']} / {counts['inconclusive']}" if counts else ""


def _number(count: int) -> str:
    return str(count) if count else "·"
