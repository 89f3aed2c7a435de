"""The page figures/comparison.html: the answer, what fails and why, the counts, and each artifact with its verdicts.

Pictures are linked files that the browser loads as they come into view, or are embedded in a page that travels alone.
Markup is in page.html, style in page.css, filters in page.js, without which everything is shown. Colours come from
verdicts/looks.py; on a dark page accents are lightened and tints derived from them.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from core.report import style
from core.report.page import records as words
from core.report.page.records import Record, table_from_record
from core.report.page.summary import CLAIM_HEADS, NUMBER_HEADS, summary_of
from core.report.style import LOOKS, data_set_name
from core.report.tables.table import published_text, row_lines, shared_notes
from core.report.verdicts.cells import KINDS
from core.report.verdicts.checks import OUTCOMES

SHOWN = 0.55  # pixels of the page for one of an image, which has 200 per inch
FOLDED = 12  # tables with more cells than this are folded at first
ROW = re.compile(r"(?P<file>[^:]+): [^.]+\.(?P<name>\w+)$")
FUNCTION = re.compile(r"(?P<file>[^,]+), line (?P<line>\d+), ")


class Image(NamedTuple):
    """Address of a picture, and its size in pixels of the page."""

    source: str
    width: int
    height: int


class CellLine(NamedTuple):
    """A cell of a table as a line.

    Attributes:
        shown: Row, column, published, ours and runs.
        kind, look: The verdict, and how it looks.
        judged: The verdict in words.
        own: The same cell of the user's own runs: their value and verdict.
    """

    shown: list[str]
    kind: str
    look: str
    judged: str
    own: str


class Site(NamedTuple):
    """Where the page is: the repository's root, the folder of the drawings, and whether pictures are embedded."""

    root: Path
    figures: Path
    embedded: bool = False

    @property
    def up(self) -> str:
        """The address of the root from the page."""
        return "../" * len(self.figures.relative_to(self.root).parts)

    def image(self, name: str) -> Image | None:
        """The drawing <figures>/<name>.png, if it is there."""
        path = self.figures / f"{name}.png"
        if not path.is_file():
            return None
        content = path.read_bytes()
        sizes = (int(int.from_bytes(content[at : at + 4], "big") * SHOWN) for at in (16, 20))  # where a PNG gives them
        source = f"data:image/png;base64,{base64.b64encode(content).decode()}" if self.embedded else f"{name}.png"
        return Image(source, *sizes)


def render_page(
    sidecars: Sequence[Record],
    names: Mapping[str, tuple[str, str]],
    site: Site,
    own: Sequence[Record] = (),
) -> str:
    """The whole page as text.

    Args:
        sidecars: Sidecars, those of a paper one after the other.
        names: Each paper's name and title.
        own: Sidecars of the user's own runs, shown beside those of the same artifact.
    """
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
        "short": _short,
        "cell": cell_text,
        "cells": _cells,
        "folders": _folders,
        "notes": lambda record: shared_notes(table_from_record(record)),
        "code": lambda where: code_address(where, site.root),
        "answers": _answers,
        "outcomes_in": _outcomes_in,
        "kinds_in": lambda sidecar: sorted(_kinds_in(sidecar)),
        "value": words.value_text,
        "interval": words.interval_text,
        "outcome": words.outcome_text,
        "cause": words.cause_text,
    }
    papers = {paper: list(group) for paper, group in groupby(sidecars, key=lambda sidecar: sidecar["paper"])}
    summary = summary_of(sidecars)
    images = {(s["paper"], s["artifact"]): site.image(f"{s['paper']}/{s['artifact']}") for s in sidecars}
    occurring = {kind for sidecar in sidecars for kind in _kinds_in(sidecar)}
    return environment.get_template("page.html").render(
        answer=summary.sentences,
        front=site.image("readme/headlines"),
        papers=papers,
        labels={paper: names[paper][0] for paper in papers},
        titles={paper: names[paper][1] for paper in papers},
        images=images,
        others={f"{sidecar['paper']}/{sidecar['artifact']}": sidecar for sidecar in own},
        up=site.up,
        looks=LOOKS,
        counts_of={(s["paper"], s["artifact"]): counts for s, counts in zip(sidecars, summary.artifacts, strict=True)},
        failures=list(_failures(sidecars)),
        verdicts={kind: words.WORDS.get(kind, kind) for kind in (*OUTCOMES, *KINDS) if kind in occurring},
        number_kinds=KINDS,
        outcomes=OUTCOMES,
        claim_heads=CLAIM_HEADS,
        claim_counts=summary.claim_counts,
        number_heads=NUMBER_HEADS,
        number_counts=summary.number_counts,
        chance=summary.chance,
        folded_above=FOLDED,
    )


