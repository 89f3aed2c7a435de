"""One study: a method, a function, and the loop that brings them together; `minimize` is the call for users.

Names are imported when they are first used, so that reading settings imports neither models nor Dask.
"""

from core.foundation.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
