"""A fingerprint for numba's disk cache, which notices changes in one file only; compiled functions call others."""

import hashlib
from functools import cache
from pathlib import Path


@cache
def fingerprint() -> str:
    """Hash of all sources in this folder; as a constant of a compiled function it tells the cache's versions apart."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
