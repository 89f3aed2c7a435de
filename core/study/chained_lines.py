"""Lines of JSON, each ending with its chain: a digest of the line's text and of the line before.

    {"told": {...}, "chain": "6c1e8d3a90b2f745"}

A line that was changed, removed or duplicated breaks the chain, unless all lines after it were rewritten too.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

CHAIN = re.compile(rb', "chain": "([0-9a-f]{16})"}\n')


def line_of(entry: Mapping[str, Any], before: str) -> bytes:
    """The line of an entry that is not empty; `before` is the chain of the previous line, empty for the first line."""
    return _chained(json.dumps(entry).encode(), before)


def chain_of(line: bytes) -> str:
    """The chain at the end of a line; empty if it has none."""
    match = CHAIN.search(line)
    return match[1].decode() if match else ""


def without_chain(line: bytes) -> bytes:
    """The JSON text of the entry."""
    return CHAIN.sub(b"}", line).rstrip(b"\n")


def follows(line: bytes, before: str) -> bool:
    """Whether a line was written after one with the chain `before`."""
    return line == _chained(without_chain(line), before)


def _chained(text: bytes, before: str) -> bytes:
    chain = hashlib.sha256(before.encode() + text).hexdigest()[:16]
    return text[:-1] + f', "chain": "{chain}"}}\n'.encode()
