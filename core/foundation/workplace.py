"""The folder in which results, figures and downloads lie: the clone or, of an installed package, one of the user's.

A clone is its own workplace. A package that pip installed writes nothing where it lies: its workplace is the folder
that the environment variable HPO_REPLICATIONS names, or the current one. The package ships no raw runs: those are in
results/reference of the repository, and a workplace that is a clone has them.
"""

from __future__ import annotations

import os
from pathlib import Path

CODE = Path(__file__).resolve().parents[2]
"""The folder that holds `core` and `papers`."""
VARIABLE = "HPO_REPLICATIONS"
SHIPPED = Path("results/reference")


def is_clone(folder: Path = CODE) -> bool:
    """Whether a folder is a clone of the repository."""
    return (folder / "Snakefile").is_file() and (folder / "core" / "foundation" / "workplace.py").is_file()


def workplace(code: Path = CODE) -> Path:
    """The folder of results, figures and data, given the one that holds the code."""
    return code if is_clone(code) else Path(os.environ.get(VARIABLE) or ".").expanduser().resolve()


def about(folder: Path) -> str:
    """A workplace in words: where results and figures go, and where shipped runs come from."""
    shipped = f"shipped raw runs come from {folder / SHIPPED}"
    if not (folder / SHIPPED).is_dir():
        shipped = (
            f"the package ships no raw runs: they are in {SHIPPED} of the repository, and {VARIABLE}=CLONE uses those "
            "of a clone"
        )
    return f"working in {folder}: own runs in results/run, drawings in figures; {shipped}"
