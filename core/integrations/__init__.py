"""The methods in tools that users have already.

Names are imported when they are first used, and with them the packages that they need.
"""

from core.foundation.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
