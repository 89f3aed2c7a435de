"""Checkpoints: what an evaluation keeps for the same configuration on a larger budget.

A function with a parameter `state` gets a dictionary, empty at first. What it has put into it when it returns is there
again when the configuration is promoted, so that a training goes on rather than begins anew:

    def loss(configuration, budget, state):
        network = state.setdefault("network", None) or Network(configuration)
        for epoch in range(state.get("epochs", 0), round(budget)):
            ...
        state.update(network=network, epochs=round(budget))

A state is a file, named by its configuration and budget and written as a whole, so that a run that was killed finds it
again, and so do other workers. An evaluation gets the state of the largest budget below its own: whatever else has
happened, it starts from the same. An evaluation that fails leaves no state. The first line of a file is a checksum of
the rest: a state that was damaged counts as missing.

States are pickled, and who writes a pickle has code run by whoever reads it. So only you may write in the folder, and
only files that you own and nobody else may write are read; anything else there stops the search. This protects from
other users of a shared folder. It does not protect from a state that you have copied, unpacked or downloaded yourself:
resume no journal whose states somebody else wrote.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import pickle
import shlex
import stat
import warnings
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.foundation.errors import UserError, WriteError
from core.foundation.files import cannot_be_written, with_checksum, without_checksum, write_whole
from core.foundation.installation import needed_for
from core.study.evaluation import plain

ENDING = ".state"


@dataclass(frozen=True)
class States:
    """The states of a run.

    Attributes:
        folder: Folder of the files; it is made when the first one is written.
    """

    folder: Path

    def require_own(self) -> None:
        """Refuse states that others may have written, before any is read.

        Raises:
            UserError: as `read`.
        """
        for path in (self.folder, *self.folder.glob(f"*{ENDING}")):
            with suppress(FileNotFoundError):
                self._require_own(path, path.lstat())

    def read(self, configuration: Mapping[str, Any], budget: float | None) -> dict[str, Any]:
        """What was kept on the largest budget below this one; an empty dictionary if nothing was.

        Raises:
            UserError: others may have written it.
        """
        name = name_of(configuration)
        kept = [(_budget(path), path) for path in self.folder.glob(f"{name}-*{ENDING}")]
        below = [each for each in kept if budget is not None and each[0] < budget]
        for _, path in sorted(below, reverse=True):
            if (content := without_checksum(self._content(path))) is not None:
                state: dict[str, Any] = pickle.loads(content)
                return state
            warnings.warn(f"{path}: damaged, so what it kept counts as missing", RuntimeWarning, stacklevel=2)
        return {}

    def write(self, configuration: Mapping[str, Any], budget: float | None, state: Mapping[str, Any]) -> None:
        """Keep a state; an empty one is not kept.

        Raises:
            UserError: it cannot be pickled or written, or others may write in the folder.
        """
        if not state or budget is None:
            return
        with needed_for("a state that is kept"):
            import cloudpickle
        try:
            content = cloudpickle.dumps(dict(state))
        except Exception as error:
            raise UserError(f"state cannot be kept: {error}; allowed: what can be pickled") from error
        path = self.folder / f"{name_of(configuration)}-{budget!r}{ENDING}"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(cannot_be_written(path, error)) from error
        self._require_own(self.folder, self.folder.lstat())
        write_whole(path, lambda stream: stream.write(with_checksum(content)), mode=0o600)

    def keep(self, configurations: Collection[Mapping[str, Any]]) -> None:
        """Remove the states of all configurations but these, which may still be promoted."""
        names = set(map(name_of, configurations))
        for path in self.folder.glob(f"*{ENDING}"):
            if path.name.split("-")[0] not in names:
                path.unlink(missing_ok=True)

    def _content(self, path: Path) -> bytes:
        """The bytes of a file, which is checked once it is open, so that nobody can replace it in between."""
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            raise WriteError(f"{path}: cannot be read: {error.strerror}") from error
        with open(handle, "rb") as stream:
            self._require_own(path, os.fstat(handle))
            return stream.read()

    def _require_own(self, path: Path, found: os.stat_result) -> None:
        """Refuse what another user may have written.

        Raises:
            WriteError: so that it stops a search instead of being recorded as a failed evaluation.
        """
        if not (stat.S_ISDIR if path == self.folder else stat.S_ISREG)(found.st_mode):
            wrong = "is a link, or something else"
        elif found.st_uid != os.geteuid():
            wrong = f"belongs to user {found.st_uid}"
        elif found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            wrong = f"can be written by others (mode {stat.S_IMODE(found.st_mode):o})"
        else:
            return
        raise WriteError(
            f"{path}: {wrong}, and whoever writes a state has code run where it is read; allowed: what you alone can "
            f"write: remove it, or if nobody else wrote there, `chmod -R go-w {shlex.quote(str(self.folder))}`"
        )


def name_of(configuration: Mapping[str, Any]) -> str:
    """16 hexadecimal digits of a configuration."""
    text = json.dumps(plain(configuration), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _budget(path: Path) -> float:
    """The budget in the name of a file; infinite, so that it is never read, if it is no file of ours."""
    try:
        return float(path.name.removesuffix(ENDING).split("-", 1)[1])
    except ValueError:
        return math.inf
