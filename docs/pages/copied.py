"""Pages of the repository as pages of the site, which has the same folders, so that relative links between pages stay.

A link to a picture takes the picture along, one to a folder leads to its README, and one to any other file, like a path
between backticks, to a page that shows the file.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from core.foundation.files import write_whole
from docs.pages.names import Names, module_of
from docs.pages.programs import fenced, program

LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")
PATH = re.compile(r"(?<!\[)`([\w.-]+(?:/[\w.-]+)+\.(?:py|yaml))`")
FENCED = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
PICTURES = {".png", ".svg"}
SHOWN = {".py": "python", ".yaml": "yaml", ".toml": "toml", ".csv": "text"}
UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n"
FOLDERS = ("docs/*.md", "docs/tutorials/*.md", "papers/*/*.md")
STYLE = "docs/site.css"
SINGLE = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")


class Site:
    """The folder from which MkDocs makes the site.

    Args:
        root: Folder of the repository.
        folder: Folder to write to.

    Attributes:
        names: Names of `core`.
        shown: Files of the repository, as paths in it, for which some page wants a page.
        written: Pages that were written.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder, self.names = root, folder, Names(root)
        self.shown: set[str] = set()
        self.written: set[str] = set()

    def write(self, page: str, text: str) -> None:
        """Write a page, named by its path in the repository, with its links as they must be on the site."""
        self.written.add(page)
        self._put(page, self.linked(page, text).encode())

    def linked(self, page: str, text: str) -> str:
        """A page's text: links and paths outside of programs lead to pages of the site."""
        parts, place = [], 0
        for block in FENCED.finditer(text):
            parts += [self._outside(page, text[place : block.start()]), block[0]]
            place = block.end()
        return "".join([*parts, self._outside(page, text[place:])])

    def take(self, path: str) -> None:
        """Take a file of the repository along as it is."""
        self._put(path, (self.root / path).read_bytes())

    def finish(self) -> None:
        """Write the pages of the files that others lead to."""
        for path in sorted(path for path in self.shown if f"{path}.md" not in self.written):
            text = (self.root / path).read_text()
            shown = program(text.rstrip("\n"), SHOWN.get(PurePosixPath(path).suffix, "text"))
            anchor = f" {{ #{module_of(path)} }}" if path.endswith(".py") else ""
            self._put(f"{path}.md", f"{UNSEARCHED}\n# {path}{anchor}\n\n{shown}\n".encode())

    def show(self, path: str) -> str:
        """The page that will show a file of the repository."""
        self.shown.add(path)
        return f"{path}.md"

    def _outside(self, page: str, text: str) -> str:
        text = LINK.sub(lambda match: self._target(page, match[1]), text)
        text = PATH.sub(lambda match: self._mentioned(page, match), text)
        self.shown |= self.names.sources(text)
        return self.names.linked(text)

    def _target(self, page: str, target: str) -> str:
        """What a link of a page to a file or folder must be on the site."""
        path = os.path.normpath(PurePosixPath(page).parent / target)
        source = self.root / path
        if source.is_dir() and path != ".":
            return _relative(f"{path}/README.md", page)
        if source.suffix in PICTURES:
            self.take(path)
            return target
        return target if source.suffix == ".md" or not source.is_file() else _relative(self.show(path), page)

    def _mentioned(self, page: str, match: re.Match[str]) -> str:
        known = (self.root / match[1]).is_file()
        return f"[{match[0]}]({_relative(self.show(match[1]), page)})" if known else match[0]

    def _put(self, path: str, content: bytes) -> None:
        write_whole(self.folder / path, lambda stream: stream.write(content))


def pages(root: Path) -> Iterator[str]:
    """The pages that the site takes over, as paths in the repository."""
    yield from SINGLE
    for pattern in FOLDERS:
        yield from sorted(path.relative_to(root).as_posix() for path in root.glob(pattern))


def copy(site: Site) -> None:
    """Write these pages, and the style sheet."""
    site.take(STYLE)
    for page in pages(site.root):
        site.write(page, fenced((site.root / page).read_text()))


def _relative(path: str, page: str) -> str:
    return os.path.relpath(path, PurePosixPath(page).parent)
