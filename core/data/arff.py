"""The file format of OpenML: ARFF, dense and sparse.

A header of `@attribute NAME TYPE` lines (a type is a word, or the categories in braces), then after `@data` one row per
line: comma-separated values, or in the sparse form `{index value, index value}`, where an omitted value is 0 for a
number and the first category for a nominal attribute. `%` starts a comment line, `?` is a missing value.

`scipy.io.arff` cannot replace it: it refuses the sparse form, quoted categories after a blank, names in double quotes
and strings, all of which files of OpenML have.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.data.errors import CorruptDataError
from core.data.tables import parse_text

_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\S+)\s+(.*)""", re.IGNORECASE)
_CATEGORY = re.compile(r"""\s*('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^,]*)\s*(?:,|$)""")
_SPARSE = re.compile(r"""\s*(\d+)\s+('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^,}]*)\s*(?:,|$)""")


@dataclass(frozen=True)
class Attribute:
    """A column: its name, and its first category if it is nominal (None for a number)."""

    name: str
    first: str | None


def parse_arff(text: str) -> pd.DataFrame:
    """The table in an ARFF file, columns in the order of its header.

    Raises:
        CorruptDataError: no `@data` line, no attribute, or a row that does not fit the header.
    """
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.strip().lower().startswith("@data")), None)
    if start is None:
        raise CorruptDataError("ARFF file without a @data line")
    attributes = [_attribute(line) for line in lines[:start] if line.strip().lower().startswith("@attribute")]
    if not attributes:
        raise CorruptDataError("ARFF file without an @attribute line")
    rows = [line for line in (line.strip() for line in lines[start + 1 :]) if line and not line.startswith("%")]
    sparse = bool(rows) and rows[0].startswith("{")
    return _sparse_table(rows, attributes) if sparse else _dense_table(rows, attributes)


def _attribute(line: str) -> Attribute:
    match = _ATTRIBUTE.match(line.strip())
    if match is None:
        raise CorruptDataError(f"ARFF attribute that cannot be read: {line.strip()[:80]!r}")
    name, kind = match.groups()
    if not kind.startswith("{"):
        return Attribute(_unquote(name), None)
    first = _CATEGORY.match(kind.strip()[1:].rstrip("}"))
    return Attribute(_unquote(name), _unquote(first.group(1)) if first else None)


def _dense_table(rows: list[str], attributes: list[Attribute]) -> pd.DataFrame:
    names = [attribute.name for attribute in attributes]
    for row in rows:  # pandas would fill a short row with missing values and cut a long one
        if row.count(",") != len(names) - 1 and not ("'" in row or '"' in row):
            raise CorruptDataError(f"ARFF row that does not have {len(names)} values: {row[:80]!r}")
    quote = '"' if any('"' in row for row in rows) and not any("'" in row for row in rows) else "'"
    body = io.StringIO("\n".join(rows))
    try:
        return parse_text(body, header=None, names=names, index_col=False, quotechar=quote, escapechar="\\")
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise CorruptDataError(f"ARFF data that do not fit the {len(names)} attributes ({error})") from error


def _sparse_table(rows: list[str], attributes: list[Attribute]) -> pd.DataFrame:
    """A dense frame; numbers are filled into one array, categories column by column."""
    numbers = np.zeros((len(rows), len(attributes)))
    texts = {
        index: np.full(len(rows), attribute.first, dtype=object)
        for index, attribute in enumerate(attributes)
        if attribute.first is not None
    }
    for row, line in enumerate(rows):
        try:
            for index, value in _SPARSE.findall(line.strip("{} \t")):
                column = int(index)
                if column in texts:
                    texts[column][row] = _unquote(value)
                else:
                    numbers[row, column] = np.nan if value.strip() == "?" else float(value)
        except (ValueError, IndexError) as error:
            raise CorruptDataError(f"ARFF sparse row that cannot be read: {line[:80]!r} ({error})") from error
    return pd.DataFrame({attribute.name: texts.get(i, numbers[:, i]) for i, attribute in enumerate(attributes)})


def _unquote(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = re.sub(r"\\(.)", r"\1", text[1:-1])
    return text
