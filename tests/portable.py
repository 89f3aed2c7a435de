"""Runs the numeric tests once more as on an older processor: `make test-portable`.

Rounding depends on the instruction set: sums are split into as many parts as a vector register holds, and products and
sums are fused where the processor can. A test that passes here and on the processor's own instructions does not lean
on the last digits of either. Each library is told in its own way to stay with what every x86-64 of the last
15 years has (SSE4.2), or with its plainest code elsewhere; what a library does not know it ignores.

What does not compute numbers is left out: data files, the command line, Snakemake, processes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLAIN = {
    "ATEN_CPU_CAPABILITY": "default",
    "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "OPENBLAS_CORETYPE": "Nehalem",
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
}
WITHOUT_NUMBERS = (
    "tests/benchmarks",
    "tests/core/data",
    "tests/core/experiment",
    "tests/faults",
    "tests/core/*/test_parallel.py",
    "tests/core/*/test_same_schedule.py",
    "tests/papers/test_*.py",
    "tests/test_*.py",
)


def dispatched() -> list[str]:
    """The features of this processor that numpy picks code by; only these may be disabled, others raise a warning."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return [name for name in __cpu_dispatch__ if __cpu_features__[name]]


def environment() -> dict[str, str]:
    """Variables that keep torch, MKL, oneDNN, OpenBLAS, numba and numpy from newer instructions; all examples.

    Numba's kernels are compiled for the plain processor into a cache of their own.
    """
    cache = ROOT / ".pytest_cache" / "numba-portable"
    numpy = {"NPY_DISABLE_CPU_FEATURES": " ".join(dispatched())}
    return {**PLAIN, **numpy, "NUMBA_CACHE_DIR": str(cache), "HYPOTHESIS_PROFILE": "many"}


def main(arguments: list[str]) -> None:
    """Replaces this process by pytest, with its arguments, on the numeric tests."""
    ignored = [f"--ignore-glob={ROOT / pattern}" for pattern in WITHOUT_NUMBERS]
    os.chdir(ROOT)
    os.execve(sys.executable, [sys.executable, "-m", "pytest", *ignored, *arguments], os.environ | environment())


if __name__ == "__main__":
    main(sys.argv[1:])
