"""Where data are searched for, in order: the folders of REPLICATION_DATA, then `data/` at the repository root.

Of an installed package, `data/` is that of the workplace (`core.foundation.workplace`).

Environment variables:

* `REPLICATION_DATA`: folders, separated by colons, each laid out as the catalogue's `file` paths. They are only read.
* `REPLICATION_MIRROR`: an address that serves copies of the canonical sites, each below its own host name, as
  `wget --recursive` lays them out: with `http://mirror/copies` the address `https://www.openml.org/api/x` is fetched
  from `http://mirror/copies/www.openml.org/api/x`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from core.data.catalogue import Entry
from core.foundation.workplace import workplace

FOLDERS_VARIABLE = "REPLICATION_DATA"
MIRROR_VARIABLE = "REPLICATION_MIRROR"


@dataclass(frozen=True)
class Network:
    """How downloads behave: the mirror, seconds without an answer before giving up on a try, the most seconds of a
    whole file, tries per address, and seconds before the second try, doubled before each further one."""

    mirror: str | None = None
    timeout: float = 30.0
    longest: float = 7200.0
    attempts: int = 4
    pause: float = 0.5


@dataclass(frozen=True)
class Places:
    """The read-only folders, the folder for downloads, and the network."""

    folders: tuple[Path, ...] = ()
    root: Path = field(default_factory=lambda: workplace() / "data")
    network: Network = field(default_factory=Network)

    @classmethod
    def from_environment(cls) -> Places:
        """The places given by the environment variables; one warning per process for a folder that does not exist."""
        folders = tuple(Path(part).expanduser() for part in os.environ.get(FOLDERS_VARIABLE, "").split(":") if part)
        for folder in folders:
            if not folder.is_dir():
                warn_once(f"{FOLDERS_VARIABLE}: {folder} is not a folder and is left out")
        return cls(folders=folders, network=Network(mirror=os.environ.get(MIRROR_VARIABLE) or None))

    def find(self, entry: Entry) -> tuple[Path, Path] | None:
        """The first file of an entry and the data folder it was found in; None if no folder has it."""
        return next(self.find_all(entry), None)

    def find_all(self, entry: Entry) -> Iterator[tuple[Path, Path]]:
        """All files of an entry, each with the data folder it was found in, in the order of the folders."""
        for folder in (*self.folders, self.root) if entry.file else ():
            if (folder / entry.file).is_file():
                yield folder / entry.file, folder

    def describe(self) -> str:
        """The folders in words, for messages."""
        return ", ".join([*(f"{folder} ({FOLDERS_VARIABLE})" for folder in self.folders), str(self.root)])


@cache
def warn_once(message: str) -> None:
    """Print a warning on standard error, each message once per process."""
    print(f"warning: {message}", file=sys.stderr)
