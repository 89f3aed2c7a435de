"""The shared library: models, samplers, acquisition functions, optimizers, studies, benchmarks, experiments, reports.

`from core import minimize` is the call for your own function. Names are imported when they are first used.
"""

from core.foundation.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
