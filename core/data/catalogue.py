"""The data sets of all papers: shapes, targets, checksums and where each is published, from `catalogue/*.yaml`.

`rows` and `columns` count the table as it is stored, the target included. `file` is the path below any data folder.
Two checksums identify a set:

* `sha256`, of the bytes of the copy that this catalogue was made from (another writer of the same table differs);
* `fingerprint`, of what the table says, whatever its bytes (`core.data.fingerprint` defines it).

If both are missing, no copy was at hand: the shape is checked, and the content is pinned at the first download
(`core.data.pins`). `source` says how to download the set, `origin` in words where it comes from, `openml_tasks` under
which task numbers thesis Table E.1 lists it, and `note` what a user of the set must know.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from core.data.errors import DataError
from core.errors import UnknownNameError

FOLDER = Path(__file__).parent / "catalogue"
TASKS = ("regression", "classification", "hpo-table", "published raw runs")
FORMATS = ("table", "idx", "cifar10", "cifar100", "svhn")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OpenML(_Strict):
    """A data set of openml.org; its file, checksum and default target come from the JSON description of `id`."""

    kind: Literal["openml"]
    id: int = Field(gt=0)
    target: str | None = None  # the description's default target otherwise
    drop: tuple[str, ...] = ()  # row identifiers that the description does not declare


class Text(_Strict):
    """Delimited text at `url`, or in the `member` of the zip archive there."""

    kind: Literal["text"]
    url: str
    member: str | None = None
    separator: Literal["comma", "semicolon", "whitespace"] = "comma"
    names: tuple[str, ...] = ()  # if the text has no header line
    target: str
    drop: tuple[str, ...] = ()
    centred_digits: int | None = None  # subtract column means, then keep this many significant digits


class File(_Strict):
    """A file that is kept as it is published."""

    kind: Literal["file"]
    url: str
    md5: str | None = Field(default=None, pattern="^[0-9a-f]{32}$")


class Bundled(_Strict):
    """A data set bundled with scikit-learn: no file, no network."""

    kind: Literal["scikit-learn"]
    loader: str


class ByHand(_Strict):
    """A set without a repeatable download; `origin` says where to ask."""

    kind: Literal["by hand"]


Source = Annotated[OpenML | Text | File | Bundled | ByHand, Field(discriminator="kind")]


class Entry(_Strict):
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
    def is_table(self) -> bool:
        """Whether the set is one table, which includes the bundled ones; the others are images."""
        return self.format == "table" and not self.parts


@cache
def entries() -> dict[str, Entry]:
    """Every entry by name.

    Raises:
        DataError: a catalogue file is malformed; names file, entry and field.
    """
    found: dict[str, Entry] = {}
    for path in sorted(FOLDER.glob("*.yaml")):
        for name, fields in yaml.safe_load(path.read_text()).items():
            if name in found:
                raise DataError(f"{path}: data set {name!r} is already in the catalogue")
            try:
                found[name] = Entry(name=name, **fields)
            except ValidationError as error:
                raise DataError(f"{path}: {name}: {error}") from error
    for entry in found.values():
        for part in sum(entry.parts, ()):
            if part not in found:
                raise DataError(f"{FOLDER}: {entry.name}: its part {part!r} is not in the catalogue")
    return found


def lookup(name: str) -> Entry:
    """One entry.

    Raises:
        UnknownNameError: no such data set; suggests the nearest names.
    """
    known = entries()
    if name not in known:
        raise UnknownNameError("data set", name, known)
    return known[name]
