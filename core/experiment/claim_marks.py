"""Which functions of a paper's claims/ are marked `@claim(artifact=...)`, read from their text without importing.

A drawing therefore imports only the modules with claims about it, and its dependencies are known without imports.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from core.errors import UserError, nearest
from core.experiment.modules import Folder


class Mark(NamedTuple):
    """A marked function; the artifact is None if it is not written as literal text."""

    module: str
    line: int
    function: str
    artifact: str | None

    @property
    def place(self) -> str:
        return f"{self.module.replace('.', '/')}.py, line {self.line}, {self.function}"


@lru_cache(maxsize=16)
def find_marks(folder: Folder) -> dict[str, list[Mark] | None]:
    """The marked functions of each module in order; None if it cannot be parsed and may be about anything."""
    return {module: _marks(module, text) for module, text in folder.texts.items()}


def modules_about(folder: Folder, artifact: str) -> list[str]:
    """The modules that may make claims about an artifact."""
    return [
        module
        for module, marks in find_marks(folder).items()
        if marks is None or any(mark.artifact in (artifact, None) for mark in marks)
    ]


def check_marks(folder: Folder, artifacts: Iterable[str]) -> None:
    """Make sure that each claim has a name of its own and is about an artifact of the paper.

    Raises:
        UserError: naming the file, the line and the function.
    """
    artifacts, seen = list(artifacts), {}
    for mark in (mark for marks in find_marks(folder).values() for mark in marks or ()):
        if mark.artifact is not None and mark.artifact not in artifacts:
            hint = f"not an artifact of this paper; {nearest(mark.artifact, artifacts)}"
            raise UserError(f"{mark.place}: artifact = {mark.artifact!r}: {hint}")
        if mark.place == seen.get(mark.function):
            raise UserError(f"{mark.place}: two claims; allowed: one per function")
        if mark.function in seen:
            raise UserError(f"{mark.place}: {seen[mark.function]} has the same name; allowed: each name once")
        seen[mark.function] = mark.place


def _marks(module: str, text: str) -> list[Mark] | None:
    try:
        statements = ast.parse(text).body
    except SyntaxError:
        return None
    return [
        Mark(module, statement.decorator_list[0].lineno, statement.name, artifact)
        for statement in statements
        if isinstance(statement, ast.FunctionDef)
        for artifact in _artifacts(statement)
    ]


def _artifacts(function: ast.FunctionDef) -> Iterator[str | None]:
    for decorator in function.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])
        if getattr(call.func, "id", getattr(call.func, "attr", None)) == "claim":
            named = [keyword.value for keyword in call.keywords if keyword.arg == "artifact"]
            value = getattr((named + call.args)[0], "value", None) if named or call.args else None
            yield value if isinstance(value, str) else None
