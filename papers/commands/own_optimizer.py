"""An optimizer of the user's own, by the place of its class: `file.py:Name`, `module:Name`, or an Optuna sampler."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import UserError, nearest

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

    from core.study.watched import Make


def load_optimizer(text: str) -> tuple[str, Make]:
    """The name of an optimizer, and the function that makes one from a space and a seed.

    Raises:
        UserError: no such file, module or name, or something that is not callable.
    """
    place, _, name = text.rpartition(":")
    if not place:
        raise UserError(f"optimizer {text!r}: allowed: file.py:Name, or module:Name")
    try:
        module = _from_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except (ImportError, OSError, SyntaxError) as error:
        raise UserError(f"optimizer {text!r}: {place} cannot be imported: {error}") from error
    made = getattr(module, name, None)
    if not callable(made):
        classes = [each for each in dir(module) if inspect.isclass(getattr(module, each))]
        raise UserError(f"optimizer {text!r}: no class {name!r} in {place}; {nearest(name, classes)}")
    if inspect.isclass(made) and any(base.__module__.startswith("optuna.samplers") for base in made.__mro__):
        return name, lambda space, seed: _of_sampler(made, space, seed)
    return name, made


def _of_sampler(sampler: type, space: ConfigurationSpace, seed: int) -> Any:
    """An optimizer by a class of Optuna's samplers, some of which draw nothing and take no seed."""
    import numpy as np

    from core.optimizers.tpe import OptunaSearch

    seeded = "seed" in inspect.signature(sampler).parameters
    make = (lambda number: sampler(seed=number)) if seeded else (lambda number: sampler())
    return OptunaSearch(space, np.random.default_rng(seed), make)


def _from_file(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
