"""The journal of a run: a file of JSON lines to which each event is appended and synchronized before it takes effect.

Events that arrive together are synchronized together, since each time takes about a millisecond.

    {"journal": 3, "method": {"method": "tpe", ...}, "seed": 3, ...}    the first line: identifies the run
    {"asked": {"number": 0, "configuration": {...}, "budget": null}}    a trial that the optimizer proposed: it begins
    {"told": {"number": 0, ..., "loss": 0.5, "failure": ""}}            its record
    {"again": {"number": 1}}                                            a trial begins again in this process
    {"interrupted": {"numbers": [1]}}                                   trials that were under way when a process ended
    {"recommended": {"trial": 7}}                                       what it recommended at the end of a call
    {"ended": {}}                                                       the optimizer has finished

Lines are in the order in which the optimizer was asked and told. Each line ends with `"chain"`, a digest of its text
and of the line before, which reveals a line that was changed, removed or duplicated. A line that a kill cut short is
dropped: its event had not taken effect. A journal whose last lines are missing looks like that of a run killed earlier.
`core.study.replay` brings an optimizer to the point where a journal ends. JSON has no tuples and writes unknown values
as text; when a journal is read, choices become those of the space again (`Column.from_json`).

* **Who writes.** The file itself is locked, whatever its name: a link to it is the same journal. A child that the
  function forks writes nothing. What lies beside it has the name of the file that a symbolic link points to.
* **A file that is deleted, replaced or changed while it is written, or finds no room.** The run stops, and all its
  lines, also those that the file lacks, go to a new file, which the error names.
* **A process that dies in an evaluation**, by a segmentation fault or for want of memory, leaves a trial that was begun
  and neither told nor interrupted. `deaths` counts how often; see `core.study.loop`.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import re
import shlex
import signal
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from ConfigSpace import ConfigurationSpace

from core.foundation.errors import UserError, WriteError, brief
from core.foundation.locks import holder_of, locked, require_process, waiting
from core.optimizers.base import Trial
from core.spaces import Column
from core.study.chained_lines import chain_of, follows, line_of, without_chain
from core.study.evaluation import plain
from core.study.record import Record, with_marks

VERSION = 3
Event = tuple[str, Trial | Record | Mapping[str, Any]]
KINDS = {"asked": Trial, "told": Record, "again": dict, "interrupted": dict, "recommended": dict, "ended": dict}
"""What the lines hold."""
ENDING = (signal.SIGTERM, signal.SIGHUP)  # signals that end a process which was asked to end
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
LONGEST = ".states"  # the longest ending of a name beside the journal, apart from temporary ones


class Journal:
    """An open journal, made by `open_journal`.

    Attributes:
        path: Absolute path of the file; None for a run that keeps no journal.
        shown: Its name in messages, as the user gave it.
        events: Pairs (kind, content) of all lines that the journal held when it was opened; `KINDS` lists the types.
        count: Number of events so far.
        deaths: How often a process died in a trial that is not told, by its number, when the journal was opened.
        failed: Whether a line could not be written; then `rescue` keeps all of them.
    """

    def __init__(
        self,
        path: Path | None = None,
        header: Mapping[str, Any] | None = None,
        handle: int = -1,
        space: ConfigurationSpace | None = None,
        shown: str | Path | None = None,
    ) -> None:
        self.path, self.shown, self._handle = path, shown or path, handle
        self._header, self._process = {"journal": VERSION, **(header or {})}, os.getpid()
        self._columns = {} if space is None or path is None else {name: Column.of(space[name]) for name in space}
        self._require_texts()
        self._writing = self._unsynced = self.failed = False
        self._lines = [] if path is None else self._read()  # the header first
        self._written = hashlib.sha256(b"".join(self._lines))
        # The size of the file and the chain of its last line: together, so that an interruption finds both or neither.
        self._end = len(b"".join(self._lines)), chain_of(self._lines[-1]) if self._lines else ""
        self.events = [self._event(line, number) for number, line in enumerate(self._lines[1:], start=2)]
        self.count = len(self.events)
        self.deaths, self._pending = _deaths(self.events)
        self._begun: set[int] = set()  # by this process, and not told
        self._changed = 0 if path is None else os.fstat(handle).st_mtime_ns

    def _require_texts(self) -> None:
        """Raise UserError for choices whose text has their place in memory: no other process would know them again."""
        for name, column in self._columns.items():
            for choice in column.choices if column.kind == "categorical" else ():
                if not isinstance(choice, (str, int, float)) and (text := ADDRESS.search(repr(choice))):
                    raise UserError(
                        f"{self.shown}: the choice {brief(choice)} of {name!r} is known by its place in memory "
                        f"({text[0]}) alone, so that the search could not be resumed; allowed: a class, or "
                        "names that the function looks up in a dictionary"
                    )

    def asked(self, trial: Trial) -> None:
        """Write that a trial was proposed; it may begin after the next `sync`."""
        self._add("asked", lambda: [trial_entry(trial)], sync=False)
        self._begun.add(trial.number)

    def sync(self) -> None:
        """Bring what was written to the disk: one wait for all trials that begin together."""
        if self._unsynced:
            self._append(b"", self._end[1])

    def again(self, number: int) -> None:
        """Record that a trial begins that an earlier process had begun; nothing for any other."""
        if number in self._pending:
            self._add("again", lambda: [{"number": number}])
            self._begun.add(number)

    def told(self, *records: Record) -> None:
        """Write records, all or none; call this before telling the optimizer."""
        self._add("told", lambda: [plain(asdict(record)) for record in records])
        self._begun.difference_update(record.number for record in records)

    def recommended(self, trial: int) -> None:
        """Record what the optimizer recommends after everything told."""
        self._add("recommended", lambda: [{"trial": trial}])

    def end(self) -> None:
        """Record that the optimizer has finished."""
        if not self.ended:
            self._add("ended", lambda: [{}])

    def part(self) -> None:
        """Record which trials are under way when this process ends in order: that they stay is no fault of theirs.

        In the middle of a line, where a signal may have come, it does nothing; nor in a forked child.
        """
        if self._begun and not self._writing and not self.failed and os.getpid() == self._process:
            self._add("interrupted", lambda: [{"numbers": sorted(self._begun)}])
            self._begun.clear()

    @property
    def ended(self) -> bool:
        """Whether the optimizer had finished when the journal was opened."""
        return self._last[0] == "ended"

    @property
    def recommendation(self) -> int | None:
        """The trial recommended after all that was told by the time the journal was opened; None if none was."""
        kind, content = self._last
        return content.get("trial") if kind == "recommended" and isinstance(content, Mapping) else None

    @property
    def _last(self) -> Event:
        """The last event of those that say more than that a process ended."""
        return next((event for event in reversed(self.events) if event[0] != "interrupted"), ("", {}))

    @property
    def records(self) -> list[Record]:
        """Records of everything told by the time the journal was opened."""
        return [content for _, content in self.events if isinstance(content, Record)]

    def fingerprint(self, count: int | None = None) -> str:
        """Fingerprint of the journal up to the first `count` events it held when opened, or of all events so far."""
        if count is None:
            return self._written.hexdigest()
        hashed = hashlib.sha256()
        for line in self._lines[: count + 1]:
            hashed.update(line)
        return hashed.hexdigest()

    def rescue(self) -> str:
        """Write all lines to a new file if the journal lacks some, beside it or among temporary files; says where."""
        assert self.path is not None
        stays = "what is in it stays, and the same call goes on from there"
        if self._in_place():
            return stays
        for folder in (self.path.parent, Path(tempfile.gettempdir())):
            try:
                handle, name = tempfile.mkstemp(prefix=f"{self.path.name[:100]}.rescued-", dir=folder)
            except OSError:
                continue
            try:
                with open(handle, "wb") as stream:
                    stream.writelines(self._lines)
                    stream.flush()
                    os.fsync(handle)
            except OSError:
                Path(name).unlink()
                continue
            told = sum(line.startswith(b'{"told"') for line in self._lines)
            move = f"mv {shlex.quote(name)} {shlex.quote(str(self.shown))}"
            if not self.path.parent.is_dir():  # the folder was moved or deleted
                move = f"mkdir -p {shlex.quote(str(Path(str(self.shown)).parent))} && {move}"
            return f"all {told} evaluations are in {name}: after `{move}` the same call goes on"
        return f"nor is there room for a copy; {stays}"

    def _add(self, kind: str, contents: Callable[[], Sequence[Mapping[str, Any]]], sync: bool = True) -> None:
        require_process(self._process, "the search" if self.shown is None else str(self.shown))
        if self.path is None:
            return
        # The header is written with the first event: a run that never began can be begun with other settings.
        size, chain = self._end
        lines = [] if size else [line_of(self._header, "")]
        for content in contents():
            lines.append(line_of({kind: content}, chain_of(lines[-1]) if lines else chain))
        self._append(b"".join(lines), chain_of(lines[-1]), sync)
        self._lines += lines
        self._written.update(b"".join(lines))
        self.count = len(self._lines) - 1

    def _append(self, data: bytes, chain: str, sync: bool = True) -> None:
        """Append all lines or none: what an interruption left behind would corrupt the next one.

        They are on the disk afterwards, with all before them, unless they are to wait for the next ones.

        Once that has failed, lines of results that had arrived are only kept for `rescue`.
        """
        size = self._end[0]
        if self.failed:
            self._end = size + len(data), chain
            return
        self._writing = True
        try:
            if not self._in_place():
                raise WriteError(f"{self.shown}: was deleted, replaced or changed by another program during the run")
            left = data
            while left:
                left = left[os.write(self._handle, left) :]
            if sync:
                os.fsync(self._handle)
            self._end, self._unsynced = (size + len(data), chain), not sync
            self._changed = os.fstat(self._handle).st_mtime_ns
        except BaseException as error:
            self.failed = isinstance(error, (OSError, WriteError))
            if not isinstance(error, WriteError):
                with suppress(OSError):
                    os.ftruncate(self._handle, self._end[0])
            if isinstance(error, OSError):
                raise WriteError(f"{self.shown}: cannot be written: {error.strerror}") from error
            raise
        finally:
            self._writing = False

    def _in_place(self) -> bool:
        """Whether the name still stands for the open file, which holds as much as was written."""
        assert self.path is not None
        if not _is_at(self._handle, self.path):
            return False
        found = os.fstat(self._handle)
        if found.st_size != self._end[0] or found.st_mtime_ns == self._changed:
            return found.st_size == self._end[0]
        content = os.pread(self._handle, found.st_size + 1, 0)  # changed by somebody, maybe in its time alone
        same = content == b"".join(self._lines)
        self._changed = found.st_mtime_ns if same else self._changed
        return same

    def _read(self) -> list[bytes]:
        """All complete lines, the header first; a line that a kill cut short is removed from the file."""
        try:
            with open(self._handle, "rb", closefd=False) as stream:
                stream.seek(0)
                content = stream.read()
        except OSError as error:
            raise UserError(f"{self.shown}: cannot be read: {error.strerror}; allowed: the path of a file") from error
        if content.startswith(codecs.BOM_UTF8) or b"}\r\n" in content:
            raise UserError(
                f"{self.shown}: was converted by an editor or a transfer: it has a byte order mark or Windows line "
                "endings; allowed: the file as it was written, without them"
            )
        whole = content.rfind(b"\n") + 1
        if not whole and not line_of(self._header, "").startswith(content):
            raise UserError(f"{self.shown}: holds {brief(content)}; allowed: the journal of a run")
        lines = [line + b"\n" for line in content[:whole].split(b"\n")[:-1]]
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
            raise UserError(f"{self.shown}: line {number} is not JSON; {self._salvage(number)}") from error

    def _salvage(self, number: int) -> str:
        """How to go on from a journal whose line of this number, from 1, is damaged."""
        if number == 1:
            return "allowed: the journal of a run"
        file = shlex.quote(str(self.shown))
        keep = f"mv {file} {file}.damaged && head -n {number - 1} {file}.damaged > {file}"
        return f"the {number - 1} lines before it are whole: after `{keep}` the same call goes on from them"

    def _require_chained(self, lines: Sequence[bytes]) -> None:
        before = ""
        for number, line in enumerate(lines, start=1):
            self._parsed(line, number)
            if not follows(line, before):
                raise UserError(
                    f"{self.shown}: line {number} is not what was written after the line before: one of them was "
                    f"changed, removed or doubled; {self._salvage(number)}"
                )
            before = chain_of(line)

    def _require_same_run(self, theirs: Any) -> None:
        ours = json.loads(json.dumps(self._header))
        if not isinstance(theirs, dict) or "journal" not in theirs:
            raise UserError(f"{self.shown}: begins with {brief(theirs)}; allowed: the journal of a run")
        if theirs["journal"] != VERSION:
            raise UserError(
                f"{self.shown}: is of another version of this library, whose lines "
                f"{'have no checksums' if theirs['journal'] in (1, 2) else 'are others'}; allowed: another file"
            )
        for name in ours:
            if theirs.get(name) != ours.get(name):
                raise UserError(
                    f"{self.shown}: is the journal of a run with {name} {json.dumps(theirs.get(name))}; this run has "
                    f"{json.dumps(ours.get(name))}; allowed: the same run, or another file"
                )

    def _event(self, line: bytes, number: int) -> Event:
        event = json.loads(without_chain(line))
        kind, content = next(iter(event.items())) if isinstance(event, dict) and len(event) == 1 else ("", None)
        if kind not in KINDS or not isinstance(content, dict):
            raise UserError(
                f"{self.shown}: line {number} holds {brief(event)}; allowed: {', '.join(map(repr, KINDS))}; "
                f"{self._salvage(number)}"
            )
        if isinstance(content.get("configuration"), dict):
            content = {**content, "configuration": self._in_space(content["configuration"])}
        try:
            _require_numbers(content)
            return kind, KINDS[kind](**(with_marks(content) if kind == "told" else content))
        except TypeError as error:
            raise UserError(
                f"{self.shown}: line {number}, {kind!r}, is not a {KINDS[kind].__name__}: {error}; "
                f"{self._salvage(number)}"
            ) from error

    def _in_space(self, configuration: Mapping[str, Any]) -> dict[str, Any]:
        """The configuration with the space's own choices; raises UserError for one that JSON writes as another."""
        try:
            return {
                name: self._columns[name].from_json(value) if name in self._columns else value
                for name, value in configuration.items()
            }
        except UserError as error:
            raise UserError(f"{self.shown}: {error}") from error


