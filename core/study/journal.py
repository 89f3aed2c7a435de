"""The journal of a run: a file of JSON lines to which each event is appended and synchronized before it takes effect.

    {"journal": 3, "method": {"method": "tpe", ...}, "seed": 3, ...}    the first line: identifies the run
    {"asked": {"number": 0, "configuration": {...}, "budget": null}}    a trial that the optimizer proposed
    {"told": {"number": 0, ..., "loss": 0.5, "failure": ""}}            its record
    {"recommended": {"trial": 7}}                                       what it recommended at the end of a call
    {"ended": {}}                                                       the optimizer has finished

Lines are in the order in which the optimizer was asked and told. Each line ends with `"chain"`, a digest of its text
and of the line before, which reveals a line that was changed, removed or duplicated. A line that a kill cut short is
dropped: its event had not taken effect. A journal whose last lines are missing looks like that of a run killed earlier.
`core.study.replay` brings an optimizer to the point where a journal ends. JSON has no tuples and writes unknown values
as text; when a journal is read, choices become those of the space again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ConfigSpace import ConfigurationSpace
from ConfigSpace.hyperparameters import Hyperparameter

from core.errors import UserError, brief
from core.locks import exclusive
from core.optimizers.base import Trial
from core.spaces import Column
from core.study.chained_lines import chain_of, follows, line_of, without_chain
from core.study.evaluation import plain
from core.study.record import Record

VERSION = 3
Event = tuple[str, Trial | Record | Mapping[str, Any]]
KINDS = {"asked": Trial, "told": Record, "recommended": dict, "ended": dict}  # what the lines hold


class Journal:
    """An open journal, made by `open_journal`.

    Attributes:
        path: Path of the file; None for a run that keeps no journal.
        events: Pairs (kind, content) of all lines that the journal held when it was opened; `KINDS` lists the types.
        count: Number of events so far.
    """

    def __init__(
        self,
        path: Path | None = None,
        header: Mapping[str, Any] | None = None,
        handle: int = -1,
        space: ConfigurationSpace | None = None,
    ) -> None:
        self.path, self._handle, self._header = path, handle, {"journal": VERSION, **(header or {})}
        self._choices = {} if space is None or path is None else {name: _by_json(space[name]) for name in space}
        self._written, self._chain = hashlib.sha256(), ""
        lines = [] if path is None else self._read(path)
        self._lines = lines[1:]
        self.events = [self._event(line) for line in self._lines]
        self.count = len(self.events)
        for line in lines:
            self._written.update(line)
            self._chain = chain_of(line)

    def asked(self, trial: Trial) -> None:
        """Record that a trial was proposed."""
        if self.path is not None:
            self._add(self.path, {"asked": trial_entry(trial)})

    def told(self, record: Record) -> None:
        """Write a record; call this before telling the optimizer."""
        if self.path is not None:
            self._add(self.path, {"told": plain(asdict(record))})

    def recommended(self, trial: int) -> None:
        """Record what the optimizer recommends after everything told."""
        if self.path is not None:
            self._add(self.path, {"recommended": {"trial": trial}})

    def end(self) -> None:
        """Record that the optimizer has finished."""
        if self.path is not None and not self.ended:
            self._add(self.path, {"ended": {}})

    @property
    def ended(self) -> bool:
        """Whether the optimizer had finished when the journal was opened."""
        return bool(self.events) and self.events[-1][0] == "ended"

    @property
    def recommendation(self) -> int | None:
        """The trial recommended after all that was told by the time the journal was opened; None if none was."""
        kind, content = self.events[-1] if self.events else ("", {})
        return content.get("trial") if kind == "recommended" and isinstance(content, Mapping) else None

    @property
    def records(self) -> list[Record]:
        """Records of everything told by the time the journal was opened."""
        return [content for _, content in self.events if isinstance(content, Record)]

    def fingerprint(self, count: int | None = None) -> str:
        """Fingerprint of the journal up to the first `count` events it held when opened, or of all events so far."""
        if count is None:
            return self._written.hexdigest()
        hashed = hashlib.sha256(line_of(self._header, ""))
        for line in self._lines[:count]:
            hashed.update(line)
        return hashed.hexdigest()

    def _add(self, path: Path, event: Mapping[str, Any]) -> None:
        # The header is written with the first event: a run that never began can be begun with other settings.
        header = b"" if self.count else line_of(self._header, "")
        line = line_of(event, chain_of(header) if header else self._chain)
        _append(self._handle, header + line, path)
        self._written.update(header + line)
        self._chain = chain_of(line)
        self.count += 1

    def _read(self, path: Path) -> list[bytes]:
        """All complete lines, the header first; a line that a kill cut short is removed from the file."""
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if not whole and not line_of(self._header, "").startswith(content):
            raise UserError(f"{self.path}: holds {brief(content)}; allowed: the journal of a run")
        lines = content[:whole].splitlines(keepends=True)
        if lines:
            self._require_same_run(self._parsed(lines[0], 1))
        self._require_chained(lines)
        if len(lines) == 1:  # a header alone, which is written again with the first event
            lines, whole = [], 0
        os.ftruncate(self._handle, whole)
        return lines

    def _parsed(self, line: bytes, number: int) -> Any:
        try:
            return json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{self.path}: line {number} is not JSON; allowed: the journal of a run") from error

    def _require_chained(self, lines: Sequence[bytes]) -> None:
        before = ""
        for number, line in enumerate(lines, start=1):
            self._parsed(line, number)
            if not follows(line, before):
                raise UserError(
                    f"{self.path}: line {number} is not what was written after the line before: one of them was "
                    "changed, removed or doubled; allowed: the journal as it was written, or another file"
                )
            before = chain_of(line)

    def _require_same_run(self, theirs: Any) -> None:
        ours = json.loads(json.dumps(self._header))
        if not isinstance(theirs, dict) or "journal" not in theirs:
            raise UserError(f"{self.path}: begins with {brief(theirs)}; allowed: the journal of a run")
        if theirs["journal"] != VERSION:
            raise UserError(
                f"{self.path}: is of another version of this library, whose lines "
                f"{'have no checksums' if theirs['journal'] in (1, 2) else 'are others'}; allowed: another file"
            )
        for name in ours:
            if theirs.get(name) != ours.get(name):
                raise UserError(
                    f"{self.path}: is the journal of a run with {name} {json.dumps(theirs.get(name))}; this run has "
                    f"{json.dumps(ours.get(name))}; allowed: the same run, or another file"
                )

    def _event(self, line: bytes) -> Event:
        event = json.loads(without_chain(line))
        kind, content = next(iter(event.items())) if isinstance(event, dict) and len(event) == 1 else ("", None)
        if kind not in KINDS or not isinstance(content, dict):
            raise UserError(f"{self.path}: holds {brief(event)}; allowed: lines {', '.join(map(repr, KINDS))}")
        if isinstance(content.get("configuration"), dict):
            content = {**content, "configuration": self._in_space(content["configuration"])}
        try:
            if "number" in content and not isinstance(content["number"], int):
                raise TypeError(f"number is {content['number']!r}")
            return kind, KINDS[kind](**content)
        except TypeError as error:
            raise UserError(f"{self.path}: a line {kind!r} is not a {KINDS[kind].__name__}: {error}") from error

    def _in_space(self, configuration: Mapping[str, Any]) -> dict[str, Any]:
        """The configuration with the space's own choices."""
        return {
            name: choices.get(json.dumps(value), value) if (choices := self._choices.get(name)) else value
            for name, value in configuration.items()
        }


