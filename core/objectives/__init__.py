"""Objectives and target densities that the experiments of the papers run on; see `core.objectives.base`.

`objective(name)` returns one by the name that experiments use, `objectives()` the names.
"""

from core.foundation.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
