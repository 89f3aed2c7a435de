"""The journal of a run: a file of JSON lines to which every event is added and synchronised before it takes effect.

    {"journal": 1, "optimizer": "TPE", "seed": 3}                      the first line: what the run is
    {"asked": {"number": 0, "configuration": {...}, "budget": null}}   a trial that the optimizer proposed
    {"told": {"number": 0, ..., "loss": 0.5, "failure": ""}}           its record

Lines are in the order in which the optimizer was asked and told. An optimizer is deterministic, so that one made as
the first was comes to the same state when it is asked and told the same again; whether it proposes the same trials is
checked. A line that a kill cut short is dropped: its event had not taken effect.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.errors import UserError
from core.locks import exclusive
from core.optimizers.base import Trial
from core.optimizers.parallel.evaluation import plain
from core.optimizers.records import Record

VERSION = 1


class Journal:
    """An open journal; `open_journal` makes it.

    Attributes:
        path: the file, None for a run that keeps no journal.
        events: (kind, content) of all lines that were there when it was opened, kind "asked" or "told".
    """

    def __init__(self, path: Path | None, events: list[tuple[str, Mapping[str, Any]]], handle: int | None) -> None:
        self.path, self.events, self._handle = path, events, handle

    def asked(self, trial: Trial) -> None:
        """Write down that a trial was proposed."""
        self._add({"asked": trial_entry(trial)})

    def told(self, record: Record) -> None:
        """Write down a record; to be called before the optimizer is told."""
        self._add({"told": plain(asdict(record))})

    def _add(self, line: Mapping[str, Any]) -> None:
        if self._handle is not None:
            _append(self._handle, line, self.path)


@contextmanager
def open_journal(path: str | Path | None, header: Mapping[str, Any]) -> Iterator[Journal]:
    """The journal at `path`, made if there is none; it is locked, so that two runs never write to the same.

    Args:
        header: what the run is, plain values; a journal of another run is refused.

    Raises:
        UserError: it cannot be written, holds another run, or something that is no journal.
    """
    if path is None:
        yield Journal(None, [], None)
        return
    path = Path(path)
    with exclusive(path.with_name(f".{path.name}.lock"), print):
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error
        try:
            wanted = {"journal": VERSION, **header}
            lines, whole = _read(path, wanted)
            os.ftruncate(handle, whole)
            if not lines:
                _append(handle, wanted, path)
            yield Journal(path, [_event(line, path) for line in lines[1:]], handle)
        finally:
            os.close(handle)


def trial_entry(trial: Trial) -> dict[str, Any]:
    """A trial as the journal holds it."""
    return plain(asdict(trial))


def record_of(entry: Mapping[str, Any], path: Path | None) -> Record:
    """The record that a "told" line holds."""
    try:
        return Record(**entry)
    except TypeError as error:
        raise UserError(f"{path}: a line 'told' is no record: {error}") from error


def _append(handle: int, line: Mapping[str, Any], path: Path | None) -> None:
    """Add a line as a whole, or none of it: what an interruption left of it would spoil the next one."""
    data, before = (json.dumps(line) + "\n").encode(), os.fstat(handle).st_size
    try:
        while data:
            data = data[os.write(handle, data) :]
        os.fsync(handle)
    except BaseException as error:
        with suppress(OSError):
            os.ftruncate(handle, before)
        if isinstance(error, OSError):
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error
        raise


def _read(path: Path, wanted: Mapping[str, Any]) -> tuple[list[Any], int]:
    """The lines, and how many bytes they take: a last one without an end is none."""
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if not whole and not json.dumps(wanted).encode().startswith(content):
        raise UserError(f"{path}: holds {content[:80]!r}; allowed: the journal of a run")
    lines = []
    for number, line in enumerate(content[:whole].splitlines(), start=1):
        try:
            lines.append(json.loads(line))
        except ValueError as error:
            raise UserError(f"{path}: line {number} is not JSON; allowed: the journal of a run") from error
    if lines and lines[0] != wanted:
        raise UserError(f"{path}: is the journal of {lines[0]}; this run is {wanted}; allowed: the same run")
    return lines, whole


def _event(line: Any, path: Path) -> tuple[str, Mapping[str, Any]]:
    if isinstance(line, dict) and len(line) == 1:
        kind, content = next(iter(line.items()))
        if kind in ("asked", "told") and isinstance(content, dict):
            return kind, content
    raise UserError(f"{path}: holds {str(line)[:80]!r}; allowed: lines 'asked' and 'told'")
