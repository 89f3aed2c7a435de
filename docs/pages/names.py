"""Where the site shows a name of `core`: a public one in the reference, any other on the page of its module's source.

Imports nothing but the standard library, because MkDocs, which uses it too, has an environment without the library.
"""

from __future__ import annotations

import ast
import re
from functools import cached_property
from pathlib import Path

PACKAGES = (
    "core",
    "core.study",
    "core.study.methods",
    "core.optimizers",
    "core.acquisition",
    "core.models",
    "core.samplers",
    "core.objectives",
    "core.integrations",
)
"""The packages whose public names the reference has."""
MENTION = re.compile(r"(?<!\[)`(core(?:\.\w+)+)`")


class Names:
    """The names of `core`.

    Args:
        root: Folder of the repository.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def public(self, package: str) -> dict[str, str]:
        """The public names of a package, each with its full name where it is defined, from its `__init__.pyi`."""
        stub = ast.parse((self.root / package.replace(".", "/") / "__init__.pyi").read_text())
        imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
        return {alias.asname or alias.name: f"{node.module}.{alias.name}" for node in imports for alias in node.names}

    @cached_property
    def homes(self) -> dict[str, str]:
        """The innermost package that has a public name, by the full name."""
        ordered = sorted(PACKAGES, key=lambda package: package.count("."))
        return {full: package for package in ordered for full in self.public(package).values()}

    def source(self, dotted: str) -> str | None:
        """The file of the module that a name is, or is in."""
        parts = dotted.split(".")
        for end in range(len(parts), 1, -1):
            path = "/".join(parts[:end])
            found = [each for each in (f"{path}.py", f"{path}/__init__.py") if (self.root / each).is_file()]
            if found:
                return found[0]
        return None

    def anchor(self, dotted: str) -> str | None:
        """What a link to a name must lead to: its full name if it is public, or that of its module."""
        package, _, name = dotted.rpartition(".")
        full = self.public(package).get(name, dotted) if package in PACKAGES else dotted
        return full if full in self.homes else module_of(self.source(dotted))

    def linked(self, text: str) -> str:
        """The text, in which names of `core` between backticks are links."""

        def link(match: re.Match[str]) -> str:
            anchor = self.anchor(match[1])
            return f"[{match[0]}][{anchor}]" if anchor else match[0]

        return MENTION.sub(link, text)

    def sources(self, text: str) -> set[str]:
        """The files that must have a page because the text mentions what is in them and is not public."""
        anchors = {self.anchor(mention) for mention in MENTION.findall(text)}
        return {str(self.source(anchor)) for anchor in anchors if anchor and anchor not in self.homes}


def module_of(source: str | None) -> str | None:
    """The name of the module in a file."""
    return source and source.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
