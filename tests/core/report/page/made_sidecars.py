"""Made-up sidecars, and the page that they make."""

from __future__ import annotations

import base64
import math
from html.parser import HTMLParser

import pandas as pd

from core.report.page.records import FORMAT, table_record
from core.report.page.rendering import Site, render_page
from core.report.tables.compare import compare_table
from core.report.verdicts.published import Published, PublishedCell

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

NAMES = ["alpha/fig1", "alpha/table1", "beta/table2", "beta/table3"]
PAPERS = {"alpha": ("Alpha", "The first paper"), "beta": ("Beta", "The second paper")}


def table(shift):
    published = Published(
        {
            ("sghmc", "boston"): PublishedCell(0.0, 1.0, "unstated", 20, text="0.0", spread_text="1.0"),
            ("sghmc", "yacht"): PublishedCell(math.nan, reading="nan", text="nan"),
            ("vi", "boston"): PublishedCell(3.0, text="3.0"),
            ("vi", "yacht"): PublishedCell(4.0, text="4.0"),
        }
    )
    rows = [("sghmc", column, run, shift + run / 20, "ok") for column in ("boston", "yacht") for run in range(-10, 11)]
    samples = pd.DataFrame(rows, columns=["row", "column", "run", "value", "status"])
    return compare_table(samples, published, "lower", True, quoted_rows=["vi"])


def sidecar(paper, artifact, made=None, checks=(), **changes):
    claims = [
        {
            "id": f"c{number}", "artifact": artifact, "kind": "claim", "sentence": "A < B & C <script>",
            "place": "Sec 1", "published": 1.0, "criterion": "A less B, below 0.",
            "where": "core/foundation/errors.py, line 3, c",
            **vars(check), "reduced": False, "headline": "", "cause": None,
        }
        for number, check in enumerate(checks)
    ]  # fmt: skip
    record = {
        "format": FORMAT, "paper": paper, "artifact": artifact, "title": f"Title of {artifact}",
        "kind": "table" if made else "figure", "comparison": "cells", "repeats": None, "document": "Thesis",
        "place": "Place", "caption": "Caption.", "provenance": "Scale paper.", "scale": "paper",
        "scales": {"uci": "paper"},
        "reduced": False, "runs": "50 runs", "commits": ["0123456789abcdef+changes"], "wall_seconds": 1.0, "cells": 2,
        "stale": [], "missing": [], "files": [f"{artifact}.pdf"], "absent": False,
        "drawn_at": "quick", "raw": ["results/reference/paper/alpha/uci/boston/sghmc.parquet"],
        "table": table_record(made) if made else None, "claims": claims,
    }  # fmt: skip
    return {**record, **changes}


def page_of(figures, sidecars, own=(), embedded=False):
    """The page of sidecars whose drawings are in figures/ of a repository."""
    return render_page(sidecars, PAPERS, Site(figures.parent, figures, embedded), own)


class Page(HTMLParser):
    """Checks nesting, and collects tags, attributes and text."""

    VOID = frozenset({"meta", "img", "br", "link", "input"})

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.links, self.words, self.ids = [], [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes[name] for name in ("href", "src") if name in attributes]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)
