"""The counts of verdicts as two tables, of claims and of printed numbers, paper by paper and in total.

"as configured" stands apart from "equal": that our configuration has the printed value is no evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from core.report.page.tally import Tally, tally

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
