"""What is wrong with a saved state: which setting differs, and which part is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.foundation.errors import UserError


def difference(name: str, theirs: Any, ours: Any) -> tuple[str, Any, Any]:
    """The innermost setting that differs, as `policy.acquisition`, and both values; None for a missing value."""
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        for key in (*ours, *theirs):
            if theirs.get(key) != ours.get(key):
                return difference(f"{name}.{key}" if name else key, theirs.get(key), ours.get(key))
    return name, theirs, ours


def require_parts(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """Raise UserError if a state lacks a part that `ours` has."""
    for name in (None, "settings", "own"):
        wanted, present = (ours, theirs) if name is None else (ours[name], theirs[name])
        lacking = sorted(wanted.keys() - (present.keys() if isinstance(present, Mapping) else ()))
        if lacking:
            raise UserError(f"state of {theirs['optimizer']!r} lacks {', '.join(lacking)}; allowed: what `save` wrote")
