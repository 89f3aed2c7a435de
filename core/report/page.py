"""The page figures/comparison.html: one row an artifact, readable in light and dark, everything in one file.

No scripts: what is long folds in <details>. Images stand in the page as base64. Colours come from looks.py; on a dark
page accents are lightened and tints made of them.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from core.report.checks import OUTCOMES
from core.report.looks import LOOKS
from core.report.records import table_from_record
from core.report.table import Table
from core.report.table_text import published_text, row_lines
from core.report.tally import Tally, chance_sentence, interval_text, tally, value_text
from core.report.verdicts import KINDS

SHOWN = 0.55  # pixels of the page for one of an image, which has 200 to the inch
FOLDED = 12  # tables with more cells than this start folded

INTRODUCTION = (
    "Every table, figure and claim that was drawn here, the published numbers beside our runs, and a verdict for each: "
    "reproduced where the 95% interval of the difference contains zero, better or worse where it does not, "
    "inconclusive where it is too wide to tell, reduced where the protocol is below the paper's."
)

CSS = """
:root { color-scheme: light dark; --ink: #1b1d20; --soft: #5c626b; --page: #ffffff; --card: #f6f7f9; --line: #d9dde3;
  --link: #0059a8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e9ec; --soft: #a3abb6; --page: #15171a; --card: #1e2126;
  --line: #363c45; --link: #7db8f0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 84rem; padding: 1.5rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
h1 { font-size: 1.9rem; margin: 0 0 .3rem; } h2 { font-size: 1.45rem; margin: 2.6rem 0 .8rem; }
h3 { font-size: 1.1rem; margin: 0 0 .2rem; } p { margin: .3rem 0 .7rem; max-width: 65rem; }
a { color: var(--link); } .soft { color: var(--soft); } .small { font-size: .86rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .75rem .3rem 0; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { border-bottom: 2px solid var(--ink); vertical-align: bottom; } .number { text-align: right; }
td.number, th.number { padding-right: 1.1rem; } tfoot td, tfoot th { font-weight: 600; border-bottom: 0; }
.artifact { display: grid; grid-template-columns: minmax(0, 7fr) minmax(17rem, 3fr); gap: 1rem 1.6rem; padding: 1.1rem;
  margin: 0 0 1.3rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
@media (max-width: 60rem) { .artifact { grid-template-columns: minmax(0, 1fr); } }
.artifact > .wide { grid-column: 1 / -1; }
.artifact img { display: block; max-width: 100%; height: auto; padding: .2rem; background: #fff; border-radius: .3rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .15rem .8rem; margin: .6rem 0; font-size: .9rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
summary { cursor: pointer; font-weight: 600; margin: .4rem 0; }
.chip { display: inline-block; padding: .05rem .55rem; margin: 0 .3rem .3rem 0; border-radius: 1rem; font-size: .86rem;
  white-space: nowrap; color: var(--accent); background: var(--tint); border: 1px solid var(--accent); }
td.judged { color: var(--accent); background: var(--tint); padding-left: .5rem; white-space: nowrap; }
td:first-child { min-width: 9rem; } .warning { color: #a33b00; }
@media (prefers-color-scheme: dark) { .warning { color: #ffb27d; } }
"""


def render_page(sidecars: Sequence[dict[str, Any]], images: Mapping[tuple[str, str], bytes]) -> str:
    """The whole page as text; images are PNG bytes by (paper, artifact)."""
    papers = {paper: list(group) for paper, group in groupby(sidecars, key=lambda sidecar: sidecar["paper"])}
    sections = [_section(paper, group, images) for paper, group in papers.items()]
    return (
        "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>Published and ours</title>\n<style>{CSS}{_accents()}</style>\n</head>\n<body>\n"
        f"<header>\n<h1>Published and ours</h1>\n<p>{INTRODUCTION}</p>\n</header>\n<main>\n"
        + (_overview(papers) if papers else "<p>Nothing is drawn yet.</p>\n")
        + "".join(sections)
        + "</main>\n</body>\n</html>\n"
    )


def _accents() -> str:
    rules = []
    for name, look in LOOKS.items():
        selector = f".is-{_slug(name)}"
        rules.append(f"{selector} {{ --accent: {look.accent}; --tint: {look.tint}; }}")
        accent, tint = (f"color-mix(in srgb, {look.accent} {mix})" for mix in ("45%, white", "22%, transparent"))
        dark = f"{selector} {{ --accent: {accent}; --tint: {tint}; }}"
        rules.append(f"@media (prefers-color-scheme: dark) {{ {dark} }}")
    return "\n".join(rules)


def _overview(papers: dict[str, list[dict[str, Any]]]) -> str:
    everything = [sidecar for group in papers.values() for sidecar in group]
    total = tally(everything)
    kinds = [kind for kind in KINDS if total.verdicts[kind]]
    outcomes = [outcome for outcome in OUTCOMES if total.claims[outcome]]
    heads = [*kinds, "of these reduced", *(f"claims: {o}" for o in outcomes), "false worse expected"]
    head = "".join(f"<th class='number' scope='col'>{escape(name)}</th>" for name in heads)
    lines = []
    for paper, group in papers.items():
        name = f"<a href='#{_slug(paper)}'>{escape(paper)}</a>"
        lines.append(_overview_line(name, len(group), tally(group), kinds, outcomes))
    body = "<tbody>\n" + "\n".join(lines) + "\n</tbody>"
    foot = f"<tfoot>\n{_overview_line('all', len(everything), total, kinds, outcomes)}\n</tfoot>"
    return (
        "<section>\n<h2>Counts</h2>\n<div class='scroll'><table>\n<thead><tr><th scope='col'>paper</th>"
        f"<th class='number' scope='col'>artifacts</th>{head}</tr></thead>\n{body}\n{foot}\n</table></div>\n"
        f"<p class='soft'>{escape(chance_sentence(total))}</p>\n</section>\n"
    )


def _overview_line(name: str, artifacts: int, counts: Tally, kinds: list[str], outcomes: list[str]) -> str:
    numbers = [artifacts, *(counts.verdicts[kind] for kind in kinds), counts.reduced]
    numbers += [counts.claims[outcome] for outcome in outcomes]
    fields = [*map(str, numbers), f"{counts.expected_false_worse:.1f}"]
    return f"<tr><th scope='row'>{name}</th>" + "".join(f"<td class='number'>{f}</td>" for f in fields) + "</tr>"


def _section(paper: str, group: list[dict[str, Any]], images: Mapping[tuple[str, str], bytes]) -> str:
    rows = "".join(_artifact(sidecar, images.get((paper, sidecar["artifact"]))) for sidecar in group)
    return f"<section id='{_slug(paper)}'>\n<h2>{escape(paper)}</h2>\n{rows}</section>\n"


def _artifact(sidecar: dict[str, Any], image: bytes | None) -> str:
    name = f"{sidecar['paper']}/{sidecar['artifact']}"
    title = f"{sidecar['place']}. {sidecar['title']}"
    picture = "<p class='soft'>no image</p>"
    if image is not None:
        source = f"data:image/png;base64,{base64.b64encode(image).decode()}"
        width = int(int.from_bytes(image[16:20], "big") * SHOWN)  # a PNG says its width there
        picture = f"<img src='{source}' width='{width}' alt='{escape(title, quote=True)}'>"
        picture = f"<a href='{escape(name)}.pdf'>{picture}</a>"
    links = " ".join(f"<a href='{escape(sidecar['paper'])}/{escape(f)}'>{escape(f)}</a>" for f in sidecar["files"])
    parts = [f"<div>{picture}</div>", f"<div><h3>{escape(title)}</h3>\n{_chips(sidecar)}\n{_facts(sidecar)}"]
    parts.append(f"<p class='small'>{links}</p></div>")
    if sidecar["table"] is not None:
        parts.append(_cells(table_from_record(sidecar["table"])))
    if sidecar["claims"]:
        parts.append(_claims(sidecar["claims"]))
    return f"<article class='artifact' id='{_slug(name)}'>\n" + "\n".join(parts) + "\n</article>\n"


def _chips(sidecar: dict[str, Any]) -> str:
    counts = tally([sidecar])
    chips = [_chip(kind, f"{counts.verdicts[kind]} {kind}") for kind in KINDS if counts.verdicts[kind]]
    chips += [
        _chip(outcome, f"{counts.claims[outcome]} claim{'s'[: counts.claims[outcome] > 1]}: {outcome}")
        for outcome in OUTCOMES
        if counts.claims[outcome]
    ]
    if not chips and sidecar["missing"] and len(sidecar["missing"]) == sidecar["cells"]:
        chips.append(_chip("not run", "not run"))
    return f"<p>{''.join(chips)}</p>"


def _chip(kind: str, text: str) -> str:
    return f"<span class='chip is-{_slug(kind)}'>{LOOKS[kind].symbol} {escape(text)}</span>"


def _facts(sidecar: dict[str, Any]) -> str:
    reduced = " (below the paper's protocol: reduced)" if sidecar["reduced"] else ""
    facts = [
        ("artifact", escape(f"{sidecar['paper']}/{sidecar['artifact']}")),
        ("published", escape(f"{sidecar['document']}, {sidecar['place']}")),
        ("scale", escape(f"{sidecar['scale'] or 'no runs needed'}{reduced}")),
        ("runs", escape(sidecar["runs"] or "none")),
        ("commit", escape(", ".join(_short(commit) for commit in sidecar["commits"]) or "none")),
    ]
    for key, label, words in (("stale", "stale", "settings have changed since: "), ("missing", "not run", "")):
        if sidecar[key]:
            facts.append((label, f"<span class='warning'>{words}{escape(', '.join(sidecar[key]))}</span>"))
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts) + "</dl>"


def _cells(table: Table) -> str:
    lines = []
    for row in table.rows:
        for column, text in zip(table.columns, row_lines(table, row), strict=True):
            cell = table.cells[row, column]
            kind = cell.verdict.kind if cell.verdict is not None else "quoted"
            judged = " · ".join(filter(None, [text.verdict or "quoted", text.extra]))
            runs = str(cell.runs) if cell.runs else ""
            shown = [table.row_label(row), table.column_label(column), published_text(cell), text.ours, runs]
            lines.append(
                "<tr>"
                + "".join(f"<td>{escape(s)}</td>" for s in shown)
                + f"<td class='judged is-{_slug(kind)}'>{escape(judged)}</td></tr>"
            )
    heads = [table.row_header, "column", "published", "ours", "runs", "verdict"]
    return _folded(f"{len(lines)} cells: published beside ours", heads, lines, len(lines) <= FOLDED)


def _claims(claims: list[dict[str, Any]]) -> str:
    lines = []
    for claim in claims:
        outcome = f"{LOOKS[claim['holds']].symbol} {claim['holds']}{', reduced' if claim['reduced'] else ''}"
        values = [value_text(claim["published"]), value_text(claim["ours"]), interval_text(claim)]
        lines.append(
            f"<tr><td>{escape(claim['sentence'])}<br><span class='soft small'>{escape(claim['detail'])}</span></td>"
            + "".join(f"<td>{escape(value)}</td>" for value in [claim["place"], *values])
            + f"<td class='judged is-{_slug(claim['holds'])}'>{escape(outcome)}</td></tr>"
        )
    heads = ["claim", "place", "published", "ours", "95% interval", "outcome"]
    return _folded(f"{len(lines)} claim{'s'[: len(lines) > 1]}", heads, lines, True)


def _folded(title: str, heads: Iterable[str], lines: list[str], unfolded: bool) -> str:
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in heads)
    return (
        f"<details class='wide'{' open' if unfolded else ''}><summary>{escape(title)}</summary>\n<div class='scroll'>"
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n" + "\n".join(lines) + "\n</tbody></table></div></details>"
    )


def _short(commit: str) -> str:
    head, plus, changes = commit.partition("+")
    return head[:10] + plus + changes


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text)
