"""Changes of settings in existing raw-run files, where only their names or their place have changed.

Only the metadata change: the resolved settings, their hash, and a note under `migrated` with the settings that
changed, before and after, and the commit. The records are written back unchanged, and the file is sealed again.
Cells that have read it stay usable: it names the digest it had, see `core.experiment.needs`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from core.errors import UserError
from core.experiment import SCALES
from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell
from core.experiment.checksums import unlist
from core.experiment.needs import formerly
from core.experiment.provenance import commit
from core.experiment.storage import read_table, write_table

Values = dict[str, Any]
"""Settings as they are recorded."""
Change = Callable[[Values], Values]
"""From recorded settings to those that mean the same today; these it returns as they are."""


class Renaming(NamedTuple):
    """The setting `key` changes from `old` to `new`."""

    key: str
    old: Any
    new: Any

    def __call__(self, settings: Values) -> Values:
        """The settings with the new value; raises UserError if it is neither the old nor the new one."""
        if (found := settings.get(self.key)) not in (self.old, self.new):
            raise UserError(f"{self.key} is {found!r}; allowed: {self.old!r}")
        return {**settings, self.key: self.new}


class Migration(NamedTuple):
    """A change of the settings of the cells that match a pattern, see `core.experiment.selection`."""

    cells: str
    change: Change


def migrate(root: Path, migrations: Iterable[Migration]) -> list[Path]:
    """Change the settings in all raw runs below a repository's root, and return the files that were written.

    Raises:
        UserError: as `migrate_file`.
    """
    catalogue, by = Catalogue(root), commit(root).removesuffix("+changes")  # migrations are committed
    written = []
    for cells, change in migrations:
        for scale in SCALES:
            for cell in catalogue.find_cells(cells, scale):
                paths = (cell.path(catalogue.root, source) for source in ("reference", "run"))
                written += [path for path in paths if migrate_file(cell, path, change, by)]
    unlist(catalogue.root / "results" / "reference", written)
    return written


def migrate_file(cell: Cell, path: Path, change: Change, commit: str) -> bool:
    """Change the settings in the file of a cell, if it exists and has not today's; returns whether it did so.

    Args:
        commit: commit of the code that migrates.

    Raises:
        UserError: the change does not apply to the file's settings, or they do not match their hash.
        ValidationError: the changed settings are invalid.
    """
    if not path.exists():
        return False
    table, found = read_table(path)
    before = found["settings"]
    try:
        after = change(before)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    if after == before:
        return False
    if found["settings_hash"] != cell.hash_with(before):
        raise UserError(f"{path}: settings that do not match their hash; allowed: those that were recorded")
    changed = replace(cell, settings=type(cell.settings).of_record(after))
    note = {"from": _missing_from(after, before), "to": _missing_from(before, after)}
    note |= {"settings_hash": found["settings_hash"], "commit": commit}
    recorded = {"settings": json.loads(changed.settings.model_dump_json()), "settings_hash": changed.settings_hash}
    migrated = {"migrated": [*found.get("migrated", []), note]}
    write_table(path, table, {**found, **recorded, **migrated, **formerly(path, found)})
    return True


def _missing_from(some: Values, others: Values) -> Values:
    """Those settings of `others` that `some` has not, or with another value."""
    return {key: value for key, value in others.items() if key not in some or some[key] != value}
