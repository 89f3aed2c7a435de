"""One study: a method, a function, and the loop that brings them together; `minimize` is the call for users.

Names are imported when first accessed, so that reading settings imports neither models nor Dask.
"""

from importlib import import_module
from typing import Any

PLACES = {
    "minimize": "core.study.minimization",
    "Result": "core.study.result",
    "METHODS": "core.study.methods",
    "method_of": "core.study.methods",
    "run_serial": "core.study.serial",
    "run_parallel": "core.study.pool",
    "run_in_lockstep": "core.study.lockstep",
    "simulate": "core.study.simulated",
    "local_workers": "core.study.cluster",
    "SCHEDULER_VARIABLE": "core.study.cluster",
}

__all__ = sorted(PLACES)


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(PLACES[name]), name)
