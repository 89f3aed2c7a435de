"""An evaluation that takes time: a synthetic function with observation noise, after a sleep."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.objectives import synthetic
from core.objectives.base import Configurations, Evaluation, Fidelity


@dataclass(frozen=True)
class SlowObjective:
    """An objective that evaluates one configuration after the other; see `core.objectives.base`.

    Attributes:
        name: Name of the synthetic function.
        seconds: Time that an evaluation of one configuration sleeps.
        noise_sd: Standard deviation of the observations.
    """

    name: str
    seconds: float
    noise_sd: float
    fidelity: Fidelity | None = None

    @property
    def space(self) -> ConfigurationSpace:
        return synthetic.lookup(self.name).space

    @property
    def optimum(self) -> float:
        return synthetic.lookup(self.name).optimum

    @property
    def worst_loss(self) -> float:
        return synthetic.lookup(self.name).worst_loss

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Sleep, then return the noisy loss; `info` has the noise-free regret."""
        function = synthetic.lookup(self.name)
        time.sleep(self.seconds * len(configurations))
        value = function.evaluate(configurations, budget, generator).loss
        loss = value + self.noise_sd * generator.standard_normal(len(value))
        cost = np.full(len(value), self.seconds)
        return Evaluation(loss, cost, tuple({"regret": float(function.regret(v))} for v in value))