@contextmanager
def open_journal(
    path: str | Path | None, header: Mapping[str, Any], space: ConfigurationSpace | None = None
) -> Iterator[Journal]:
    """The journal at `path`, created if there is none and locked, so that two runs never write to the same file.

    Args:
        header: Plain values that identify the run; a journal of another run is refused.
        space: Space of the configurations, for choices that JSON writes as something else.

    Raises:
        UserError: it cannot be written, belongs to another run, or is not a journal.
    """
    if path is None:
        yield Journal()
        return
    if not isinstance(path, (str, Path)) or not Path(path).name:
        raise UserError(f"journal is {brief(path)}; allowed: the path of a file, or None")
    path = Path(path)
    with exclusive(path.with_name(f".{path.name}.lock"), print):
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error
        try:
            yield Journal(path, header, handle, space)
        finally:
            os.close(handle)


def trial_entry(trial: Trial) -> dict[str, Any]:
    """A trial as the journal holds it."""
    entry: dict[str, Any] = plain(asdict(trial))
    return entry


def _by_json(hyperparameter: Hyperparameter[Any, Any]) -> dict[str, Any]:
    """The choices by their JSON form; empty for numbers. If two choices have the same form, the first is taken."""
    choices = Column.of(hyperparameter).choices
    return {json.dumps(plain(choice)): choice for choice in reversed(choices)}


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
