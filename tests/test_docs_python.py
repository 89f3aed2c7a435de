"""The Python in docs/ runs as printed, page by page; what the page on `minimize` prints is in test_readme_python.py."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from docs.pages.programs import blocks, is_python

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    page
    for page in sorted((ROOT / "docs").glob("*.md"))
    if page.stem != "minimize" and any(map(is_python, blocks(page.read_text())))
]


def test_these_pages_have_python():
    assert {"botorch", "installing", "optuna"} <= {page.stem for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": page.stem}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        for block in filter(is_python, blocks(page.read_text())):
            exec(block, names)
    if page.stem == "botorch":
        assert names["x"].shape == (1, 2) and (names["x"] - 0.3).abs().max() < 0.35
    if page.stem == "optuna":
        assert names["study"].best_value < 0.3
