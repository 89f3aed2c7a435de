"""Which claims are judged at the paper's full protocol, though other runs of their artifact fall short of it.

A claim need not say which runs it reads. What is left out of the paper's protocol has no part in it if its check comes
out the same, to the last digit of its detail, without all of the runs that fall short.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

from core.report.verdicts.checks import Check
from core.report.verdicts.claims import Claim, run_check


def reduction(results: Any, grids: Mapping[str, Collection[tuple[str, str]]]) -> Callable[[Claim, Check, int], bool]:
    """Whether runs below the paper's protocol, or runs that are not there, have a part in a claim's check.

    Args:
        results: What claims are judged by; those that are made up have no `grids`.
        grids: Benchmark and method of each cell that the paper's protocol has, by experiment.

    Returns:
        A function of a claim, its check, and the number of looks at it.
    """
    here = (
        {(info.experiment, info.benchmark, info.method) for info in results.cells if info.present} if grids else set()
    )
    whole = cache(lambda: results.whole_cells())

    def is_reduced(claim: Claim, check: Check, looks: int) -> bool:
        if not results.reduced:
            return False
        lacking = any((name, *cell) not in here for name in claim.experiments or grids for cell in grids.get(name, ()))
        if not grids or lacking or check.holds == "not run":
            return True
        try:
            without = run_check(claim, whole(), looks)
        except Exception:  # whatever a check does that lacks a part of its runs, it needs them
            return True
        return repr(without) != repr(check)  # in which nan equals nan

    return is_reduced
