"""Whether the papers reproduce, in three sentences with the numbers counted from the sidecars."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from core.report.page.headlines import Headline, headlines
from core.report.page.tally import tally
from core.report.verdicts.claims import CAUSES

WORDS = {
    "holds": ("holds", "hold"),
    "fails": ("fails", "fail"),
    "inconclusive": ("is open", "are open"),
    "outside": ("is out of reach", "are out of reach"),
    "not run": ("is not run", "are not run"),
}
"""Outcomes of one claim and of several."""


def answer(sidecars: Sequence[dict[str, Any]]) -> list[str]:
    """Three sentences: on the headline claims, on why some fail, and on all claims and printed numbers.

    Empty if no sidecar has a claim.
    """
    shown, total = headlines(sidecars), tally(sidecars)
    if not total.claims:
        return []
    return [_on_headlines(shown), _on_causes(shown), _on_everything(sidecars)] if shown else [_on_everything(sidecars)]


def _on_headlines(shown: Sequence[Headline]) -> str:
    counts = Counter(headline.ours.holds for headline in shown)
    full = Counter(headline.ours.holds for headline in shown if headline.full)
    papers = len({headline.paper for headline in shown})
    tested = f"{sum(full.values())} were tested at the full protocol of their paper"
    return (
        f"Of {len(shown)} headline claims of {papers} papers, {outcomes(counts)}; {tested}"
        f"{f', of which {outcomes(full)}' if full else ''}."
    )


def _on_causes(shown: Sequence[Headline]) -> str:
    causes = Counter(headline.cause for headline in shown if headline.cause)
    named = [(causes[kind], kind) for kind in CAUSES]
    if not causes:
        return "No headline fails."
    return (
        f"The likeliest cause of the {sum(causes.values())} that fail somewhere, on our runs or on the authors' data: "
        f"{', '.join(f'{kind} ({number})' for number, kind in named if number)}."
    )


def _on_everything(sidecars: Sequence[dict[str, Any]]) -> str:
    total = tally(sidecars)
    verdicts, baselines = total.verdicts, total.baselines
    matched = verdicts["reproduced"] + verdicts["equal"]
    better = f"{verdicts['better']} are better ({baselines['better']} of them baselines)"
    worse = f"{verdicts['worse'] + verdicts['differs']} worse or different"
    theirs = f"; on the authors' own data {outcomes(total.reproduced)}" if total.reproduced else ""
    claims = f"Of all {sum(total.claims.values())} claims {outcomes(total.claims)}{theirs}"
    return (
        f"{claims}; of the printed numbers {matched} are reproduced, {better}, {worse} and {verdicts['inconclusive']} "
        f"open, where chance alone would make {total.expected_false_worse:.1f} worse."
    )


def outcomes(counts: Mapping[str, int]) -> str:
    """`9 hold, 1 fails and 14 are open`; what is outside or not run is left out where there is none."""
    always = ("holds", "fails", "inconclusive")
    words = [
        f"{counts.get(outcome, 0)} {one if counts.get(outcome, 0) == 1 else more}"
        for outcome, (one, more) in WORDS.items()
        if outcome in always or counts.get(outcome, 0)
    ]
    return f"{', '.join(words[:-1])} and {words[-1]}"
