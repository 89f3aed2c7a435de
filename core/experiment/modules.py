"""The functions in a paper's folders, and importing their modules.

Functions are found in the source text: finding one imports nothing, and calling it imports only its own module, so a
drawing pays for no other module and an error in a module affects only that module. An error about a file is one line
that names the file and the line: an author sees where it is, not how the import came about.
"""

from __future__ import annotations

import importlib
import re
import sysconfig
import traceback
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from core.foundation.errors import UserError
from core.foundation.extras import missing_module

DEFINITION = re.compile(r"^def ([A-Za-z]\w*)\(", re.MULTILINE)


class Folder:
    """<package>/<paper>/<name>/, the modules with a paper's experiments, artifacts or claims.

    Attributes:
        place: The folder's path from the repository's root.
    """

    def __init__(self, root: Path, package: str, paper: str, name: str) -> None:
        self.root, self.place = root, Path(package) / paper / name
        self._paper, self._name = (root, package, paper), name

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of each module by its dotted name, in alphabetical order; empty if there is no folder."""
        files = sorted((self.root / self.place).glob("*.py"))
        dotted = ".".join(self.place.parts)
        return {f"{dotted}.{file.stem}": file.read_text("utf-8") for file in files if file.stem != "__init__"}

    @cached_property
    def functions(self) -> dict[str, list[str]]:
        """The modules that define each public function."""
        modules: dict[str, list[str]] = {}
        for module, text in self.texts.items():
            for name in DEFINITION.findall(text):
                modules.setdefault(name, []).append(module)
        return modules

    def module(self, dotted: str) -> ModuleType:
        """One of the modules of `texts`, imported; raises as `import_module`."""
        return import_module(*self._paper, f"{self._name}.{dotted.rpartition('.')[2]}")

    def function(self, name: str) -> Callable[..., Any]:
        """A function by name.

        Raises:
            KeyError: no module defines it.
            UserError: there is no such folder, several modules define it, or the one that does cannot be imported.
        """
        if not (self.root / self.place).is_dir():
            raise UserError(f"{self.place}/: missing; each paper has one")
        modules = self.functions[name]
        if len(modules) > 1:
            files = " and ".join(f"{module.rpartition('.')[2]}.py" for module in modules)
            raise UserError(f"{self.place}/: {files} each define {name!r}; allowed: one definition")
        return getattr(self.module(modules[0]), name)


def import_module(root: Path, package: str, paper: str, name: str) -> ModuleType:
    """<package>.<paper>.<name>, imported; the name may have dots.

    Raises:
        UserError: it is missing or cannot be imported.
    """
    try:
        return importlib.import_module(f"{package}.{paper}.{name}")
    except UserError:
        raise
    except Exception as error:
        raise UserError(_explain(error, root, Path(package, paper, *name.split(".")).with_suffix(".py"))) from error


def _explain(error: Exception, root: Path, file: Path) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name == ".".join(file.with_suffix("").parts):
        return f"{file}: missing; each paper has one"
    where = ", line ".join(_place(error, root) or [str(file)])
    if isinstance(error, ModuleNotFoundError) and str(error.name).partition(".")[0] not in ("core", file.parts[0]):
        return f"{where}: {missing_module(error)}"
    said = error.msg if isinstance(error, SyntaxError) else error
    return f"{where}: {type(error).__name__}: {said}"


def _place(error: Exception, root: Path) -> list[str]:
    """The last file of the repository that the import went through, and the line there."""
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename, error.lineno))
    libraries = sysconfig.get_path("purelib")  # .venv is below the root, but its files are not ours
    ours = [place for place in places if str(place[0]).startswith(f"{root}/") and not place[0].startswith(libraries)]
    return [str(Path(ours[-1][0]).relative_to(root)), str(ours[-1][1])] if ours else []
