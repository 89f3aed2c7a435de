"""What docstrings say of single arguments and attributes, as text. Imports nothing but the standard library."""

from __future__ import annotations

import inspect
import re

SECTION = re.compile(r"^(Args|Attributes):\n((?:    .*\n|\n)+)", re.MULTILINE)
ENTRY = re.compile(r"^    (\w+(?:, \w+)*): (.*(?:\n {8,}.*)*)", re.MULTILINE)


def entries(docstring: str) -> dict[str, str]:
    """What is said of each name in the sections of arguments and attributes, on one line; the first one counts."""
    found: dict[str, str] = {}
    for _, body in SECTION.findall(f"{inspect.cleandoc(docstring)}\n"):
        for names, said in ENTRY.findall(body):
            for name in names.split(", "):
                found.setdefault(name, " ".join(said.split()))
    return found


def one_by_one(docstring: str) -> str:
    """The docstring in which names that share an entry have one each, as tools expect."""

    def split(entry: re.Match[str]) -> str:
        return "\n".join(f"    {name}: {entry[2]}" for name in entry[1].split(", "))

    return SECTION.sub(lambda match: ENTRY.sub(split, match[0]), f"{inspect.cleandoc(docstring)}\n")
