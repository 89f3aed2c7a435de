"""Settings that change their names: what changes in a raw-run file, and what does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pandas as pd
import pytest
from pydantic import ValidationError

from core.errors import UserError
from core.experiment.cells import Cell
from core.experiment.checksums import LIST, unlist
from core.experiment.context import Context
from core.experiment.migration import Renaming, migrate_file
from core.experiment.needs import digest
from core.experiment.provenance import FORMERLY
from core.experiment.results import inspect_cell
from core.experiment.runner import run_cell
from core.experiment.settings import Settings
from core.experiment.storage import read_records


class Before(Settings):
    optimizer: Literal["tpe", "random"]
    evaluations: int = 3


class After(Settings):
    optimizer: Literal["optuna_tpe", "random"]
    evaluations: int = 3


class Short(Settings):
    name: str


OLD = Cell("toy", "search", "line", "tpe", "paper", 2, Before(optimizer="tpe"), "search")
NEW = replace(OLD, settings=After(optimizer="optuna_tpe"))
RENAMING = Renaming("optimizer", "tpe", "optuna_tpe")


def search(context: Context) -> pd.DataFrame:
    return pd.DataFrame({"run": context.runs, "loss": [0.1 + 0.2, float("nan")]})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    run_cell(OLD, search, tmp_path)
    return OLD.path(tmp_path, "run")


def test_the_settings_and_their_hash_are_todays_and_the_records_what_they_were(tmp_path, path):
    records, before = read_records(path)
    assert inspect_cell(NEW, tmp_path, "run").stale
    digest_before = digest(path)
    assert migrate_file(NEW, path, RENAMING, "abc")
    again, after = read_records(path)
    pd.testing.assert_frame_equal(again, records, check_exact=True)
    assert not inspect_cell(NEW, tmp_path, "run").stale
    assert after["settings"] == {"optimizer": "optuna_tpe", "evaluations": 3}
    names = {"from": {"optimizer": "tpe"}, "to": {"optimizer": "optuna_tpe"}}
    assert after["migrated"] == [{**names, "settings_hash": OLD.settings_hash, "commit": "abc"}]
    assert after[FORMERLY] == [digest_before]
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"settings", "settings_hash", "migrated", FORMERLY}


def test_it_is_done_once_and_files_that_are_absent_are_left_out(path):
    assert migrate_file(NEW, path, RENAMING, "abc")
    content = path.read_bytes()
    assert not migrate_file(NEW, path, RENAMING, "def") and path.read_bytes() == content
    assert not migrate_file(NEW, path.with_name("absent.parquet"), RENAMING, "abc")


def test_settings_may_come_and_go(path):
    """The note has what is gone under `from` and what is new under `to`."""
    short = replace(OLD, settings=Short(name="tpe"))
    assert migrate_file(short, path, lambda settings: {"name": settings["optimizer"]}, "abc")
    found = read_records(path)[1]
    (note,) = found["migrated"]
    assert note["from"] == {"optimizer": "tpe", "evaluations": 3} and note["to"] == {"name": "tpe"}
    assert found["settings"] == {"name": "tpe"} and found["settings_hash"] == short.settings_hash


def test_other_settings_are_refused(tmp_path, path):
    with pytest.raises(UserError, match="optimizer is 'tpe'; allowed: 'random'"):
        migrate_file(NEW, path, RENAMING._replace(old="random"), "abc")
    with pytest.raises(UserError, match="settings that do not match their hash"):
        migrate_file(replace(NEW, function="another"), path, RENAMING, "abc")
    with pytest.raises(ValidationError, match="optuna_tpe"):
        migrate_file(NEW, path, RENAMING._replace(new="hyperopt"), "abc")


def test_a_file_with_its_own_checksum_needs_no_line_in_the_list(tmp_path):
    (tmp_path / LIST).write_text("00  quick/a b.parquet\n11  quick/c.parquet\n")
    unlist(tmp_path, [tmp_path / "quick" / "a b.parquet", tmp_path.parent / "elsewhere.parquet"])
    assert (tmp_path / LIST).read_text() == "11  quick/c.parquet\n"
