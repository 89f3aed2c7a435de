"""Tables and figures with published numbers beside ours, verdicts, claims, and the page that compares them all.

Names are imported when they are first used.
"""

from core.foundation.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
