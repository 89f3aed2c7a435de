"""Seeds by hashing names, so that a repetition never depends on how many others run or in which order.

What the methods of an experiment share (data splits, initial designs, targets) is seeded by (paper, experiment,
benchmark, stream, repetition); what belongs to one method additionally by its name. The same names give the same seed
on every machine.
"""

from __future__ import annotations

import hashlib


def derive_seed(*parts: str | int) -> int:
    """A seed in [0, 2^63) that depends on every part and on their order.

    Parts are joined by a separator that no name may contain, so ("ab", "c") and ("a", "bc") differ.
    """
    text = "\x1f".join(f"{type(part).__name__}:{part}" for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
