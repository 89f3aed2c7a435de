"""Public names of a package that are imported when they are first used.

A package lists its names in `__init__.pyi`, where type checkers and editors read them too:

    from core.models.gaussian_process import GaussianProcess as GaussianProcess

and its `__init__.py` has `__getattr__, __dir__, __all__ = exports(__name__)`, so that
`from core.models import GaussianProcess` imports that model and no other.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def exports(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The `__getattr__`, `__dir__` and `__all__` of a package (PEP 562).

    Args:
        package: Name of the package, whose folder has the `__init__.pyi`.
    """
    stub = Path(str(sys.modules[package].__file__)).with_suffix(".pyi")
    imports = [node for node in ast.parse(stub.read_text()).body if isinstance(node, ast.ImportFrom)]
    modules = {alias.name: str(node.module) for node in imports for alias in node.names}

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return get, lambda: sorted(modules), sorted(modules)
