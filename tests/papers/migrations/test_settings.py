"""Shipped files whose settings were changed: nothing is left to change, and their notes say what they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.experiment import SCALES
from core.experiment.catalogue import Catalogue
from core.experiment.migration import migrate
from core.experiment.results import inspect_cell
from core.experiment.storage import read_provenance
from papers.migrations import method_names, one_method_key
from papers.migrations.one_method_key import one_key

ROOT = Path(__file__).parents[3]
MIGRATIONS = method_names.MIGRATIONS + one_method_key.MIGRATIONS


def before(settings, note):
    """The settings that a note of a migration says there were."""
    old, new = note["from"], note["to"]
    if "setting" in note:  # as notes were when a migration changed one value
        old, new = {note["setting"]: old}, {note["setting"]: new}
    assert new.items() <= settings.items()
    return {**{key: value for key, value in settings.items() if key not in new}, **old}


@pytest.mark.parametrize("cells", dict.fromkeys(migration.cells for migration in MIGRATIONS))
def test_migrated_files_say_what_they_were(cells):
    """The settings of a file and those before each of its migrations all have the hashes that it records."""
    catalogue, shipped = Catalogue(ROOT), 0
    for cell in (cell for scale in SCALES for cell in catalogue.find_cells(cells, scale)):
        path = cell.path(ROOT, "reference")
        if not path.exists():
            assert cell.scale != "quick", cell.name
            continue
        assert not inspect_cell(cell, ROOT, "reference").stale, cell.name
        found, shipped = read_provenance(path), shipped + 1
        settings = found["settings"]
        assert cell.hash_with(settings) == found["settings_hash"], cell.name
        for note in reversed(found.get("migrated", [])):  # a cell that was run again has none
            settings = before(settings, note)
            assert cell.hash_with(settings) == note["settings_hash"] and len(note["commit"]) == 40
    assert shipped


def test_nothing_is_left_to_migrate(tmp_path):
    (tmp_path / "results").mkdir()
    for folder in ("papers", "results/reference"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    assert migrate(tmp_path, MIGRATIONS) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"optimizer": "model", "model": "gp"}, {"optimizer": "gp"}),
        ({"optimizer": "smac", "model": None}, {"optimizer": "smac"}),
        ({"optimizer": "model", "model": "bohamiann"}, {"optimizer": "bohamiann", "raise_friction": True}),
        ({"optimizer": "model", "model": "mt_bohamiann"}, {"optimizer": "mt_bohamiann", "raise_friction": True}),
        ({"optimizer": "model", "model": "bohamiann", "raise_friction": False}, {"optimizer": "bohamiann"}),
    ],
)
def test_two_keys_become_one_and_the_friction_is_said(old, new):
    other = {"evaluations": 5}
    assert one_key(old | other) == new | other
    assert one_key(new | other) == new | other
