"""Large raw-run files, written again in fewer bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.experiment import storage
from papers.migrations.encoding import migrate

ROOT = Path(__file__).parents[3]


@pytest.fixture
def old(tmp_path, monkeypatch):
    """A large file as older versions wrote it, and a small one; returns their folder."""
    folder = tmp_path / "results" / "reference"
    folder.mkdir(parents=True)
    (folder / "checksums").touch()
    monkeypatch.setattr(storage, "_mostly_differ", lambda column: False)
    walk = np.cumsum(np.random.default_rng(0).normal(size=40_000)) * 1e-3 + 1
    provenance = dict.fromkeys(storage.REQUIRED, 1)
    for name, rows in (("large", 40_000), ("small", 100)):
        records = pd.DataFrame({"run": 0, "status": "ok", "message": "", "value": walk[:rows]})
        storage.write_records(folder / f"{name}.parquet", records, provenance)
    monkeypatch.undo()
    return folder


def test_a_large_file_shrinks_once_and_holds_the_same(old):
    large = old / "large.parquet"
    (records, provenance), size = storage.read_records(large), large.stat().st_size
    (old / "checksums").write_text("0  large.parquet\n0  small.parquet\n")
    assert migrate(old.parents[1]) == [large]
    assert large.stat().st_size < 0.8 * size
    again, found = storage.read_records(large)
    pd.testing.assert_frame_equal(again, records, check_exact=True)
    assert found == provenance
    assert (old / "checksums").read_text() == "0  small.parquet\n"
    assert migrate(old.parents[1]) == []


def test_shipped_files_are_small():
    """A repository that travels; shipped runs stay below 40 MB."""
    assert sum(path.stat().st_size for path in (ROOT / "results/reference").rglob("*.parquet")) < 40e6
