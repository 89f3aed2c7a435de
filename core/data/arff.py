"""The file format of OpenML: ARFF, dense and sparse.

A header of `@attribute NAME TYPE` lines (a type is a word, or the categories in braces), then after `@data` one row per
line: comma-separated values, or in the sparse form `{index value, index value}`, where an omitted value is 0 for a
number and the first category for a nominal attribute. `%` at the start of a line makes it a comment, `?` is a missing
value. Values with commas, blanks at their ends or quotes are themselves quoted, by either kind of quote; inside, the
quote is written `\\'` or twice, and a backslash begins the escapes of C. A quoted `?` is text.

Every row is checked against the header: its length, its numbers, its categories. An error names the line.

`scipy.io.arff` cannot replace it: it refuses the sparse form, quoted categories after a blank, names in double quotes
and strings, all of which files of OpenML have.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.data.errors import CorruptDataError

_QUOTED = r"""'(?:[^'\\]++|\\.|'')*+'|"(?:[^"\\]++|\\.|"")*+\""""
_BARE = r"""[^{end}'" \t][^{end}]*+|"""
_VALUE = re.compile(rf"[ \t]*+({_QUOTED}|{_BARE.format(end=',')})[ \t]*+(,|$)")
_CATEGORY = re.compile(rf"[ \t]*+({_QUOTED}|{_BARE.format(end=',}')})[ \t]*+([,}}])")
_PAIR = re.compile(rf"[ \t]*+([0-9]+)[ \t]++({_QUOTED}|{_BARE.format(end=',}')})[ \t]*+([,}}])")
_ATTRIBUTE = re.compile(rf"@attribute[ \t]++({_QUOTED}|[^\s{{'\"][^\s{{]*+)(?:[ \t]++|(?=\{{))(.+)", re.IGNORECASE)
_ESCAPES = {
    quote: re.compile(rf"\\(u(?![dD][89a-fA-F])[0-9a-fA-F]{{4}}|[0-7]{{1,3}}|.)|{quote}{quote}") for quote in "'\""
}
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity|nan)", re.IGNORECASE | re.ASCII)
_NUMERIC, _TEXT = ("numeric", "real", "integer"), ("string", "date")
_ROWS = 2000  # that are text at a time: as objects they take many times the space of their numbers


@dataclass(frozen=True)
class Attribute:
    """A column: its name, whether it holds numbers, and its categories in order (none: numbers, or any text)."""

    name: str
    is_number: bool
    categories: tuple[str, ...] = ()


Line = tuple[int, str]
"""The number of a line in its file, from 1, and its text without surrounding blanks."""


def parse_arff(text: str) -> pd.DataFrame:
    """The table in an ARFF file, columns in the order of its header: numbers, and text as it is written (dates too).

    Raises:
        CorruptDataError: no `@data` line, no attribute, two of one name, no row, or a row that does not fit the header.
    """
    unified = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = [(number, line.strip(" \t")) for number, line in enumerate(unified.split("\n"), 1)]
    start = next((i for i, (_, line) in enumerate(lines) if line.lower().startswith("@data")), None)
    if start is None:
        raise CorruptDataError("ARFF file without a @data line")
    attributes = _attributes(line for line in lines[:start] if line[1].lower().startswith("@attribute"))
    rows = [line for line in lines[start + 1 :] if line[1] and not line[1].startswith("%")]
    if not rows:
        raise CorruptDataError(f"ARFF file without a row after its @data in line {lines[start][0]}")
    table = _sparse_table if rows[0][1].startswith("{") else _dense_table
    return table(rows, attributes)


def _refuse(number: int, problem: str) -> NoReturn:
    raise CorruptDataError(f"ARFF line {number}: {problem}")


