"""The sidecars in sum: verdicts and claims counted, the headline claims, and sentences. The terminal, the page and the
README all show this one value.

"as configured" stands apart from "equal": that our configuration has the printed value is no evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields

from core.report.page.headlines import Headline, headlines
from core.report.page.records import Record, table_from_record
from core.report.statistics.intervals import LEVEL
from core.report.verdicts.claims import CAUSES

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
WORDS = {
    "holds": ("holds", "hold"),
    "fails": ("fails", "fail"),
    "inconclusive": ("is open", "are open"),
    "outside": ("is out of reach", "are out of reach"),
    "not run": ("is not run", "are not run"),
}
"""Outcomes of one claim and of several."""
Rows = list[tuple[str, list[str]]]


@dataclass(frozen=True)
class Tally:
    """How often each verdict and each outcome of a claim occurs. Tallies of several artifacts add up.

    Attributes:
        artifacts: Number of artifacts.
        drawn: Number of those that show any runs.
        verdicts: Number of cells by verdict; an artifact that repeats another's numbers adds none.
        baselines: Verdicts among these on a baseline, better or worse, which say nothing for the paper's method.
        reduced: Number of verdicts from a protocol below the paper's.
        tested: Number of verdicts from an interval, which chance can make wrong.
        directed: Number of tested verdicts that could have been `worse`.
        claims: Number of claims by outcome; checks of the code are not counted.
        on_our_part: Number of claims that are `outside` by their outcome on our part, which is empty if nothing of ours
            bears on them.
        full: Number of claims at the paper's full protocol by outcome.
        reproduced: Number of claims on the authors' own data by outcome, which those above leave out.
        reproduced_cells: Number of verdicts on numbers that follow from the authors' own data by kind, likewise.
    """

    artifacts: int = 0
    drawn: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    baselines: Counter[str] = field(default_factory=Counter)
    reduced: int = 0
    tested: int = 0
    directed: int = 0
    claims: Counter[str] = field(default_factory=Counter)
    on_our_part: Counter[str] = field(default_factory=Counter)
    full: Counter[str] = field(default_factory=Counter)
    reproduced: Counter[str] = field(default_factory=Counter)
    reproduced_cells: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Tally) -> Tally:
        return Tally(**{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(self)})

    @property
    def expected_false_worse(self) -> float:
        """Number of `worse` expected by chance if every published number is right: half of 5% of those that can be."""
        return (1 - LEVEL) / 2 * self.directed


def tally(sidecar: Record) -> Tally:
    """Verdicts and claims of one artifact, counted."""
    record = sidecar["table"]
    table = None if record is None or sidecar["repeats"] else table_from_record(record)
    verdicts = [] if table is None else table.verdicts
    claims = [claim for claim in sidecar["claims"] if claim["kind"] != "check"]
    return Tally(
        artifacts=1,
        drawn=int(not sidecar["absent"]),
        verdicts=Counter(verdict.kind for verdict in verdicts),
        baselines=Counter(verdict.kind for verdict in verdicts if verdict.look != verdict.kind),
        reduced=sum(verdict.reduced for verdict in verdicts),
        tested=sum(verdict.tested for verdict in verdicts),
        directed=sum(verdict.tested and verdict.directed for verdict in verdicts),
        claims=Counter(claim["holds"] for claim in claims),
        on_our_part=Counter(claim["part"] for claim in claims if claim["holds"] == "outside"),
        full=Counter(claim["holds"] for claim in claims if not claim["reduced"]),
        reproduced=Counter(claim["reproduced"]["holds"] for claim in claims if claim["reproduced"] is not None),
        reproduced_cells=Counter(verdict.kind for verdict in ([] if table is None else table.reproduced_verdicts)),
    )


@dataclass(frozen=True)
class Summary:
    """Sidecars in sum.

    Attributes:
        artifacts: Counts of each sidecar, in their order.
        papers: Counts of each paper.
        total: Counts of all.
        headlines: The headline claims, in the order of the sidecars.
    """

    artifacts: Sequence[Tally]
    papers: Mapping[str, Tally]
    total: Tally
    headlines: Sequence[Headline]

    @property
    def claim_counts(self) -> Rows:
        """A row for each paper and one for all, named "", with the cells below `CLAIM_HEADS`."""
        return [(name, _claims(counts)) for name, counts in (*self.papers.items(), ("", self.total))]

    @property
    def number_counts(self) -> Rows:
        """Likewise for the printed numbers, with the cells below `NUMBER_HEADS`."""
        return [(name, _numbers(counts)) for name, counts in (*self.papers.items(), ("", self.total))]

    @property
    def sentences(self) -> list[str]:
        """Three sentences: on the headline claims, on why some fail, and on all claims and printed numbers.

        Empty if there is no claim.
        """
        if not self.total.claims:
            return []
        of_headlines = [_on_headlines(self.headlines), _on_causes(self.headlines)] if self.headlines else []
        return [*of_headlines, _on_everything(self.total)]

    @property
    def chance(self) -> str:
        """How many false `worse` verdicts to expect, in words."""
        total = self.total
        return (
            f"Worse than published: {total.verdicts['worse']} cells. {total.tested} cells were tested by an interval, "
            f"{total.directed} of them in a metric that has a direction; were every published number right, the 5% "
            f"level alone would make {total.expected_false_worse:.1f} of these falsely worse, "
            "and as many falsely better."
        )


def summary_of(sidecars: Sequence[Record], papers: Iterable[str] = ()) -> Summary:
    """The sidecars in sum.

    Args:
        papers: Names of papers that have a row even if none of the sidecars is theirs, in their order.
    """
    artifacts = [tally(sidecar) for sidecar in sidecars]
    names = dict.fromkeys([*papers, *(sidecar["paper"] for sidecar in sidecars)])
    by_paper = dict.fromkeys(names, Tally())
    for sidecar, counts in zip(sidecars, artifacts, strict=True):
        by_paper[sidecar["paper"]] += counts
    return Summary(artifacts, by_paper, sum(artifacts, Tally()), headlines(sidecars))


def outcomes(counts: Mapping[str, int]) -> str:
    """`9 hold, 1 fails and 14 are open`; what is outside or not run is left out where there is none."""
    always = ("holds", "fails", "inconclusive")
    words = [
        f"{counts.get(outcome, 0)} {one if counts.get(outcome, 0) == 1 else more}"
        for outcome, (one, more) in WORDS.items()
        if outcome in always or counts.get(outcome, 0)
    ]
    return f"{', '.join(words[:-1])} and {words[-1]}"


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
    if not causes:
        return "No headline fails."
    named = [(causes[kind], kind) for kind in CAUSES]
    return (
        f"The likeliest cause of the {sum(causes.values())} that fail somewhere, on our runs or on the authors' data: "
        f"{', '.join(f'{kind} ({number})' for number, kind in named if number)}."
    )


def _on_everything(total: Tally) -> str:
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


def _claims(counts: Tally) -> list[str]:
    apart = (counts.on_our_part, counts.full, counts.reproduced)
    three = (f"{each['holds']} / {each['fails']} / {each['inconclusive']}" if each else "" for each in apart)
    return [*(_number(counts.claims[outcome]) for outcome in CLAIMS.values()), *three]


def _numbers(counts: Tally) -> list[str]:
    numbers = [_number(counts.verdicts[kind]) for kind in NUMBERS.values()]
    theirs = counts.reproduced_cells
    same, other = theirs["reproduced"] + theirs["equal"], theirs["differs"] + theirs["worse"] + theirs["better"]
    apart = f"{same} / {other} / {theirs['inconclusive']}" if theirs else ""
    return [*numbers, _number(counts.reduced), f"{counts.expected_false_worse:.1f}", apart]


def _number(count: int) -> str:
    return str(count) if count else "·"
