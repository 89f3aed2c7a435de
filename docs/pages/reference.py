"""The reference of the public names: a page for each package that has some; mkdocstrings puts the docstrings there."""

from __future__ import annotations

import ast
from pathlib import Path

from docs.pages.copied import Site
from docs.pages.names import PACKAGES, Names

PAGE = "reference/README.md"


def page_of(package: str) -> str:
    """The page of a package."""
    return f"reference/{package}.md"


def about(root: Path, package: str) -> str:
    """The docstring of a package."""
    return ast.get_docstring(ast.parse((root / package.replace(".", "/") / "__init__.py").read_text())) or ""


def text(names: Names, package: str) -> str:
    """The page of a package: its docstring, and a heading for each name, which mkdocstrings fills."""
    parts = [f"# {package}", about(names.root, package)]
    for name, full in names.public(package).items():
        home = names.homes[full]
        if home == package:
            parts.append(f"::: {full}\n    options:\n      heading: {name}\n      toc_label: {name}")
        else:
            parts.append(f"## {name} {{ #{package}.{name} }}\n\nThe same as [`{home}.{name}`][{full}].")
    return "\n\n".join(parts) + "\n"


def write(site: Site) -> None:
    """Write all pages, and one that lists them."""
    names = site.names
    rows = ["# Reference", "The public names, by package. Each imports what it needs when it is first used."]
    for package in PACKAGES:
        listed = ", ".join(f"[`{name}`][{full}]" for name, full in names.public(package).items())
        rows.append(f"## [{package}]({package}.md)\n\n{about(site.root, package).splitlines()[0]}\n\n{listed}")
        site.write(page_of(package), text(names, package))
    for full in names.homes:
        site.shown |= names.sources((site.root / str(names.source(full))).read_text())
    site.write(PAGE, "\n\n".join(rows) + "\n")
