"""The functions of a paper by name, and importing their modules.

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
from core.foundation.installation import missing_module

DEFINITION = re.compile(r"^def ([A-Za-z]\w*)\(", re.MULTILINE)

FILES = {"experiments": ("experiments",), "artifacts": ("figures", "tables"), "claims": ("checks",)}
"""The modules with a paper's functions by their role; each is a file or a package."""


class Functions:
    """The functions of one role in a paper: its experiments, artifacts or checks of claims; see `FILES`.

    Attributes:
        place: The files' paths from the repository's root, in words.
    """

    def __init__(self, root: Path, package: str, paper: str, role: str) -> None:
        self.root, self._paper, self._role = root, (root, package, paper), role
        names = FILES[role]
        self.place = f"{package}/{paper}/{names[0] if len(names) == 1 else '{' + ','.join(names) + '}'}.py"

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of each module by its name in the paper, such as `tables` or `figures.searches`."""
        texts, folder = {}, self.root.joinpath(*self._paper[1:])
        for name in FILES[self._role]:
            for file in [folder / f"{name}.py", *sorted((folder / name).glob("*.py"))]:
                if file.is_file() and file.stem != "__init__":
                    texts[".".join(file.relative_to(folder).with_suffix("").parts)] = file.read_text("utf-8")
        return texts

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """The modules that define each public function."""
        modules: dict[str, list[str]] = {}
        for module, text in self.texts.items():
            for name in DEFINITION.findall(text):
                modules.setdefault(name, []).append(module)
        return modules

    def modules(self) -> list[ModuleType]:
        """All modules of the role, imported; raises as `import_module`."""
        return [import_module(*self._paper, name) for name in self.texts]

    def __getitem__(self, name: str) -> Callable[..., Any]:
        """A function by name.

        Raises:
            KeyError: no module defines it.
            UserError: there is no such module, several define it, or the one that does cannot be imported.
        """
        if not self.texts:
            raise UserError(f"{self.place}: missing; each paper has one")
        modules = self.by_name[name]
        if len(modules) > 1:
            files = " and ".join(f"{module.replace('.', '/')}.py" for module in modules)
            raise UserError(f"{'/'.join(self._paper[1:])}: {files} each define {name!r}; allowed: one definition")
        return getattr(import_module(*self._paper, modules[0]), name)


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
