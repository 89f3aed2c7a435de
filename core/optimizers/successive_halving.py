"""Successive halving (Jamieson and Talwalkar, 2016; thesis Algorithm 8)."""

from __future__ import annotations

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.optimizers.bandit import Bandit
from core.optimizers.brackets import rounded_up
from core.optimizers.checks import require_count


class SuccessiveHalving(Bandit):
    """Brackets that all begin on the smallest rung, with the same number of random configurations.

    Args:
        configurations: how many a bracket begins with; eta^s_max where None, so that one reaches the largest budget.
        brackets: how many to run, one by default.

    Raises:
        UserError: as `Bandit`, or configurations below 1.
    """

    SETTINGS = (*Bandit.SETTINGS, "configurations")

    def __init__(
        self,
        space: ConfigurationSpace,
        generator: np.random.Generator,
        minimum_budget: float,
        maximum_budget: float,
        eta: float = 3,
        configurations: int | None = None,
        brackets: int | None = 1,
    ) -> None:
        super().__init__(space, generator, minimum_budget, maximum_budget, eta, brackets)
        if configurations is None:
            configurations = rounded_up(eta ** (len(self.budgets) - 1))
        self.configurations = require_count("configurations", configurations)

    def _first_rung(self, number: int) -> tuple[int, int]:
        return len(self.budgets) - 1, self.configurations
