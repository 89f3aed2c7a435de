"""The base of an experiment's settings. Imports neither torch nor pandas, since the Snakefile reads settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from core.foundation.strict import Recorded


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
