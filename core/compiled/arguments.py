"""What models pass to the compiled densities of their hyperparameters; importing it does not import numba.

A fingerprint for numba's disk cache, which notices changes in one file only; compiled functions call others.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

EDGE = 1e-7  # warped inputs are kept this far inside the unit interval, where powers have finite derivatives


class Priors(NamedTuple):
    """Independent priors of P hyperparameters, see `core.models.hyperpriors`: float64 arrays (P,)."""

    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    precision: np.ndarray  # 1 / sd^2, 0 if none
    log_scale: np.ndarray  # of the horseshoe, nan if none


@cache
def fingerprint() -> str:
    """Hash of all sources in this folder; as a constant of a compiled function it tells the cache's versions apart."""
    folder = Path(__file__).parent
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sorted(folder.glob("*.py")))).hexdigest()
    forget_other_versions(folder / "__pycache__", digest)
    return digest


def forget_other_versions(cached: Path, digest: str) -> None:
    """Remove the indices of numba's cache in a folder unless this version has made them.

    Those of another one may name modules that are gone: numba would raise an ImportError.
    """
    stamp = cached / "fingerprint"
    with suppress(OSError):  # nothing cached yet, or a folder that this process may only read
        if stamp.is_file() and stamp.read_text() == digest:
            return
        for index in cached.glob("*.nbi"):
            index.unlink(missing_ok=True)
        stamp.write_text(digest)
