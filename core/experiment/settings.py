"""The base of an experiment's settings. Imports neither torch nor pandas, since the Snakefile reads settings."""

from __future__ import annotations

from core.recorded import Recorded


class Settings(Recorded):
    """Base of every experiment's settings; each experiment subclasses it in its paper's settings.py.

    An experiment that optimizes has a field `method`, of a type of `core.study.methods`, and beside it only what does
    not belong to the method.
    """
