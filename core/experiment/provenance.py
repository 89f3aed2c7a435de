"""Where a raw-run file comes from: code, packages, machine, time and memory, stored in the file itself.

Does not import torch, since the Snakefile reads what files cost.
"""

from __future__ import annotations

import platform
import resource
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from core.foundation.installation import DISTRIBUTION, is_clone

FORMERLY = "formerly"
"""Key of the digests that a file had when it held the same records in other bytes."""
FITS = "fits"
"""Key of how the iterative fits behind the records ended (`core.foundation.convergence`); absent without any."""
CHANGED = "+changes"
"""Ending of a commit from which the code differs."""
UNKNOWN = "unknown"
"""In the place of a commit that git does not tell."""
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


def commits(root: Path) -> str:
    """The commit when this process first computed something, and today's if that is another, with a blank between.

    Modules are imported when they are first needed, so code of either may have been loaded.
    """
    return united([_first_commit(root), commit(root)], " ")


@cache
def _first_commit(root: Path) -> str:
    return commit(root)


def commit(root: Path) -> str:
    """The current commit of the code; `+changes` is appended if core/ or papers/ differ from it or have new files.

    Of an installed package it is the version: the folder where results lie may be a repository of something else.
    """
    if not is_clone():
        return f"{DISTRIBUTION}-{_version(DISTRIBUTION)}"
    try:
        head = _git(root, "rev-parse", "HEAD")
        changed = _git(root, "status", "--porcelain", "--", "core", "papers")
    except (OSError, subprocess.SubprocessError):
        return UNKNOWN
    return f"{head}{CHANGED}" if changed else head


def is_known(commits: str) -> bool:
    """Whether commits, as of `commits`, say exactly which code ran."""
    return bool(commits) and not any(part == UNKNOWN or part.endswith(CHANGED) for part in commits.split())


def machine() -> dict[str, Any]:
    """Versions, CPU and platform: the part of the provenance that a process knows before it runs."""
    return {
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "platform": platform.platform(),
        "cpu": _cpu_model(),
    }


def peak_memory_mb() -> float:
    """Largest resident set of this process so far, in MiB, including the cells that it computed earlier."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def joined(shards: Sequence[dict[str, Any]], runs: int) -> dict[str, Any]:
    """The last shard's provenance with seeds, seconds and memory of all shards, and every commit, machine and device.

    A file that another machine extended names both, so that nobody expects either to make it again bit for bit.

    Args:
        runs: Number of repetitions in all shards.
    """
    from core.foundation.convergence import together  # imports numpy, which the Snakefile does without

    seeds: dict[str, dict[str, int]] = {}
    for part in shards:
        for stream, by_run in part["seeds"].items():
            seeds.setdefault(stream, {}).update(by_run)
    notes = {
        **shards[-1],
        "runs": runs,
        "seeds": seeds,
        "commit": united([part["commit"] for part in shards], " "),
        **{key: united([part[key] for part in shards], " and ") for key in ("python", "platform", "cpu", "device")},
        "packages": {
            name: united([part["packages"].get(name, "absent") for part in shards], " and ")
            for name in shards[-1]["packages"]
        },
        "wall_seconds": sum(part["wall_seconds"] for part in shards),
        "peak_memory_mb": max(part["peak_memory_mb"] for part in shards),
    }
    if any(part["threads"] != notes["threads"] for part in shards):
        notes["threads"] = united([str(part["threads"]) for part in shards], " and ")
    notes.pop(FORMERLY, None)  # that file held fewer repetitions
    if fits := together(part.get(FITS, {}) for part in shards):
        notes[FITS] = fits
    migrated = [note for part in shards for note in part.get("migrated", [])]
    if migrated:
        notes["migrated"] = [note for place, note in enumerate(migrated) if note not in migrated[:place]]
    return notes


def united(texts: Iterable[str], separator: str) -> str:
    """The distinct parts of texts, each of which may be such a union."""
    return separator.join(dict.fromkeys(part for text in texts for part in text.split(separator)))


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.strip()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def _cpu_model(file: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name; where a hypervisor hides the model, as in `AMD EPYC`, with the numbers that tell it."""
    try:
        first = file.read_text().partition("\n\n")[0]
    except OSError:
        first = ""
    fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in first.splitlines())}
    name = fields.get("model name") or platform.processor() or platform.machine()
    numbers = [f"{part} {fields[part]}" for part in ("cpu family", "model", "stepping") if part in fields]
    if any(character.isdigit() for character in name) or not numbers:
        return name
    return f"{name} ({', '.join(numbers)})"


def device_model(device: str) -> str:
    """A device with its model, `cuda (NVIDIA H200)`; the CPU's is part of `machine`."""
    if not device.startswith("cuda"):
        return device
    import torch

    return f"{device} ({torch.cuda.get_device_name(device)})"


def on_cpu(notes: Mapping[str, Any]) -> bool:
    """Whether all repetitions of a file were computed on CPUs."""
    return bool(notes.get("device", "cpu") == "cpu")
