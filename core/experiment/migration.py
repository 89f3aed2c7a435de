"""A setting gets another name for the same thing: raw-run files made before say it in the new words.

Only the metadata change: the resolved settings, their hash, and a note under `migrated` that says what it was, what it
is now and by which commit. The records are written back as they are, and the file is sealed anew.
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
    """In cells that match the pattern, the setting `key` says `new` where it said `old`."""

    cells: str
    key: str
    old: Any
    new: Any


def rename(cell: Cell, path: Path, renaming: Renaming, commit: str) -> bool:
    """Carry a renaming over to the file of a cell, if that is there and not yet migrated; whether it was.

    Args:
        commit: of the code that migrates.

    Raises:
        UserError: the file's settings are neither the old nor the new ones, or are not valid with the new name.
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
