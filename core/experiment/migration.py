"""Renaming a value of a setting in existing raw-run files.

Only the metadata change: the resolved settings, their hash, and a note under `migrated` with the old value, the new
one and the commit. The records are written back unchanged, and the file is sealed again.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from core.errors import UserError
from core.experiment.cells import Cell
from core.experiment.storage import read_table, write_table


class Renaming(NamedTuple):
    """In cells that match the pattern, the setting `key` changes from `old` to `new`."""

    cells: str
    key: str
    old: Any
    new: Any


def rename(cell: Cell, path: Path, renaming: Renaming, commit: str) -> bool:
    """Apply a renaming to the file of a cell, if it exists and is not yet migrated; returns whether it did so.

    Args:
        commit: commit of the code that migrates.

    Raises:
        UserError: the file's settings are neither the old nor the new ones, or are invalid with the new name.
    """
    if not path.exists():
        return False
    table, found = read_table(path)
    key, settings = renaming.key, found["settings"]
    if settings.get(key) == renaming.new:
        return False
    if settings.get(key) != renaming.old or found["settings_hash"] != cell.hash_with(settings):
        raise UserError(
            f"{path}: {key} is {settings.get(key)!r}; allowed: {renaming.old!r}, in settings that match the hash"
        )
    renamed = type(cell.settings).model_validate({**settings, key: renaming.new})
    hashed = replace(cell, settings=renamed).settings_hash
    note = {"setting": key, "from": renaming.old, "to": renaming.new, "settings_hash": found["settings_hash"]}
    changed = {"settings": json.loads(renamed.model_dump_json()), "settings_hash": hashed}
    migrated = [*found.get("migrated", []), {**note, "commit": commit}]
    write_table(path, table, {**found, **changed, "migrated": migrated})
    return True
