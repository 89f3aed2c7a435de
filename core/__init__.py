"""The shared library: models, samplers, acquisition functions, optimizers, studies, benchmarks, experiments, reports.

`from core import minimize` is the call for your own function; it is imported when first accessed.
"""

from typing import Any

__all__ = ["minimize"]


def __getattr__(name: str) -> Any:
    if name == "minimize":
        from core.study.minimization import minimize

        return minimize
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