@contextmanager
def open_journal(
    path: str | Path | None, header: Mapping[str, Any], space: ConfigurationSpace | None = None
) -> Iterator[Journal]:
    """The journal at `path`, created if there is none and locked, so that two runs never write to the same file.

    Args:
        path: A relative path is one from the folder that is the current one now.
        header: Plain values that identify the run; a journal of another run is refused.
        space: Space of the configurations, for choices that JSON writes as something else.

    Raises:
        UserError: it cannot be written, belongs to another run, or is not a journal; or it could not be written to the
            end, which says where all lines are.
    """
    if path is None:
        yield Journal()
        return
    place = _place(path)
    while True:
        handle = _opened(place, path)
        with locked(handle, place, partial(_say, handle, path)):
            if not _is_at(handle, place):  # whoever held it before has replaced it
                continue
            book = Journal(place, header, handle, space, path)
            with _parting(book):
                yield book
            return


def _say(handle: int, path: str | Path) -> None:
    print(waiting(str(path), holder_of(handle)))


@contextmanager
def _parting(book: Journal) -> Iterator[None]:
    """However the block ends, the journal says what was under way; a journal that could not be written is rescued.

    SIGTERM and SIGHUP end the process as ever, after that line, if nobody else has a handler for them. As every handler
    in Python it runs between two of the interpreter's steps, in the main thread.
    """

    def end(number: int, frame: object) -> None:
        with suppress(WriteError):
            book.part()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    main = threading.current_thread() is threading.main_thread()
    handled = [number for number in ENDING if main and signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in handled:
            signal.signal(number, end)
        try:
            yield
        finally:
            book.part()
    except BaseException as error:
        if not book.failed:
            raise
        raise WriteError(f"{error}; {book.rescue()}") from error
    finally:
        for number in handled:
            if signal.getsignal(number) is end:
                signal.signal(number, signal.SIG_DFL)


def _place(path: str | Path) -> Path:
    """The absolute path of the file that a name stands for, through symbolic links.

    Raises:
        UserError: no name of a file.
    """
    if not isinstance(path, (str, Path)) or not Path(path).name:
        raise UserError(f"journal is {brief(path)}; allowed: the path of a file, or None")
    try:
        place = Path(path).resolve()
        os.lstat(place.with_name(f".{place.name}{LONGEST}"))
    except FileNotFoundError:
        pass  # as it should be, beside a journal without states
    except (OSError, RuntimeError, ValueError) as error:  # too long, links in a circle, a character that none may have
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError(f"journal is {brief(path)}: {why}; allowed: the path of a file, or None") from error
    return place


def _opened(place: Path, shown: str | Path) -> int:
    """The descriptor of a file that is read and appended to.

    Raises:
        UserError: it cannot be written, or is no regular file.
    """
    try:
        if place.exists() and not place.is_file():  # to open a device or a pipe may already do something
            raise UserError(f"{shown}: cannot be a journal: it is no regular file; allowed: the path of a file")
        place.parent.mkdir(parents=True, exist_ok=True)
        return os.open(place, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o644)
    except OSError as error:
        raise UserError(f"{shown}: cannot be written: {error.strerror}") from error


def _is_at(handle: int, path: Path) -> bool:
    """Whether an open file has this name."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False


def trial_entry(trial: Trial) -> dict[str, Any]:
    """A trial as the journal holds it."""
    entry: dict[str, Any] = plain(asdict(trial))
    return entry


def _deaths(events: Sequence[Event]) -> tuple[dict[int, int], set[int]]:
    """How often a process died in each trial that was begun and not told, by its number, and all that are not told."""
    deaths, pending = Counter[int](), set[int]()
    for _, content in events:
        if isinstance(content, Trial):
            pending.add(content.number)
            deaths[content.number] += 1
        elif isinstance(content, Record):
            pending.discard(content.number)
            del deaths[content.number]
        elif "number" in content:
            deaths[content["number"]] += 1
        else:
            deaths.subtract(content.get("numbers", ()))
    return {number: count for number, count in deaths.items() if count > 0}, pending


def _require_numbers(content: Mapping[str, Any]) -> None:
    """Raise TypeError if the numbers of trials are something else."""
    numbers = [content["number"]] if "number" in content else content.get("numbers", [])
    if not isinstance(numbers, list) or not all(isinstance(number, int) for number in numbers):
        raise TypeError(f"number is {brief(numbers)}")
