"""Checksums over every byte of a raw-run file: a flipped bit is an error, wherever it is.

Parquet's own checksums cover its pages of values, but neither their headers nor its footer: a flipped bit there can
change records silently. A file carries the SHA-256 of all its bytes, computed with zeros in place of the 64
digits themselves. Older shipped files are listed in results/reference/checksums, as written by sha256sum.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

SEAL = b"SHA-256 of this file with zeros from here on: "
DIGITS = 64
UNSEALED = SEAL + b"0" * DIGITS
"""The placeholder that a file contains once, until `seal` fills in the digits."""
SHIPPED, LIST = "reference", "checksums"


def seal(content: bytes) -> bytes:
    """The content with the digits filled in.

    Raises:
        ValueError: it does not contain `UNSEALED`, or contains `SEAL` twice.
    """
    if (content.count(SEAL), content.count(UNSEALED)) != (1, 1):
        raise ValueError(f"content: has the place for a checksum {content.count(SEAL)} times; allowed: once")
    place = content.index(UNSEALED) + len(SEAL)
    digest = hashlib.sha256(content).hexdigest().encode()
    return content[:place] + digest + content[place + DIGITS :]


def is_whole(path: Path, content: bytes) -> bool:
    """Whether a file's content is what was written, by its own digits or by the list in the folder of shipped runs.

    A shipped file must carry its own checksum or be in the list, if there is one. Elsewhere a file without a checksum
    passes.
    """
    place = content.rfind(SEAL) + len(SEAL)
    if place >= len(SEAL):
        digits = content[place : place + DIGITS]
        blank = content[:place] + b"0" * len(digits) + content[place + DIGITS :]
        return hashlib.sha256(blank).hexdigest().encode() == digits
    folder = next((parent for parent in path.parents if parent.name == SHIPPED), None)
    if folder is None or not (folder / LIST).is_file():
        return True
    listed = _listed(folder / LIST, (folder / LIST).stat().st_mtime_ns)
    return listed.get(path.relative_to(folder).as_posix()) == hashlib.sha256(content).hexdigest()


@cache
def _listed(file: Path, modified: int) -> dict[str, str]:
    """Digests by the names of files; the list is read once per version."""
    lines = file.read_text(errors="replace").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
