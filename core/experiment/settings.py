"""An experiment's settings: their base, and a cell's settings from the layers that state them. Does not import torch.

The layers are the paper's method, the experiment, the benchmark, the scale, and last `--set`. Later layers win, key by
key, and in the same way for the keys of `method`, which are one level deeper. A layer is not left out because a cell's
method lacks one of its settings: an error names the layer that states the refused setting.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from core.foundation.errors import UnknownNameError, UserError
from core.foundation.strict import Recorded, explain
from core.study.methods import METHODS


class Settings(Recorded):
    """Base of every experiment's settings; each experiment subclasses it in its paper's settings.py.

    An experiment that optimizes has a field `method`, of a type of `core.study.methods`, and beside it only what does
    not belong to the method.
    """


def require_ends(method: str, given: Mapping[str, object], needed: Collection[str]) -> None:
    """Make sure that a run has the limits that its method needs, and no others.

    Args:
        method: Name of the method.
        given: Values of all limits by name; None for one that is not set.
        needed: Names of the limits that are needed.

    Raises:
        ValueError: stating all limits and those that are allowed.
    """
    if {name for name, value in given.items() if value is not None} != set(needed):
        stated = ", ".join(f"{name} = {value}" for name, value in given.items())
        raise ValueError(f"{stated}; allowed for method {method!r}: {' and '.join(needed)} alone")


METHOD = "method"


class Layer(NamedTuple):
    """Some settings, and what is written before their keys in an error."""

    place: str
    settings: Mapping[str, Any]


def method_named(layers: Sequence[Layer]) -> str | None:
    """The name of the method that the layers settle on, None if they name none that exists."""
    named = [_of_method(layer.settings[METHOD]) for layer in layers if METHOD in layer.settings]
    names = [method[METHOD] for method in named if isinstance(method, Mapping) and METHOD in method]
    return names[-1] if names and isinstance(names[-1], str) and names[-1] in METHODS else None


def by_hand(given: Mapping[str, Any], model: type[Settings], method: str | None, experiment: str) -> dict[str, Any]:
    """The settings of `--set` by their short names: of the method's, `method.trees` or just `trees`.

    A setting that both the experiment and its method have belongs to the experiment, which passes it to the method.

    Args:
        model: The experiment's settings.
        method: Name of the cell's method; None for a cell without a method.
        experiment: Name of the experiment in errors.

    Raises:
        UserError: neither the experiment nor the method has such a setting; both forms of one are given.
    """
    own = [name for name in model.model_fields if name != METHOD]
    inner = METHODS[method].names() if method is not None else ()
    settings: dict[str, Any] = {}
    for key, value in given.items():
        name = key.removeprefix(f"{METHOD}.") if method is not None else key
        if name in settings:
            raise UserError(f"--set {name} and --set {key}: the same setting; allowed: one of them")
        if name not in (inner if name != key else (*own, *inner)):
            raise _unknown(experiment, key, model, own, method)
        settings[name] = value
    return settings


def nested(short: Mapping[str, Any], model: type[Settings]) -> dict[str, Any]:
    """Settings by their short names as a layer: those that are the method's a level deeper."""
    inner = {name: value for name, value in short.items() if name not in model.model_fields}
    own = {name: value for name, value in short.items() if name in model.model_fields}
    return {**own, METHOD: inner} if inner else own


def value_of(settings: Settings | Mapping[str, Any], short: str) -> Any:
    """The value of a setting by its short name, in settings or in a record of them; KeyError if there is none."""
    values = dict(settings)
    return values[short] if short in values else dict(values[METHOD])[short]


def resolve(model: type[Settings], layers: Sequence[Layer], default_place: str, whole: str) -> Settings:
    """The validated settings of a cell.

    Args:
        layers: Layers from the first to the last.
        default_place: Place that errors name for a missing setting, which no layer states.
        whole: Name of the cell in errors.

    Raises:
        UserError: settings that the model refuses (file, key, value, what is allowed).
    """
    merged, origin = _merged(layers, METHOD in model.model_fields)

    def place(keys: Sequence[str]) -> str:
        paths = (".".join(keys[:2]), *keys[:1], f"{METHOD}.{METHOD}" if list(keys) == [METHOD] else "")
        return next((origin[path] for path in paths if path in origin), default_place if keys else whole)

    try:
        return model.model_validate(merged)
    except ValidationError as error:
        raise UserError(explain(error, place)) from error


def _merged(layers: Sequence[Layer], has_method: bool) -> tuple[dict[str, Any], dict[str, str]]:
    """The settings of all layers, and the place of each; for settings of the method by `method.` and their key."""
    merged: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for place, settings in layers:
        for key, given in settings.items():
            value = _of_method(given) if key == METHOD and has_method else given
            if key == METHOD and has_method and isinstance(value, Mapping):
                origin |= {f"{METHOD}.{inner}": place for inner in value}
                below = merged.get(METHOD)
                value = {**below, **value} if isinstance(below, Mapping) else dict(value)
            else:
                origin[key] = place
            merged[key] = value
    return merged, origin


def _of_method(value: Any) -> Any:
    """The settings of the method in a layer, where the method's name alone may stand for them."""
    return {METHOD: value} if isinstance(value, str) else value


def _unknown(experiment: str, key: str, model: type[Settings], own: Sequence[str], method: str | None) -> UserError:
    kind = f"setting of {experiment}"
    if method is None:
        return UnknownNameError(kind, key, own, f"{model.__name__} in {model.__module__}")
    inner = METHODS[method].names()
    near = difflib.get_close_matches(key.removeprefix(f"{METHOD}."), [*own, *inner], n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    has = f"{METHODS[method].described(method)}; the experiment has {', '.join(own) or 'none'}"
    return UserError(f"unknown {kind} {key!r}; {hint}{has}")
