"""Write the site's pages and their order below build/, for MkDocs, or check what it has made of them.

python -m docs.pages            # pages in build/docs, their order in build/mkdocs.yml
python -m docs.pages check      # links and anchors of build/site
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import yaml

from core.foundation.files import write_whole
from core.study.methods import METHODS
from docs.pages import copied, examples, links, methods, reference
from docs.pages.copied import Site
from docs.pages.names import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
GUIDES = ("docs/installing.md", "docs/minimize.md", "docs/which-method.md", "docs/optuna.md", "docs/botorch.md")
TUTORIALS = tuple(
    f"docs/tutorials/{name}.md" for name in ("scikit_learn", "checkpoints", "own_optimizer", "surrogates", "warm_start")
)
HOW_IT_IS_MADE = ("docs/verdicts.md", "docs/architecture.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")


def build(root: Path, folder: Path) -> None:
    """Write everything that MkDocs needs below a folder, which is emptied first."""
    shutil.rmtree(folder / "docs", ignore_errors=True)
    site = Site(root, folder / "docs")
    copied.copy(site)
    methods.write(site)
    examples.write(site)
    reference.write(site)
    site.finish()
    settings = {"INHERIT": str(root / "mkdocs.yml"), "docs_dir": "docs", "site_dir": "site", "nav": order(root)}
    write_whole(folder / "mkdocs.yml", lambda stream: stream.write(yaml.safe_dump(settings, sort_keys=False).encode()))


def order(root: Path) -> list[Any]:
    """The pages in the order of the menu, by section."""
    found = list(copied.pages(root))
    made = [page for page in found if page in HOW_IT_IS_MADE]
    guides = [page for page in found if page.startswith("docs/") and page not in (*made, *TUTORIALS)]
    others = [page for page in guides if page.count("/") > 1]
    return [
        {"Home": ["README.md"]},
        {"Guide": sorted(set(guides) - set(others), key=_place)},
        {"Tutorials": [*TUTORIALS, *others, examples.PAGE, *map(examples.page_of, examples.files(root))]},
        {"Methods": [methods.PAGE, *map(methods.page_of, METHODS)]},
        {"Reference": [reference.PAGE, *map(reference.page_of, PACKAGES)]},
        {"Papers": [page for page in found if page.startswith("papers/")]},
        {"How it is made": sorted(made, key=HOW_IT_IS_MADE.index)},
    ]


def _place(page: str) -> tuple[int, str]:
    """What guides are sorted by: those that are named in `GUIDES` come first."""
    return (GUIDES.index(page) if page in GUIDES else len(GUIDES), page)


def check(site: Path) -> None:
    """Print what was checked; raises SystemExit with the links that lead nowhere."""
    pages = links.read(site)
    if found := list(links.broken(site, pages)):
        raise SystemExit("\n".join([*found, f"{len(found)} links lead nowhere"]))
    number = sum(len(page.links) + len(page.parts) for page in pages.values())
    print(f"{number} links on {len(pages)} pages lead somewhere")


if __name__ == "__main__":
    if sys.argv[1:] == ["check"]:
        check(ROOT / "build" / "site")
    elif not sys.argv[1:]:
        build(ROOT, ROOT / "build")
    else:
        raise SystemExit(__doc__)