def cell_text(name: str) -> str:
    """A cell `experiment/benchmark/method` in words: `uci: Boston housing, adaptive SGHMC`."""
    experiment, benchmark, method = name.split("/", 2)
    return f"{experiment.replace('_', ' ')}: {data_set_name(benchmark)}, {style.label(method)}"


def code_address(where: str, root: Path) -> str:
    """The address of a claim's code from the root: its file, and its line in there."""
    if match := FUNCTION.match(where):
        return f"{match['file']}#L{match['line']}"
    if (match := ROW.match(where)) is None or not (path := root / match["file"]).is_file():
        return where.partition(":")[0]
    lines = path.read_text(encoding="utf-8").splitlines()
    number = next((n for n, line in enumerate(lines, 1) if line.strip() == f"{match['name']}:"), 1)
    return f"{match['file']}#L{number}"


def _failures(sidecars: Sequence[Record]) -> Iterator[tuple[Record, Record, list[str]]]:
    """The claims that fail somewhere, headlines first within each paper, and where that is not on our whole runs."""
    claims = [(sidecar, claim) for sidecar in sidecars for claim in sidecar["claims"] if claim["kind"] != "check"]
    failing = [(sidecar, claim) for sidecar, claim in claims if words.fails(claim)]
    for _, group in groupby(failing, key=lambda pair: pair[0]["paper"]):
        for sidecar, claim in sorted(group, key=lambda pair: not pair[1]["headline"]):
            asked = [
                f"{question or 'our runs'}: {words.outcome_text(check)}" for question, check in words.answers(claim)
            ]
            yield sidecar, claim, asked if claim["holds"] != "fails" or claim["reproduced"] is not None else []


def _answers(claim: Record, own: Record | None) -> list[tuple[str, Record]]:
    """The answers to a claim, with that of the user's own runs if they are drawn."""
    same = [other for other in own["claims"] if other["id"] == claim["id"]] if own is not None else []
    answers = words.answers(claim)
    if not same:
        return answers
    return [("shipped runs", claim), *answers[1:], *(("your own runs", other) for other in same)]


def _outcomes_in(check: Record) -> list[str]:
    return [outcome for outcome in dict.fromkeys([check["holds"], check["part"]]) if outcome]


def _kinds_in(sidecar: Record) -> set[str]:
    """Every verdict and outcome that occurs in an artifact."""
    checks = [check for claim in sidecar["claims"] for _, check in words.answers(claim)]
    kinds = {outcome for check in checks for outcome in _outcomes_in(check)}
    if sidecar["table"] is not None:
        kinds |= {cell["verdict"]["kind"] for cell in sidecar["table"]["cells"] if cell["verdict"] is not None}
    return kinds | ({"not run"} if sidecar["absent"] else set())


def _cells(record: Record, own: Record | None) -> list[CellLine]:
    """The lines of a sidecar's table, with what the user's own runs give."""
    table = table_from_record(record)
    others = {} if own is None else dict(_judged(own))
    lines = []
    for (row, column), (ours, judged, extra) in _judged(record):
        cell = table.cells[row, column]
        runs = str(cell.runs) if cell.runs else ""
        shown = [table.row_label(row), table.column_label(column), published_text(cell), ours, runs]
        kind, look = (cell.verdict.kind, cell.verdict.look) if cell.verdict is not None else ("quoted", "quoted")
        beside = " · ".join(filter(None, others.get((row, column), ())))
        lines.append(CellLine(shown, kind, look, " · ".join(filter(None, [judged or "quoted", extra])), beside))
    return lines


def _judged(record: Record) -> Iterator[tuple[tuple[str, str], tuple[str, str, str]]]:
    """Each cell's row and column with its value, its verdict and what qualifies that, in words."""
    table = table_from_record(record)
    for row in table.rows:
        for column, text in zip(table.columns, row_lines(table, row), strict=True):
            yield (row, column), (text.ours, text.verdict, text.extra)


def _folders(files: Sequence[str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Files of raw runs by experiment and benchmark: the benchmark's name, and each file with its method's label."""
    by_folder: dict[PurePosixPath, list[tuple[str, str]]] = {}
    for file in files:
        path = PurePosixPath(file)
        by_folder.setdefault(path.parent, []).append((file, style.label(path.stem)))
    return [
        (f"{folder.parent.name.replace('_', ' ')}, {data_set_name(folder.name)}", runs)
        for folder, runs in by_folder.items()
    ]


def _short(commit: str) -> str:
    head, plus, changes = commit.partition("+")
    return head[:10] + plus + changes
