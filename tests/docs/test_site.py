"""The whole site: MkDocs makes it without a warning, every link leads somewhere, and a bad one would be noticed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from docs.pages.__main__ import build, check
from docs.pages.names import PACKAGES, Names

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-docs" / "bin" / "python"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if not PYTHON.is_file():
        pytest.skip("make docs installs MkDocs")
    folder = tmp_path_factory.mktemp("built")
    build(ROOT, folder)
    return folder


def mkdocs(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [PYTHON, "-m", "mkdocs", "build", "--strict", "--config-file", folder / "mkdocs.yml"]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, env=quiet)


def test_the_site_is_made_and_a_bad_link_is_noticed(folder):
    done = mkdocs(folder)
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr
    check(folder / "site")
    names = Names(ROOT)
    for package in PACKAGES:
        page = (folder / "site" / "reference" / f"{package}.html").read_text()
        missing = [name for name, full in names.public(package).items() if f'id="{full}"' not in page]
        assert not [name for name in missing if f'id="{package}.{name}"' not in page]
    page = folder / "docs" / "docs" / "verdicts.md"
    page.write_text(page.read_text() + "\n[a](nowhere.md) [b](minimize.md#nowhere) [`c`][core.nowhere]\n")
    done = mkdocs(folder)
    assert done.returncode and all(bad in done.stderr for bad in ("'nowhere.md'", "'#nowhere'", "'core.nowhere'"))
