"""The settings of every optimization method: one class a method, and their union, by which a cell or a user names one.

Importing them imports neither torch nor pandas. `core.optimizers` has what they build.
"""

from core.foundation.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
