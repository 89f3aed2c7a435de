"""The journal of a run: a file of JSON lines to which each event is appended and synchronized before it takes effect.

    {"journal": 2, "method": {"method": "tpe", ...}, "seed": 3, ...}    the first line: identifies the run
    {"asked": {"number": 0, "configuration": {...}, "budget": null}}    a trial that the optimizer proposed
    {"told": {"number": 0, ..., "loss": 0.5, "failure": ""}}            its record
    {"ended": {}}                                                       the optimizer has finished

Lines are in the order in which the optimizer was asked and told. A line that a kill cut short is dropped: its event had
not taken effect. `core.study.replay` brings an optimizer to the point where a journal ends.
"""

from __future__ import annotations

import hashlib
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
from core.study.evaluation import plain
from core.study.trace import Record

VERSION = 2
KINDS = ("asked", "told", "ended")
Event = tuple[str, Mapping[str, Any]]


class Journal:
    """An open journal, made by `open_journal`.

    Attributes:
        path: the file, None for a run that keeps no journal.
        events: (kind, content) of all lines that it held when it was opened.
        count: number of events so far.
    """

    def __init__(self, path: Path | None = None, header: Mapping[str, Any] | None = None, handle: int = -1) -> None:
        self.path, self._handle, self._header = path, handle, {"journal": VERSION, **(header or {})}
        self._written = hashlib.sha256()
        lines = self._read() if path is not None else []
        self._lines = lines[1:]
        self.events = [self._event(line) for line in self._lines]
        self.count = len(self.events)
        for line in lines:
            self._written.update(line)

    def asked(self, trial: Trial) -> None:
        """Record that a trial was proposed."""
        if self.path is not None:
            self._add({"asked": trial_entry(trial)})

    def told(self, record: Record) -> None:
        """Write a record; call this before telling the optimizer."""
        if self.path is not None:
            self._add({"told": plain(asdict(record))})

    def end(self) -> None:
        """Record that the optimizer has finished."""
        if self.path is not None and not self.ended:
            self._add({"ended": {}})

    @property
    def ended(self) -> bool:
        """Whether the optimizer had finished when the journal was opened."""
        return bool(self.events) and self.events[-1][0] == "ended"

    @property
    def records(self) -> list[Record]:
        """Records of everything told by the time the journal was opened."""
        return [record_of(entry, self.path) for kind, entry in self.events if kind == "told"]

    def fingerprint(self, count: int | None = None) -> str:
        """Fingerprint of the journal up to the first `count` events it held when opened, or of all events so far."""
        if count is None:
            return self._written.hexdigest()
        found = hashlib.sha256(_line(self._header))
        for line in self._lines[:count]:
            found.update(line)
        return found.hexdigest()

    def _add(self, event: Mapping[str, Any]) -> None:
        # The header is written with the first event: a run that never began can be begun with other settings.
        data = _line(event) if self.count else _line(self._header) + _line(event)
        _append(self._handle, data, self.path)
        self._written.update(data)
        self.count += 1

    def _read(self) -> list[bytes]:
        """The complete lines, the header first; a line that a kill cut short is removed."""
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if not whole and not _line(self._header).startswith(content):
            raise UserError(f"{self.path}: holds {content[:80]!r}; allowed: the journal of a run")
        lines = content[:whole].splitlines(keepends=True)
        if lines:
            self._require_same_run(self._parsed(lines[0], 1))
        for number, line in enumerate(lines[1:], start=2):
            self._parsed(line, number)
        if len(lines) == 1:  # a header alone, which is written again with the first event
            lines, whole = [], 0
        os.ftruncate(self._handle, whole)
        return lines

    def _parsed(self, line: bytes, number: int) -> Any:
        try:
            return json.loads(line)
        except ValueError as error:
            raise UserError(f"{self.path}: line {number} is not JSON; allowed: the journal of a run") from error

    def _require_same_run(self, theirs: Any) -> None:
        ours = json.loads(_line(self._header))
        if not isinstance(theirs, dict) or "journal" not in theirs:
            raise UserError(f"{self.path}: begins with {str(theirs)[:80]!r}; allowed: the journal of a run")
        for name in ours:
            if theirs.get(name) != ours.get(name):
                raise UserError(
                    f"{self.path}: is the journal of a run with {name} {json.dumps(theirs.get(name))}; this run has "
                    f"{json.dumps(ours.get(name))}; allowed: the same run, or another file"
                )

    def _event(self, line: bytes) -> Event:
        event = json.loads(line)
        if isinstance(event, dict) and len(event) == 1:
            kind, content = next(iter(event.items()))
            if kind in KINDS and isinstance(content, dict):
                return kind, content
        raise UserError(f"{self.path}: holds {str(event)[:80]!r}; allowed: lines {', '.join(map(repr, KINDS))}")


@contextmanager
def open_journal(path: str | Path | None, header: Mapping[str, Any]) -> Iterator[Journal]:
    """The journal at `path`, created if there is none and locked, so that two runs never write to the same file.

    Args:
        header: what identifies the run, plain values; a journal of another run is refused.

    Raises:
        UserError: it cannot be written, belongs to another run, or is not a journal.
    """
    if path is None:
        yield Journal()
        return
    path = Path(path)
    with exclusive(path.with_name(f".{path.name}.lock"), print):
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error
        try:
            yield Journal(path, header, handle)
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
        raise UserError(f"{path}: a line 'told' is not a record: {error}") from error


def _line(entry: Mapping[str, Any]) -> bytes:
    return (json.dumps(entry) + "\n").encode()


def _append(handle: int, data: bytes, path: Path) -> None:
    """Append all lines or none: what an interruption left behind would corrupt the next one."""
    before = os.fstat(handle).st_size
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
