"""Public names of a package that are imported when they are first used.

A package's `__init__` says where its names are:

    __getattr__, __dir__, __all__ = exports(__name__, {"gaussian_process": ["GaussianProcess"], "dngo": ["DNGO"]})

so that `from core.models import GaussianProcess` imports that model and no other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def exports(
    package: str, names: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The `__getattr__`, `__dir__` and `__all__` of a package (PEP 562).

    Args:
        package: Name of the package.
        names: Public names of each module, by the module's name relative to the package.
    """
    modules = {name: f"{package}.{module}" for module, own in names.items() for name in own}

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return get, lambda: sorted(modules), sorted(modules)
