"""Sidecars: tables and checks as plain JSON, and back, and what a claim's record says in words.

JSON has no nan and no infinity; they are written as the strings "nan", "inf" and "-inf".
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from core.foundation.errors import UserError
from core.report.tables.table import ReportCell, ReportTable, show
from core.report.verdicts.cells import Verdict
from core.report.verdicts.published import PublishedCell

FORMAT = 4
WORDS = {"inconclusive": "open"}
"""Words of verdicts and outcomes that are not their names."""
Record = dict[str, Any]
"""A sidecar, or a part of one such as a claim: names and plain values."""
T = TypeVar("T", PublishedCell, Verdict, ReportCell)


def to_json(record: Record) -> str:
    """A record as text: sorted keys, no nan, the same bytes for the same record."""
    return json.dumps(plain(record), sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Dataclasses, tuples and numbers that JSON lacks, turned into types that it has."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value


def table_record(table: ReportTable) -> Record:
    """A table as a record; its cells become a list, row by row, each with its `row` and `column`."""
    record: Record = plain(table)
    record["cells"] = [
        {"row": row, "column": column, **plain(table.cells[row, column])}
        for row in table.rows
        for column in table.columns
    ]
    return record


def table_from_record(record: Record) -> ReportTable:
    """The table that `table_record` wrote."""
    cells = {}
    for cell in record["cells"]:
        published, verdict = cell["published"], cell["verdict"]
        fields = {k: v for k, v in cell.items() if k not in ("row", "column")}
        fields["published"] = None if published is None else _restore(PublishedCell, published)
        fields["verdict"] = None if verdict is None else _restore(Verdict, verdict)
        cells[cell["row"], cell["column"]] = _restore(ReportCell, fields)
    rest: Record = {k: tuple(v) if isinstance(v, list) else v for k, v in record.items()}
    return ReportTable(**{**rest, "cells": cells})


def read_sidecar(path: Path) -> Record:
    """The sidecar of a drawn artifact.

    Raises:
        UserError: it cannot be read or was written by another version.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: not a readable sidecar ({error}); draw its artifact again") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise UserError(f"{path}: not a sidecar of format {FORMAT}; draw its artifact again")
    return record


def _restore(cls: type[T], record: Record) -> T:
    numeric = {f.name for f in dataclasses.fields(cls) if str(f.type).startswith("float")}
    values: Record = {k: float(v) if k in numeric and v is not None else v for k, v in record.items()}
    return cls(**values)


def load_sidecars(figures: Path, names: Iterable[str]) -> list[Record]:
    """The sidecars <figures>/<paper>/<artifact>.json of these names that exist, by paper, tables before figures.

    Raises:
        UserError: naming the sidecar that cannot be read.
    """
    paths = (Path(figures) / f"{name}.json" for name in sorted(names))
    sidecars = [read_sidecar(path) for path in paths if path.is_file()]
    return sorted(sidecars, key=lambda sidecar: (sidecar["paper"], sidecar["kind"] != "table"))


def answers(claim: Record) -> list[tuple[str, Record]]:
    """The questions that a claim was asked, in words, each with the check that answers it: first that of our runs."""
    if claim["reproduced"] is None:
        return [("", claim)]
    return [("our runs", claim), ("authors' data", claim["reproduced"])]


def outcome_text(claim: Record) -> str:
    """A claim's outcome in words, with what our part shows where that cannot decide it."""
    if claim["holds"] != "outside" or not claim["part"]:
        return str(claim["holds"])
    return f"outside; on our part: {WORDS.get(claim['part'], claim['part'])}"


def cause_text(claim: Record) -> str:
    """Why a claim fails, on our part at least, as `kind: evidence`; empty if it does not, or no cause is stated."""
    if claim["cause"] is None or not fails(claim):
        return ""
    return f"{claim['cause']['kind']}: {claim['cause']['evidence']}"


def fails(claim: Record) -> bool:
    """Whether a claim fails on our runs, on our part at least, or on the authors' data."""
    return any("fails" in (check["holds"], check["part"]) for _, check in answers(claim))


def needs_cause(claim: Record) -> bool:
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


def interval_text(claim: Record) -> str:
    """`[low, high]`, empty if the claim has no interval."""
    if "nan" in (claim["low"], claim["high"]):
        return ""
    return f"[{value_text(claim['low'])}, {value_text(claim['high'])}]"
