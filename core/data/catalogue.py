"""The data sets of all papers (shapes, targets, checksums and where each is published, from `catalogue/*.yaml`), and
the folders in which they are looked for.

`rows` and `columns` count the table as it is stored, the target included. `file` is the path below any data folder.
Two checksums identify a set:

* `sha256`, of the bytes of the copy that this catalogue was made from (another writer of the same table differs);
* `fingerprint`, of what the table says, whatever its bytes (`core.data.verify` defines it).

If both are missing, no copy was at hand: the shape is checked, and the content is pinned at the first download
(`core.data.verify`). `source` says how to download the set, `origin` in words where it comes from, `openml_tasks` under
which task numbers thesis Table E.1 lists it, `licence` the terms that the source states, and `note` what a user of the
set must know.

Data are searched for in the folders of REPLICATION_DATA, then in `data/` at the repository root. Of an installed
package, `data/` is that of the workplace (`core.foundation.installation`).

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
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, ValidationError, model_validator

from core.data.errors import DataError
from core.foundation.errors import UnknownNameError
from core.foundation.files import read_mapping
from core.foundation.installation import workplace
from core.foundation.strict import Strict, explain

FOLDER = Path(__file__).parent / "catalogue"
TASKS = (
    "regression",
    "classification",
    "captions",
    "hpo-table",
    "hpo evaluations",
    "published raw runs",
    "published model",
)
FORMATS = ("table", "idx", "cifar10", "cifar100", "svhn", "coded images")
FORMS = (
    "arff",
    "fcnet pickle",
    "forest pickle",
    "logistic regression matlab",
    "svm grid",
    "curves json",
    "optimizer logs",
)


class OpenML(Strict):
    """A data set of openml.org; its file, checksum and default target come from the JSON description of `id`."""

    kind: Literal["openml"]
    id: int = Field(gt=0)
    target: str | None = None  # the description's default target otherwise
    drop: tuple[str, ...] = ()  # row identifiers that the description does not declare


class Text(Strict):
    """Delimited text at `url`, or in the `member` of the zip archive there."""

    kind: Literal["text"]
    url: str
    member: str | None = None
    separator: Literal["comma", "semicolon", "whitespace"] = "comma"
    names: tuple[str, ...] = ()  # if the text has no header line
    target: str
    drop: tuple[str, ...] = ()
    centred_digits: int | None = None  # subtract column means, then keep this many significant digits


class File(Strict):
    """A file that is kept as it is published."""

    kind: Literal["file"]
    url: str
    md5: str | None = Field(default=None, pattern="^[0-9a-f]{32}$")


class Repository(Strict):
    """Files of a public GitHub repository at a commit; `core.data.repositories` makes a table of them by their form."""

    kind: Literal["github"]
    repository: str = Field(pattern=r"^[\w.-]+/[\w.-]+$")
    commit: str = Field(pattern="^[0-9a-f]{40}$")
    files: tuple[str, ...] = Field(min_length=1)  # paths; a `*` stands for several files
    form: Literal[FORMS]


class Bundled(Strict):
    """A data set bundled with scikit-learn: no file, no network."""

    kind: Literal["scikit-learn"]
    loader: str


class ByHand(Strict):
    """A set without a repeatable download; `origin` says where to ask."""

    kind: Literal["by hand"]


def _kind(source: Any) -> str:
    """The tag of a source, as it is written in a file or made of that; tags in brackets stay out of messages."""
    return f"<{source.get('kind') if isinstance(source, dict) else getattr(source, 'kind', None)}>"


Source = Annotated[
    Annotated[OpenML, Tag("<openml>")]
    | Annotated[Text, Tag("<text>")]
    | Annotated[File, Tag("<file>")]
    | Annotated[Repository, Tag("<github>")]
    | Annotated[Bundled, Tag("<scikit-learn>")]
    | Annotated[ByHand, Tag("<by hand>")],
    Discriminator(
        _kind,
        custom_error_type="unknown_kind",
        custom_error_message="kind should be openml, text, file, github, scikit-learn or by hand",
    ),
]


class Entry(Strict):
    """One data set, one table, or one file of an image set; see the module for the fields."""

    name: str
    task: Literal[TASKS]
    format: Literal[FORMATS] = "table"
    file: str | None = Field(default=None, pattern=r"^[\w-]+/[\w.-]+$")
    rows: int = Field(gt=0)
    columns: int = Field(gt=0)
    target: str | None = None
    classes: int | None = Field(default=None, gt=1)
    sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    fingerprint: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    source: Source | None = None
    parts: tuple[tuple[str, ...], ...] = ()  # image sets: the entries of each official part, training first
    origin: str
    openml_tasks: tuple[int, ...] = ()
    licence: str = ""
    note: str = ""

    @model_validator(mode="after")
    def _consistent(self) -> Entry:
        if bool(self.parts) == bool(self.source):
            raise ValueError("exactly one of source and parts is needed")
        bundled = isinstance(self.source, Bundled)
        if (self.file is None) != (bundled or bool(self.parts)):
            raise ValueError("a file is needed, unless the set is bundled or made of parts")
        if self.format == "table" and not self.parts and self.target is None:
            raise ValueError("a table needs a target column")
        return self

    @property
    def most_bytes(self) -> int:
        """The most bytes that its download may have, and those that this unpacks to: many times what such sets need."""
        return 2**26 + self.rows * self.columns * (256 if self.format == "table" else 2)

    @property
    def is_table(self) -> bool:
        """Whether the set is one table, which includes the bundled ones; the others are images."""
        return self.format == "table" and not self.parts


@cache
def entries() -> dict[str, Entry]:
    """Every entry by name.

    Raises:
        UserError: a catalogue file is malformed; names file, entry, field, value and what is allowed.
    """
    catalogue: dict[str, Entry] = {}
    for path in sorted(FOLDER.glob("*.yaml")):
        for name, fields in read_mapping(path, "data sets by name").items():
            if name in catalogue:
                raise DataError(f"{path}: data set {name!r} is already in the catalogue")
            if not isinstance(fields, dict):
                raise DataError(f"{path}: {name} = {fields!r}: must be a mapping with the fields of a data set")
            try:
                catalogue[name] = Entry.model_validate({**fields, "name": name})
            except ValidationError as error:
                raise DataError(explain(error, lambda key, name=name, path=path: f"{path}: {name}.")) from error
    for entry in catalogue.values():
        for part in sum(entry.parts, ()):
            if part not in catalogue:
                raise DataError(f"{FOLDER}: {entry.name}: its part {part!r} is not in the catalogue")
    return catalogue


def lookup(name: str) -> Entry:
    """One entry.

    Raises:
        UnknownNameError: no such data set; suggests the nearest names.
    """
    known = entries()
    if name not in known:
        raise UnknownNameError("data set", name, known, "python -m core.data list")
    return known[name]


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
