"""Stochastic counting ones (thesis Eq. C.1 and 6.4.1).

    f(x) = -( sum over categorical x of x  +  sum over continuous x of the mean of b draws of Bernoulli(x) )

with d = N_cat + N_cont hyperparameters, categorical ones in {0, 1} and continuous ones in [0, 1]. The budget b is the
number of draws, from 576 / d to 93312 / d, so that the noise of the whole sum does not depend on d. The optimum is -d,
at all ones; plots show the noise-free regret of the incumbent divided by d. (The thesis states 144 and 11664 for
d = 8; its formula gives 72, and 144 is the smallest rung that eta = 3 uses.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from ConfigSpace import Categorical, ConfigurationSpace, Float
from numpy.typing import NDArray

from core.foundation.errors import UserError, brief
from core.objectives.base import Configurations, Evaluation, Fidelity

SMALLEST, LARGEST = 576, 93312  # draws over all hyperparameters


@dataclass(frozen=True)
class CountingOnes:
    """An `Objective`; the cost of an evaluation is its budget.

    Attributes:
        categorical: Number N_cat of categorical hyperparameters.
        continuous: Number N_cont of continuous hyperparameters.

    Raises:
        UserError: numbers below 0, or both 0, or so many that the smallest budget is less than one draw.
    """

    categorical: int = 8
    continuous: int = 8
    worst_loss: float = 0.0

    def __post_init__(self) -> None:
        for name, number in (("categorical", self.categorical), ("continuous", self.continuous)):
            if isinstance(number, bool) or not isinstance(number, int) or number < 0:
                raise UserError(f"{name} is {brief(number)}; allowed: whole numbers from 0")
        if not 1 <= self.dimension <= SMALLEST:
            raise UserError(f"{self.dimension} hyperparameters; allowed: 1 to {SMALLEST}")

    @property
    def dimension(self) -> int:
        return self.categorical + self.continuous

    @property
    def optimum(self) -> float:
        return -float(self.dimension)

    @cached_property
    def fidelity(self) -> Fidelity:
        return Fidelity("draws", SMALLEST / self.dimension, LARGEST / self.dimension)

    @cached_property
    def space(self) -> ConfigurationSpace:
        """Choices choice_0, .. with the values 0 and 1, and numbers share_0, .. in [0, 1]."""
        space = ConfigurationSpace(name=f"counting ones, {self.categorical} + {self.continuous}")
        space.add(*(Categorical(name, [0, 1]) for name in self._choices))
        space.add(*(Float(name, (0.0, 1.0)) for name in self._shares))
        return space

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Evaluate configurations; the budget is rounded to a whole number of draws.

        Raises:
            UserError: a budget outside the fidelity's range.
        """
        budget = self.fidelity.checked(budget)
        ones, shares = self._values(configurations)
        draws = round(budget)
        loss = -(ones.sum(axis=1) + generator.binomial(draws, shares).sum(axis=1) / draws)
        return Evaluation(loss, np.full(len(loss), float(budget)), tuple({} for _ in configurations))

    def noise_free(self, configurations: Configurations) -> NDArray[np.float64]:
        """f with the means of the Bernoulli distributions themselves, (n,)."""
        ones, shares = self._values(configurations)
        return np.asarray(-(ones.sum(axis=1) + shares.sum(axis=1)))

    def regret(self, configurations: Configurations) -> NDArray[np.float64]:
        """The normalized regret (f(x) + d) / d of the noise-free function, (n,), between 0 and 1."""
        return (self.noise_free(configurations) + self.dimension) / self.dimension

    @cached_property
    def _choices(self) -> tuple[str, ...]:
        return tuple(f"choice_{i}" for i in range(self.categorical))

    @cached_property
    def _shares(self) -> tuple[str, ...]:
        return tuple(f"share_{i}" for i in range(self.continuous))

    def _values(self, configurations: Configurations) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        n = len(configurations)
        ones = np.array([[c[name] for name in self._choices] for c in configurations], dtype=np.float64)
        shares = np.array([[c[name] for name in self._shares] for c in configurations], dtype=np.float64)
        return ones.reshape(n, self.categorical), shares.reshape(n, self.continuous)
