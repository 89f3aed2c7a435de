"""Hyperband (Li et al., 2017; thesis Algorithm 6)."""

from __future__ import annotations

from core.optimizers.bandit import Bandit
from core.optimizers.brackets import bracket_size


class Hyperband(Bandit):
    """Brackets of random configurations that begin on the rungs s_max, s_max - 1, .., 0, and so on from s_max again.

    Bracket s begins with ceil((s_max + 1) / (s + 1) eta^s) configurations, as the thesis and Li et al. have it; the
    authors' code begins with floor((s_max + 1) / (s + 1)) eta^s.
    """

    def _first_rung(self, number: int) -> tuple[int, int]:
        rungs = len(self.budgets)
        rung = rungs - 1 - number % rungs
        return rung, bracket_size(rung, rungs, self.eta)
