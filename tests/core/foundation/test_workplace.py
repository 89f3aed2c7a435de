"""Where results, figures and data lie: in the clone, or in a folder of the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.foundation.installation import CODE, VARIABLE, about, is_clone, workplace


@pytest.fixture
def installed(tmp_path) -> Path:
    """A folder with the package and without the repository around it."""
    (tmp_path / "site-packages" / "core" / "foundation").mkdir(parents=True)
    (tmp_path / "site-packages" / "core" / "foundation" / "installation.py").touch()
    return tmp_path / "site-packages"


def test_a_clone_is_its_own_workplace(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert is_clone() and workplace() == CODE == Path(__file__).resolve().parents[3]


def test_an_installed_package_uses_the_current_folder_or_the_one_that_is_named(installed, monkeypatch, tmp_path):
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    monkeypatch.delenv(VARIABLE, raising=False)
    assert workplace(installed) == (tmp_path / "mine").resolve()
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert workplace(installed) == tmp_path.resolve()


def test_where_shipped_runs_come_from_is_said(tmp_path):
    assert f"the package ships no raw runs: they are in results/reference of the repository, and {VARIABLE}=" in about(
        tmp_path
    )
    (tmp_path / "results" / "reference").mkdir(parents=True)
    assert about(tmp_path).endswith(f"shipped raw runs come from {tmp_path}/results/reference")
