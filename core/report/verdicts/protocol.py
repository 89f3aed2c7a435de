"""Which claims are judged at the paper's full protocol, though other runs of their artifact fall short of it.

A claim need not say which runs it reads. What is left out of the paper's protocol has no part in it if its check comes
out the same, to the last digit of its detail, without all of the runs that fall short.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.report.verdicts.checks import Check
from core.report.verdicts.claims import Claim, run_check


@dataclass(frozen=True)
class Protocol:
    """How what the claims about an artifact are judged by compares with the paper's protocol.

    Attributes:
        results: The runs.
        grids: Benchmark and method of each cell that the paper's protocol has, by experiment; those of made-up runs are
            not known.
    """

    results: Any
    grids: Mapping[str, Collection[tuple[str, str]]]

    def is_reduced(self, claim: Claim, check: Check, looks: int) -> bool:
        """Whether runs below the paper's protocol, or runs that are not there, have a part in a claim's check."""
        if not self.results.reduced:
            return False
        if not self.grids or check.holds == "not run" or self._incomplete.intersection(claim.experiments or self.grids):
            return True
        try:
            without = run_check(claim, self._whole, looks)
        except Exception:  # whatever a check does that lacks a part of its runs, it needs them
            return True
        return repr(without) != repr(check)  # in which nan equals nan

    @cached_property
    def _incomplete(self) -> set[str]:
        """The experiments of which a cell was not run."""
        here = {(info.experiment, info.benchmark, info.method) for info in self.results.cells if info.present}
        return {name for name, cells in self.grids.items() if any((name, *cell) not in here for cell in cells)}

    @cached_property
    def _whole(self) -> Any:
        return self.results.whole_cells()
