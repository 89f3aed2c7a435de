"""Importing a paper's files, which may fail in any way: the error is one line that names the file and the line.

What is wrong with one paper is that paper's alone, and an author reads where, not how the import came about.
"""

from __future__ import annotations

import importlib
import sysconfig
import traceback
from pathlib import Path
from types import ModuleType

from core.errors import UserError, missing_module


def import_module(root: Path, package: str, paper: str, name: str) -> ModuleType:
    """<package>.<paper>.<name>, imported.

    Raises:
        UserError: it is missing or cannot be imported.
    """
    try:
        return importlib.import_module(f"{package}.{paper}.{name}")
    except UserError:
        raise
    except Exception as error:
        raise UserError(_explain(error, root, Path(package) / paper / f"{name}.py")) from error


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
    libraries = sysconfig.get_path("purelib")  # .venv is below the root, and its files are not ours
    ours = [place for place in places if str(place[0]).startswith(f"{root}/") and not place[0].startswith(libraries)]
    return [str(Path(ours[-1][0]).relative_to(root)), str(ours[-1][1])] if ours else []