def _attributes(lines: Iterable[Line]) -> list[Attribute]:
    found: dict[str, tuple[int, Attribute]] = {}
    for number, line in lines:
        match = _ATTRIBUTE.fullmatch(line)
        if match is None:
            _refuse(number, f"attribute that cannot be read: {line[:80]!r}")
        name = _unquoted(match[1])
        if name in found:
            _refuse(number, f"attribute {name!r} is already in line {found[name][0]}; allowed: each name once")
        found[name] = number, _attribute(number, name, match[2])
    if not found:
        raise CorruptDataError("ARFF file without an @attribute line")
    return [attribute for _, attribute in found.values()]


def _attribute(number: int, name: str, kind: str) -> Attribute:
    if not kind.startswith("{"):
        word = kind.split(None, 1)[0].lower()
        if word not in _NUMERIC + _TEXT:
            allowed = ", ".join(_NUMERIC + _TEXT)
            _refuse(number, f"attribute {name!r} has type {kind[:40]!r}; allowed: {allowed}, or categories in braces")
        return Attribute(name, word in _NUMERIC)
    categories, place, end = [], 1, ","
    while end == ",":
        match = _CATEGORY.match(kind, place)
        if match is None:
            _refuse(
                number, f"categories of {name!r} that cannot be read, a quote or brace is not closed: {kind[:80]!r}"
            )
        if match[1]:
            categories.append(_unquoted(match[1]))
        place, end = match.end(), match[2]
    rest = kind[place:].strip()
    if not categories or (rest and not rest.startswith("%")):
        _refuse(number, f"categories of {name!r} that cannot be read: {kind[:80]!r}")
    return Attribute(name, False, tuple(dict.fromkeys(categories)))


def _dense_table(rows: list[Line], attributes: list[Attribute]) -> pd.DataFrame:
    parts: list[list[NDArray[Any]]] = [[] for _ in attributes]
    for first in range(0, len(rows), _ROWS):
        lines = rows[first : first + _ROWS]
        numbers = [number for number, _ in lines]
        values = [_dense_row(number, line, len(attributes)) for number, line in lines]
        for part, attribute, column in zip(parts, attributes, zip(*values, strict=True), strict=True):
            part.append(_checked(attribute, numbers, column))
    return pd.DataFrame({each.name: np.concatenate(part) for each, part in zip(attributes, parts, strict=True)})


def _dense_row(number: int, line: str, count: int) -> list[str | None]:
    """The values of a row, None where they are missing."""
    if line.startswith("{"):
        _refuse(number, f"a sparse row among dense ones: {line[:80]!r}")
    if "'" in line or '"' in line:
        values, place, end = [], 0, ","
        while end == ",":
            match = _VALUE.match(line, place)
            if match is None:
                _refuse(number, f"a quote that is not closed, or text beside it: {line[place : place + 80]!r}")
            values.append(_value(match[1]))
            place, end = match.end(), match[2]
    else:
        values = [None if (part := text.strip(" \t")) in ("", "?") else part for text in line.split(",")]
    if len(values) != count:
        _refuse(number, f"{len(values)} values, the header has {count} attributes: {line[:80]!r}")
    return values


def _sparse_table(rows: list[Line], attributes: list[Attribute]) -> pd.DataFrame:
    """A dense frame; only what is present is looked at."""
    places: list[list[int]] = [[] for _ in attributes]
    values: list[list[str | None]] = [[] for _ in attributes]
    for row, (number, line) in enumerate(rows):
        for index, value in _sparse_row(number, line, len(attributes)):
            places[index].append(row)
            values[index].append(value)
    frame = {}
    for attribute, present, column in zip(attributes, places, values, strict=True):
        if not attribute.is_number and not attribute.categories and len(present) < len(rows):
            absent = next(row for row, (at, _) in enumerate(zip([*present, -1], rows, strict=False)) if row != at)
            _refuse(rows[absent][0], f"no value of {attribute.name!r}: what is left out of sparse text is undefined")
        default = 0.0 if attribute.is_number else (*attribute.categories, "")[0]
        full = np.full(len(rows), default, dtype=float if attribute.is_number else object)
        full[present] = _checked(attribute, [rows[row][0] for row in present], column)
        frame[attribute.name] = full
    return pd.DataFrame(frame)


