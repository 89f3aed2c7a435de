"""Verdicts on exact values (counts, splits, specifications), and orders: ranks and the best."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from core.report.verdicts import Verdict, check_direction


def exact_verdict(ours: object, published: object, reduced: bool = False) -> Verdict:
    """`equal` or `differs` for counts, splits and specifications; numbers compare as numbers, the rest as text."""
    return Verdict("equal" if _same(ours, published) else "differs", reduced=reduced)


def ranks(values: Mapping[str, float], direction: str) -> dict[str, int]:
    """Rank of each name, 1 the best; ties share the better rank, nan comes last."""
    check_direction(direction)
    cost = np.array([-v if direction == "higher" else v for v in values.values()], dtype=float)
    cost = np.where(np.isnan(cost), np.inf, cost)
    return {name: int((cost < own).sum()) + 1 for name, own in zip(values, cost, strict=True)}


def best(values: Mapping[str, float], direction: str) -> frozenset[str]:
    """The names of rank 1."""
    return frozenset(name for name, rank in ranks(values, direction).items() if rank == 1)


def _same(ours: object, published: object) -> bool:
    try:
        a, b = float(str(ours)), float(str(published))
    except ValueError:
        return str(ours).strip() == str(published).strip()
    return a == b or (math.isnan(a) and math.isnan(b))
