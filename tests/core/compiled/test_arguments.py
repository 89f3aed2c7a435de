"""The disk cache of compiled functions: what another version has left there is not read."""

from __future__ import annotations

from core.compiled.arguments import fingerprint, forget_other_versions


def test_indices_of_another_version_are_removed_once(tmp_path):
    """They may name modules that are gone, which numba does not survive."""
    (tmp_path / "sghmc.advance-85.py311.nbi").touch()
    (tmp_path / "sghmc.advance-85.py311.1.nbc").touch()
    forget_other_versions(tmp_path, "now")
    assert {path.suffix for path in tmp_path.iterdir()} == {".nbc", ""}
    (tmp_path / "sghmc.advance-85.py311.nbi").touch()
    forget_other_versions(tmp_path, "now")
    assert (tmp_path / "sghmc.advance-85.py311.nbi").exists()
    forget_other_versions(tmp_path, "later")
    assert not (tmp_path / "sghmc.advance-85.py311.nbi").exists()


def test_a_folder_that_is_not_there_stays_so(tmp_path):
    forget_other_versions(tmp_path / "none", "now")
    assert not (tmp_path / "none").exists() and len(fingerprint()) == 64
