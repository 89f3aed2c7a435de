"""A policy in plain values, so that a saved state is continued only by an optimizer with the same proposals."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import MethodType
from typing import Any

from torch import Tensor

PLAIN = (bool, int, float, str, type(None))


def describe(value: Any) -> Any:
    """Settings by name, objects by their type and settings, functions by name, tensors by a digest.

    The variables that a function closes over are not seen: if settings matter to it, use a `partial` or a method.
    """
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, Mapping):
        return {str(key): describe(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [describe(entry) for entry in value]
    if isinstance(value, Tensor):
        return hashlib.sha256(value.detach().cpu().numpy().tobytes()).hexdigest()[:16]
    if isinstance(value, partial):
        return {"function": describe(value.func), "arguments": describe(value.args), **describe(value.keywords)}
    if isinstance(value, MethodType):
        return {"function": value.__qualname__, "of": describe(value.__self__)}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        given = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
        return {"type": type(value).__name__, **describe(given)}
    if hasattr(value, "__qualname__"):
        return value.__qualname__
    return {"type": type(value).__name__, **_plain_attributes(value)}


def _plain_attributes(value: Any) -> dict[str, Any]:
    """The public attributes that are plain values or sequences of them."""
    described = {}
    for name, attribute in getattr(value, "__dict__", {}).items():
        members = attribute if isinstance(attribute, (list, tuple)) else [attribute]
        if not name.startswith("_") and all(isinstance(member, PLAIN) for member in members):
            described[name] = describe(attribute)
    return described