def _sparse_row(number: int, line: str, count: int) -> Iterator[tuple[int, str | None]]:
    """The columns and values of a row, None where they are missing."""
    if not line.startswith("{"):
        _refuse(number, f"a dense row among sparse ones: {line[:80]!r}")
    if not line.endswith("}"):
        _refuse(number, f"sparse row that cannot be read, its brace is not closed: {line[:80]!r}")
    seen: set[int] = set()
    place, end = 1, "," if line[1:-1].strip() else "}"
    while end == ",":
        match = _PAIR.match(line, place)
        if match is None:
            _refuse(number, f"sparse row that cannot be read: {line[place : place + 80]!r}; needed: index value, ...")
        column = int(match[1]) if len(match[1]) < 10 else count
        if column >= count or column in seen:
            wrong = f"index {match[1]} twice" if column in seen else f"index {match[1][:20]}; allowed: 0 to {count - 1}"
            _refuse(number, f"sparse row that cannot be read: {line[:80]!r} has {wrong}")
        seen.add(column)
        yield column, _value(match[2])
        place, end = match.end(), match[3]
    if line[1:-1].strip() and place != len(line):
        _refuse(number, f"text after a sparse row: {line[place : place + 80]!r}")


def _value(text: str) -> str | None:
    """A value as it is written; None where it is missing."""
    text = text.rstrip(" \t")
    return None if text in ("", "?") else _unquoted(text)


def _unquoted(text: str) -> str:
    escapes = _ESCAPES.get(text[:1])
    return text if escapes is None else escapes.sub(_meant, text[1:-1])


def _meant(escape: re.Match[str]) -> str:
    """The character that an escape in a quoted text stands for."""
    code = escape[1]
    if code is None:  # the quote, twice
        return escape[0][0]
    if code[0] == "u" and len(code) == 5:
        return chr(int(code[1:], 16))
    return chr(int(code, 8)) if code[0] in "01234567" else _ESCAPED.get(code, code)


def _checked(attribute: Attribute, lines: list[int], column: Iterable[str | None]) -> NDArray[Any]:
    """The values of a column, (n,), whole numbers where all are; `lines` are those they stand in."""
    column = list(column)
    if attribute.is_number:
        return _numbers(attribute.name, lines, column)
    if attribute.categories and not set(column) <= {*attribute.categories, None}:
        allowed = {*attribute.categories, None}
        number, value = next((line, each) for line, each in zip(lines, column, strict=True) if each not in allowed)
        shown = ", ".join(attribute.categories[:8]) + (", ..." if len(attribute.categories) > 8 else "")
        _refuse(number, f"{attribute.name} is {value!r}; allowed: {shown}")
    return np.array(column, dtype=object)


def _numbers(name: str, lines: list[int], column: list[str | None]) -> NDArray[Any]:
    written = "".join(filter(None, column))
    if "_" not in written and written.isascii():  # which Python allows in numbers
        try:
            return np.array(list(map(int, column)), dtype=np.int64)  # type: ignore[arg-type]  # None is no number
        except (TypeError, ValueError, OverflowError):
            pass
        try:
            values = np.array([math.nan if value is None else float(value) for value in column])
            if not np.isinf(values).any():
                return values
        except ValueError:
            pass
    for number, value in zip(lines, column, strict=True):
        if value is not None and _NUMBER.fullmatch(value.strip()) is None:
            _refuse(number, f"{name} is {value[:40]!r}; allowed: numbers")
        if value is not None and math.isinf(float(value)) and "inf" not in value.lower():
            _refuse(number, f"{name} is {value[:40]!r}; allowed: numbers up to {np.finfo(float).max:.3g}")
    return np.array([math.nan if value is None else float(value) for value in column])
