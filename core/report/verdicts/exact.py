"""Verdicts on exact values: counts, splits, specifications."""

from __future__ import annotations

import math

from core.report.verdicts.cells import Verdict


def exact_verdict(ours: object, published: object, reduced: bool = False, configured: bool = False) -> Verdict:
    """`equal` or `differs` for counts, splits and specifications; numbers compare as numbers, the rest as text.

    Args:
        configured: Whether ours is what our own configuration says. That it is the printed value is then no evidence,
            and the verdict on it is `as configured`.
    """
    same = "as configured" if configured else "equal"
    return Verdict(same if _same(ours, published) else "differs", reduced=reduced)


def _same(ours: object, published: object) -> bool:
    try:
        a, b = float(str(ours)), float(str(published))
    except ValueError:
        return str(ours).strip() == str(published).strip()
    return a == b or (math.isnan(a) and math.isnan(b))
