"""Whether every link of a built site leads to something: a page or file of it, and on the page the place that is named.

Links to other sites are checked for their form only, so that a check needs no network.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

OUTSIDE = ("http", "https", "mailto")
LINKS = {"a": "href", "link": "href", "img": "src", "script": "src"}
IN_ADDRESSES = "__search"  # of the theme's script, which reads it from the page's address


class Page(HTMLParser):
    """A page's links and the places on it that can be linked to.

    Args:
        text: The page's HTML.

    Attributes:
        links: Targets of the links, pictures, style sheets and programs, in order.
        places: Values of all attributes `id`, and of `name` of anchors.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Remember what a tag links to and what it is called."""
        given = dict(attributes)
        self.places |= {name for name in (given.get("id"), given.get("name") if tag == "a" else None) if name}
        if (target := given.get(LINKS.get(tag, ""))) is not None:
            self.links.append(target)


def read(site: Path) -> dict[Path, Page]:
    """All pages of a site."""
    return {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}


def broken(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """A line for each link that leads nowhere: the page, the target and what is wrong."""
    for path, page in pages.items():
        for target in dict.fromkeys(page.links):
            if wrong := _wrong(path, target, site, pages):
                yield f"{path.relative_to(site)}: {target}: {wrong}"


def _wrong(path: Path, target: str, site: Path, pages: dict[Path, Page]) -> str:
    """What is wrong with a link of a page; empty if nothing is."""
    try:
        parts = urlsplit(target)
    except ValueError as error:
        return str(error)
    if parts.scheme or parts.netloc:
        good = parts.scheme in OUTSIDE and (parts.netloc or parts.scheme == "mailto") and " " not in target
        return "" if good else "is no address"
    start = site if parts.path.startswith("/") else path.parent
    found = Path(os.path.normpath(start / unquote(parts.path).lstrip("/"))) if parts.path else path
    found = found / "index.html" if found.is_dir() else found
    if not found.is_relative_to(site) or not found.is_file():
        return "no such file"
    place = unquote(parts.fragment)
    if place and place != IN_ADDRESSES and found in pages and place not in pages[found].places:
        return f"no place {place!r} on that page"
    return ""
