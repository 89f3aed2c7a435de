"""Records of experiments that objectives are made from: your own first, then the shipped ones."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from core.foundation.errors import UnavailableError
from core.foundation.installation import needed_for, workplace

SOURCES = ("run", "reference")
SCALE = "quick"


def recorded_file(cell: str, ending: str = "parquet") -> Path:
    """A file of a cell, paper/experiment/benchmark/method, at scale quick.

    Raises:
        UnavailableError: it was neither run nor shipped.
    """
    results = workplace() / "results"
    files = [results / source / SCALE / f"{cell}.{ending}" for source in SOURCES]
    for file in files:
        if file.is_file():
            return file
    raise UnavailableError(
        f"{files[1].relative_to(workplace())} is not in {workplace()}, nor your own in results/run: use a clone of the "
        f"repository that has it, or make it: python -m papers run {cell} --scale {SCALE}"
    )


def records_of(cell: str) -> pd.DataFrame:
    """The records of a cell; raises as `recorded_file`."""
    file = recorded_file(cell)
    with needed_for(f"reading {file.name}"):
        import pyarrow  # noqa: F401, which pandas reads with

    return pd.read_parquet(file)
