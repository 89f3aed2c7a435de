"""The page figures/comparison.html: one row per artifact, readable in light and dark, everything in one file.

No scripts: long parts fold in <details>, and images are embedded as base64. Markup is in page.html, style in
page.css; colours come from verdicts/looks.py, and on a dark page accents are lightened and tints derived from them.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from core.report.page.records import table_from_record
from core.report.page.tally import (
    answers,
    cause_text,
    chance_sentence,
    interval_text,
    outcome_text,
    tally,
    value_text,
)
from core.report.tables.text import published_text, row_lines
from core.report.verdicts.cells import KINDS
from core.report.verdicts.checks import OUTCOMES
from core.report.verdicts.looks import LOOKS

SHOWN = 0.55  # pixels of the page for one of an image, which has 200 per inch
FOLDED = 12  # tables with more cells than this are folded at first


class CellLine(NamedTuple):
    """A cell of a table as a line: row, column, published, ours and runs; its verdict, as a kind and in words."""

    shown: list[str]
    kind: str
    judged: str


def render_page(sidecars: Sequence[dict[str, Any]], images: Mapping[tuple[str, str], bytes]) -> str:
    """The whole page as text; sidecars say whether they are `outdated`, images are PNG bytes by (paper, artifact)."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # imported here, since drawing does without it

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "slug": lambda text: "".join(c if c.isalnum() else "-" for c in text),
        "base64": lambda image: base64.b64encode(image).decode(),
        "width": lambda image: int(int.from_bytes(image[16:20], "big") * SHOWN),  # where a PNG gives its width
        "short": _short,
        "cells": _cells,
        "answers": answers,
        "value": value_text,
        "interval": interval_text,
        "outcome": outcome_text,
        "cause": cause_text,
    }
    total = tally(sidecars)
    return environment.get_template("page.html").render(
        papers={paper: list(group) for paper, group in groupby(sidecars, key=lambda sidecar: sidecar["paper"])},
        sidecars=sidecars,
        images=images,
        looks=LOOKS,
        tally=tally,
        total=total,
        kinds=[kind for kind in KINDS if total.verdicts[kind]],
        outcomes=[outcome for outcome in OUTCOMES if total.claims[outcome]],
        parts=[outcome for outcome in (*OUTCOMES, "") if total.on_our_part[outcome]],
        full=[outcome for outcome in OUTCOMES if total.full[outcome]],
        reproduced=[outcome for outcome in OUTCOMES if total.reproduced[outcome]],
        reproduced_cells=[kind for kind in KINDS if total.reproduced_cells[kind]],
        chance=chance_sentence(total),
        folded_above=FOLDED,
    )


def _cells(record: dict[str, Any]) -> list[CellLine]:
    """The lines of a sidecar's table."""
    table = table_from_record(record)
    lines = []
    for row in table.rows:
        for column, text in zip(table.columns, row_lines(table, row), strict=True):
            cell = table.cells[row, column]
            runs = str(cell.runs) if cell.runs else ""
            shown = [table.row_label(row), table.column_label(column), published_text(cell), text.ours, runs]
            kind = cell.verdict.look if cell.verdict is not None else "quoted"
            lines.append(CellLine(shown, kind, " · ".join(filter(None, [text.verdict or "quoted", text.extra]))))
    return lines


def _short(commit: str) -> str:
    head, plus, changes = commit.partition("+")
    return head[:10] + plus + changes
