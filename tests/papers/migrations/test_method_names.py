"""Shipped records whose methods were renamed in their settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.experiment.catalogue import Catalogue
from core.experiment.results import inspect_cell
from core.experiment.storage import read_records
from papers.migrations.method_names import RENAMINGS, migrate

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("renaming", RENAMINGS, ids=lambda renaming: renaming.cells)
def test_migrated_records_are_current_and_say_what_they_were(renaming):
    catalogue = Catalogue(ROOT)
    for cell in catalogue.find_cells(renaming.cells, "quick"):
        info = inspect_cell(cell, ROOT, "reference")
        assert info.present and not info.stale, cell.name
        records, found = read_records(cell.path(ROOT, "reference"))
        assert len(records) and found["settings"][renaming.key] == renaming.new
        (note,) = found["migrated"]
        assert (note["setting"], note["from"], note["to"]) == renaming[1:] and len(note["commit"]) == 40
        assert cell.hash_with({**found["settings"], renaming.key: renaming.old}) == note["settings_hash"]


def test_nothing_is_left_to_migrate(tmp_path):
    (tmp_path / "results").mkdir()
    for folder in ("papers", "results/reference"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    assert migrate(tmp_path) == []
