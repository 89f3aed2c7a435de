"""docs/: every path, module and link in it leads to something, and the page on architecture stays a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs").glob("**/*.md"))
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)+|[\w-]+\.(?:toml|md))`")

MADE = ("figures/", "results/run/")
"""Folders whose files are made by commands."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_lead_somewhere(page):
    text = page.read_text()
    for path in PATH.findall(text):
        assert path.startswith(MADE) or (ROOT / path).exists(), path
    for target in re.findall(r"\]\(([^)\s#]+)", text):
        assert target.startswith("http") or (page.parent / target).exists(), target


def test_the_architecture_is_a_page_that_names_every_room():
    text = (ROOT / "docs" / "architecture.md").read_text()
    assert len(text.splitlines()) <= 120
    assert len(PATH.findall(text)) > 50
    rooms = {f"core/{path.parent.name}" for path in (ROOT / "core").glob("*/__init__.py")}
    rooms |= {f"core/report/{path.parent.name}" for path in (ROOT / "core/report").glob("*/__init__.py")}
    assert rooms <= set(PATH.findall(text)), rooms - set(PATH.findall(text))
