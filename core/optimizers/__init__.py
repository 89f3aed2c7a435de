"""Optimizers with one interface, `ask(n)` and `tell(trial, evaluation)`; see `core.optimizers.base`.

`core.study.method_of(name).build(space)` makes them from their settings. Names are imported when they are first used.
"""

from core.foundation.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
