"""An extension of griffe, by which mkdocstrings reads docstrings as they are written here; MkDocs alone imports it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from griffe import Extension, Object

from docs.pages.described import one_by_one
from docs.pages.names import Names


class Docstrings(Extension):
    """Gives names that share an entry one each, and makes links of the names of `core`."""

    def __init__(self) -> None:
        self.names = Names(Path(__file__).resolve().parents[2])

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = self.names.linked(one_by_one(obj.docstring.value))
