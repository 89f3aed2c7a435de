"""Pages of the repository on the site: links lead to pages, pictures come along, programs are fenced."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.pages.__main__ import order
from docs.pages.copied import Site, copy, pages

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def site(tmp_path):
    return Site(ROOT, tmp_path)


@pytest.mark.parametrize(
    "page, text, wanted",
    [
        ("README.md", "[a](docs/verdicts.md)", "[a](docs/verdicts.md)"),
        ("README.md", "[a](papers/bohamiann)", "[a](papers/bohamiann/README.md)"),
        ("README.md", "[a](#speed) [b](https://example.org/core/foundation/files.py)", None),
        ("docs/verdicts.md", "[a](../core/foundation/files.py)", "[a](../core/foundation/files.py.md)"),
        (
            "docs/verdicts.md",
            "`core/foundation/files.py` and `core/nothing.py`",
            "[`core/foundation/files.py`](../core/foundation/files.py.md) and `core/nothing.py`",
        ),
        (
            "docs/verdicts.md",
            "`core.models.GaussianProcess`",
            "[`core.models.GaussianProcess`][core.models.gaussian_process.GaussianProcess]",
        ),
        ("docs/verdicts.md", "`core.models.matern.Matern`", "[`core.models.matern.Matern`][core.models.matern]"),
        ("docs/verdicts.md", "`core.nothing`, [`core.models.matern`](x.md)", None),
        ("docs/verdicts.md", "```python\na(`core/foundation/files.py`)\n```\n", None),
    ],
)
def test_links(site, page, text, wanted):
    assert site.linked(page, text) == (text if wanted is None else wanted)


def test_files_that_are_linked_to_get_a_page_with_a_place_of_their_module(site):
    site.write("docs/one.md", "[a](../core/foundation/files.py) `core.models.matern` `profiles/default/config.yaml`")
    site.finish()
    shown = (site.folder / "core/foundation/files.py.md").read_text()
    assert "# core/foundation/files.py { #core.foundation.files }\n\n```python\n" in shown
    assert (ROOT / "core/foundation/files.py").read_text() in shown
    assert "{ #core.models.matern }" in (site.folder / "core/models/matern.py.md").read_text()
    assert "```yaml" in (site.folder / "profiles/default/config.yaml.md").read_text()


def test_a_page_that_was_written_is_kept(site):
    site.write("core/foundation/files.py.md", "# Mine")
    site.write("docs/one.md", "`core/foundation/files.py`")
    site.finish()
    assert (site.folder / "core/foundation/files.py.md").read_text() == "# Mine"


def test_a_picture_comes_along(site):
    site.write("docs/one.md", "![a](../figures/readme/field.png)")
    copied = site.folder / "figures/readme/field.png"
    assert copied.read_bytes() == (ROOT / "figures/readme/field.png").read_bytes()


def test_every_page_is_once_in_the_menu():
    listed = [page for section in order(ROOT) for pages in section.values() for page in pages]
    assert sorted(set(listed)) == sorted(listed)
    assert set(pages(ROOT)) <= set(listed)


def test_every_page_of_the_repository_is_taken_over(site):
    copy(site)
    for page in pages(ROOT):
        assert (site.folder / page).is_file(), page
    papers = {path.parent.name for path in ROOT.glob("papers/*/paper.yaml")}
    assert papers == {path.parent.name for path in site.folder.glob("papers/*/README.md")}
    assert "```python\nfrom core import minimize" in (site.folder / "README.md").read_text()
