"""Where a raw-run file comes from: code, packages, machine, time and memory, stored in the file itself."""

from __future__ import annotations

import platform
import resource
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    "torch",
    "gpytorch",
    "botorch",
    "numba",
    "numpy",
    "scipy",
    "scikit-learn",
    "xgboost-cpu",
    "pandas",
    "pyarrow",
)


@cache
def commit(root: Path) -> str:
    """The current commit of the code; `+changes` is appended if core/ or papers/ differ from it or have new files."""
    try:
        head = _git(root, "rev-parse", "HEAD")
        changed = _git(root, "status", "--porcelain", "--", "core", "papers")
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return f"{head}+changes" if changed else head


def machine() -> dict[str, Any]:
    """Versions, CPU and platform: the part of the provenance that a process knows before it runs."""
    return {
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "platform": platform.platform(),
        "cpu": _cpu_model(),
    }


def peak_memory_mb() -> float:
    """Largest resident set of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.strip()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
