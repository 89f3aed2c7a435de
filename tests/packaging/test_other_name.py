"""The library under the name of its distribution."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_both_names_are_one_library():
    from hpo_replications.models.dngo import DNGO

    import core
    import core.models.dngo
    import hpo_replications

    assert hpo_replications.minimize is core.minimize and hpo_replications.models is core.models
    assert DNGO is core.models.dngo.DNGO and core.models.__spec__.name == "core.models"
    assert set(dir(hpo_replications)) == set(core.__all__)
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'hpo_replications\.nothing'"):
        import hpo_replications.nothing


def test_another_core_is_named(tmp_path):
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").write_text("__all__ = []\n")
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]; import hpo_replications"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and last.startswith("ImportError: hpo_replications needs its own package `core`")
    assert str(tmp_path / "core" / "__init__.py") in last


def test_its_stub_is_that_of_core():
    assert (ROOT / "hpo_replications/__init__.pyi").read_text() == (ROOT / "core/__init__.pyi").read_text()
