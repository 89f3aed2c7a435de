"""The 24 noiseless functions of BBOB (Hansen et al., 2009) in five dimensions, by the package coco-experiment.

The domain is [-5, 5]^5. A function's instance moves and rotates it; instance 1 is the one here. Their optima are not
told by the package, so that losses are the functions' own values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.foundation.installation import needed_for
from core.objectives.base import Configurations, Evaluation, check_budget

FUNCTIONS = 24
DIMENSION = 5
NAMES = tuple(f"x{i}" for i in range(DIMENSION))


@dataclass(frozen=True)
class BBOB:
    """One function, an `Objective` without noise or budgets; an evaluation costs 1.

    Attributes:
        number: Number of the function, 1 to 24.
        instance: Number of the instance.

    Raises:
        UnavailableError: the package is not installed; when it is first evaluated.
    """

    number: int
    instance: int = 1
    fidelity: None = None
    optimum: None = None
    worst_loss: float = 1e10

    @cached_property
    def space(self) -> ConfigurationSpace:
        """[-5, 5]^5."""
        return ConfigurationSpace(dict.fromkeys(NAMES, (-5.0, 5.0)))

    @cached_property
    def _suite(self) -> Any:
        with needed_for("BBOB"):
            import cocoex
        chosen = f"function_indices:{self.number} dimensions:{DIMENSION}"
        return cocoex.Suite("bbob", f"instances: {self.instance}", chosen)

    @cached_property
    def _function(self) -> Any:
        return self._suite[0]  # the suite stays alive, since it owns the function

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Values at the configurations; the generator is not used.

        Raises:
            UserError: a budget was given.
        """
        check_budget(self.fidelity, budget)
        losses = np.array([self._function(_point(each)) for each in configurations], dtype=np.float64)
        return Evaluation(losses, np.ones(len(losses)), tuple({} for _ in configurations))


def bbob(name: str) -> BBOB:
    """The function of a name such as "f08"; the package must be installed."""
    objective = BBOB(int(name.removeprefix("f")))
    _ = objective._function
    return objective


def _point(configuration: Mapping[str, Any]) -> list[float]:
    return [float(configuration[name]) for name in NAMES]
