"""The library under the name of its distribution: `from hpo_replications import minimize`.

Every module of `core` has a second name here, and both are one module: `hpo_replications.models` is `core.models`.
`core` is a name that a program of one's own may have as well. Python then finds that one, and the first import here
says so, where an import of `core` would fail at some name that the other one lacks.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import core

_HERE = Path(__file__).resolve().parent.parent
if Path(core.__file__ or "").resolve().parent.parent != _HERE:
    raise ImportError(
        f"hpo_replications needs its own package `core`, in {_HERE}, but Python finds {core.__file__} first: rename "
        "that one, or run from another folder"
    )


class _SecondNames(MetaPathFinder, Loader):
    """Finds hpo_replications.a.b as the module core.a.b."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(f"{__name__}."):
            return None
        return ModuleSpec(fullname, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        name = f"core.{spec.name.partition('.')[2]}"
        try:
            module = import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            raise ModuleNotFoundError(f"No module named {spec.name!r}", name=spec.name) from None
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module, which was executed under its first name, its own specification back."""
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state


sys.meta_path.insert(0, _SecondNames())
__all__ = list(core.__all__)


def __getattr__(name: str) -> Any:
    return getattr(core, name)


def __dir__() -> list[str]:
    return __all__
