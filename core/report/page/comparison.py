"""The comparison: every drawn artifact's verdicts and claims, counted, for the terminal and as figures/comparison.html.

Works from the sidecars that drawing writes, never from the records of raw runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table as RichTable

from core.experiment.paper import OWN, Papers, folder_of
from core.experiment.workflow import PAGE
from core.report.figures.files import write_file
from core.report.page.records import (
    Record,
    answers,
    cause_text,
    interval_text,
    load_sidecars,
    outcome_text,
    table_from_record,
    value_text,
)
from core.report.page.rendering import Site, render_page
from core.report.page.summary import Summary, Tally, summary_of
from core.report.style import LOOKS
from core.report.tables.text import to_rich
from core.report.verdicts.cells import KINDS
from core.report.verdicts.checks import OUTCOMES

SINGLE = "comparison_single.html"
IN_FULL = 8  # up to this many artifacts are printed cell by cell; more are only counted


def drawn_sidecars(papers: Papers, source: str) -> list[Record]:
    """The sidecars of all artifacts, drawn from a source of runs at whatever scale, as by `load_sidecars`."""
    return load_sidecars(papers.root / "figures" / folder_of(source), papers.artifacts)


def summary(sidecars: Sequence[Record]) -> list[RenderableType]:
    """What `compare` prints: each artifact's cells and claims (if there are few artifacts), then the counts."""
    counts = summary_of(sidecars)
    parts: list[RenderableType] = []
    for sidecar in sidecars if len(sidecars) <= IN_FULL else ():
        if sidecar["table"] is not None:
            parts.append(to_rich(table_from_record(sidecar["table"]), sidecar["provenance"]))
        if sidecar["claims"]:
            parts.append(_claims_table(sidecar))
    return [*parts, _counts_table(sidecars, counts), counts.chance]


def write_page(papers: Papers, source: str, sidecars: Sequence[Record], single_file: bool = False) -> Path:
    """Write comparison.html beside the drawings from a source of runs; returns its path.

    Beside the shipped runs the page shows your own, where these are drawn.

    Args:
        single_file: Whether to embed the pictures, in a page of another name.
    """
    figures = papers.root / "figures" / folder_of(source)
    names = {name: (paper.spec.name, paper.spec.title) for name, paper in papers.valid.items()}
    own = load_sidecars(figures / OWN, papers.artifacts) if source == "reference" else []
    page = render_page(sidecars, names, Site(papers.root, figures, single_file), own)
    return write_file(figures / (SINGLE if single_file else PAGE), page)


def _claims_table(sidecar: Record) -> RichTable:
    title = f"{sidecar['paper']}/{sidecar['artifact']}: claims"
    table = RichTable("claim", "ours", "95% interval", "published", "outcome", title=title, title_justify="left")
    for claim in sidecar["claims"]:
        words = escape(f"{claim['sentence']} ({claim['place']})")
        for question, check in answers(claim):
            look = LOOKS[check["holds"]]
            outcome = f"{look.symbol} {outcome_text(check)}{', reduced' if check.get('reduced') else ''}"
            outcome = f"[{look.terminal}]{outcome}[/]{f' ({question})' if question else ''}"
            if check is claim:
                outcome += " (a check of the code)" if claim["kind"] == "check" else ""
                outcome += f" ({escape(cause)})" if (cause := cause_text(claim)) else ""
            values = [value_text(check["ours"]), interval_text(check), value_text(claim["published"])]
            table.add_row(words if check is claim else "", *map(escape, values), outcome)
    return table


def _counts_table(sidecars: Sequence[Record], summary: Summary) -> RichTable:
    total = summary.total
    kinds = [kind for kind in KINDS if total.verdicts[kind]]
    legend = "   ".join(f"{LOOKS[kind].symbol} {kind}" for kind in kinds)
    table = RichTable(box=None, padding=(0, 1, 0, 0), caption=legend, caption_justify="left")
    for name in ("artifact", "scale", "runs"):
        table.add_column(name, no_wrap=True)
    names = [*(LOOKS[kind].symbol for kind in kinds), *(["reduced"] if total.reduced else []), "claims"]
    names += ["claims, authors' data"] if total.reproduced else []
    names += ["cells, authors' data"] if total.reproduced_cells else []
    for name in names:
        table.add_column(name, justify="right", min_width=max(3, len(name)))
    for sidecar, counts in zip(sidecars, summary.artifacts, strict=True):
        name = f"{sidecar['paper']}/{sidecar['artifact']}"
        table.add_row(name, sidecar["scale"], sidecar["runs"], *_counts(counts, kinds, total))
    if len(sidecars) > 1:
        table.add_row("all", "", "", *_counts(total, kinds, total), style="bold")
    return table


def _counts(counts: Tally, kinds: list[str], total: Tally) -> list[str]:
    numbers = [*(counts.verdicts[kind] for kind in kinds), *([counts.reduced] if total.reduced else [])]
    columns = [_symbols(counts.claims, OUTCOMES)]
    if total.reproduced:
        columns.append(_symbols(counts.reproduced, OUTCOMES))
    if total.reproduced_cells:
        columns.append(_symbols(counts.reproduced_cells, KINDS))
    return [*(str(number) if number else "·" for number in numbers), *columns]


def _symbols(counted: Mapping[str, int], order: Iterable[str]) -> str:
    return " ".join(f"{counted[each]} {LOOKS[each].symbol}" for each in order if counted.get(each)) or "·"
