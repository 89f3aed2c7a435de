"""An optimizer of the user's own, by the place of its class: `file.py:Name`, `module:Name`, or an Optuna sampler."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from core.foundation.errors import UserError, brief, nearest, said

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

    from core.study.own import Make

PLACES = "file.py:Name, or module:Name"


class OwnClass(NamedTuple):
    """An optimizer of the user's own.

    Attributes:
        name: Name on the page, which neither a method of ours nor an objective has.
        place: Where its class is, with the whole path of its file.
        make: Function that makes one from a space and a seed.
    """

    name: str
    place: str
    make: Make


def load_optimizer(text: str) -> OwnClass:
    """The optimizer that `file.py:Name` or `module:Name` stands for.

    Raises:
        UserError: no such file, module or name, a file that raises, or something that cannot be made with (space,
            seed).
    """
    place, _, name = text.rpartition(":")
    is_file = place.endswith(".py")
    if not is_file and not all(part.isidentifier() for part in place.split(".")):
        raise UserError(f"optimizer {brief(text)}; allowed: {PLACES}")
    try:
        module = _from_file(Path(place)) if is_file else importlib.import_module(place)
    except (Exception, SystemExit) as error:  # the file is the user's code
        raise UserError(f"optimizer {text!r}: {place} cannot be imported: {_with_line(error, place)}") from error
    made = getattr(module, name, None)
    if not callable(made):
        classes = [each for each in dir(module) if inspect.isclass(getattr(module, each, None))]
        raise UserError(f"optimizer {text!r}: no class {name!r} in {place}; {nearest(name, classes)}")
    whole = f"{Path(place).resolve() if is_file else place}:{name}"
    if inspect.isclass(made) and any(base.__module__.startswith("optuna.samplers") for base in made.__mro__):
        return OwnClass(_unused(name, place), whole, lambda space, seed: _of_sampler(made, space, seed))
    try:
        inspect.signature(made).bind("space", "seed")
    except TypeError as error:
        wanted = f"{name}{inspect.signature(made)}"
        raise UserError(f"optimizer {text!r}: {wanted} cannot be called with (space, seed): {error}") from error
    except ValueError:  # compiled code may have no signature; whether it can be made is seen when it is
        pass
    return OwnClass(_unused(name, place), whole, made)


def _unused(name: str, place: str) -> str:
    """The class's name or, where a method or an objective has the same or one that reads alike, with its file's."""
    from core.objectives import objectives
    from core.objectives.families import FAMILIES
    from core.report import style
    from core.study.methods import METHODS

    labels = map(style.label, METHODS)
    taken = (*METHODS, *labels, *style.METHODS, *map(style.label, style.METHODS), *objectives(), *FAMILIES)
    return f"{Path(place).name}:{name}" if _alike(name) in map(_alike, taken) else name


def _alike(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _of_sampler(sampler: type, space: ConfigurationSpace, seed: int) -> Any:
    """An optimizer by a class of Optuna's samplers, some of which draw nothing and take no seed."""
    import numpy as np

    from core.optimizers.tpe import OptunaSearch

    seeded = "seed" in inspect.signature(sampler).parameters
    make = (lambda number: sampler(seed=number)) if seeded else (lambda number: sampler())
    return OptunaSearch(space, np.random.default_rng(seed), make)


def _from_file(path: Path) -> ModuleType:
    """The file's module, registered under a name of ours: dataclasses and pickle look for a class's module by name."""
    spec = importlib.util.spec_from_file_location(f"own_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[spec.name]
        raise
    return module


def _with_line(error: BaseException, place: str) -> str:
    """What was raised, on one line, and at which line of the file, where the message does not say."""
    frames, file = traceback.extract_tb(error.__traceback__), Path(place).name
    lines = [frame.lineno for frame in frames if Path(frame.filename).name == file]
    at = f" (line {lines[-1]})" if lines else ""
    return f"{type(error).__name__}: {said(error)}{at}"
