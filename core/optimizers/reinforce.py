"""REINFORCE over the values of each hyperparameter (Williams, 1992; Ying et al., 2019; thesis 7.4.1 and D.3).

Each hyperparameter has logits a_v for its values, initially 0 (with a prior, its logarithms), and draws value v with
probability p_v = softmax(a)_v. A told loss is the reward r = -loss, and every hyperparameter that was active moves by

    a_u += learning_rate (r - b) d log p_v / d a_u = learning_rate (r - b) (1[u = v] - p_u),

with the probabilities at the time of the draw. The baseline is, as in the code of Ying et al., the average of all
rewards including r, with weights that fall by the momentum from one to the one before: after t rewards

    b = (1 - momentum) sum_i momentum^(t - i) r_i / (1 - momentum^t).

So the first reward changes nothing. A failed evaluation has the smallest reward so far. That code also ignores rewards
of almost zero, where a network could not be trained: a failure or a loss of `largest_loss` or more changes nothing.

A forbidden combination is drawn again, and after many draws, if the policy has settled on one, a random allowed
configuration is taken instead, which counts as if it had been drawn. Rewards, steps and logits are clipped at +-1e300.

All hyperparameters must be finite: a float has no probabilities of values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.optimizers.base import Optimizer, Outcome, Trial
from core.optimizers.points import RANDOM, Canonical
from core.optimizers.settings import ReinforceSettings
from core.spaces import CubeEncoding

POLICY = "policy"
TRIES = 1000  # draws excluded by forbidden clauses before a random configuration is taken
LARGEST = 1e300  # bound on numbers that are added and multiplied, so that sums stay finite
MOST_VALUES = 100_000  # largest number of values of one hyperparameter: no policy could learn more


class Reinforce(Optimizer):
    """A policy of independent softmax distributions, one per hyperparameter.

    Args:
        space: Search space.
        generator: Source of all random numbers.
        settings: Settings.

    Attributes:
        logits: Logits, (d, largest number of values), minus infinity beyond a hyperparameter's own number, and for what
            has no probability.
        baseline: Baseline b of the rewards so far, None before the first reward.

    Raises:
        UserError: a hyperparameter that is a float or has too many values, or a space with nothing to choose.
    """

    def __init__(
        self, space: ConfigurationSpace, generator: np.random.Generator, settings: ReinforceSettings | None = None
    ) -> None:
        super().__init__(space)
        self.settings: ReinforceSettings = settings or ReinforceSettings()
        self.encoding = CubeEncoding(space)
        for column in self.encoding.columns:
            if column.size is None or column.size > MOST_VALUES:
                has = "any number of" if column.size is None else column.size
                raise UserError(f"hyperparameter {column.name!r} has {has} values; allowed: 2 to {MOST_VALUES}")
        self.generator = generator
        self._canonical = Canonical(self.encoding)
        self._sizes = np.array([column.size for column in self.encoding.columns])
        self.logits = np.where(np.arange(self._sizes.max()) < self._sizes[:, None], 0.0, -np.inf)
        for j, column in enumerate(self.encoding.columns):
            if column.shares is not None or column.prior is not None:
                left, right = column.cells(np.arange(self._sizes[j]) + column.first)
                with np.errstate(divide="ignore"):
                    self.logits[j, : self._sizes[j]] = np.log(right - left)
        self.baseline: float | None = None
        self._weight = 0.0  # 1 - momentum^t
        self._worst: float | None = None
        self._drawn: dict[int, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}

    def probabilities(self) -> NDArray[np.float64]:
        """p, (d, largest number of values), rows sum to 1."""
        weights = np.exp(self.logits - self.logits.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def _propose(self) -> tuple[Mapping[str, Any], None, Mapping[str, Any]]:
        probabilities = self.probabilities()
        rows, point, origin = self._draw(probabilities)
        self._drawn[self._asked] = rows, probabilities
        return self._canonical.settle(point)[1], None, {"origin": origin}

    def _draw(self, probabilities: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64], str]:
        """The indices of the values (d,), their point (d,), and its origin."""
        cumulated = np.cumsum(probabilities, axis=1)
        for _ in range(TRIES):
            uniforms = self.generator.random((len(cumulated), 1)) * cumulated[:, -1:]
            rows = np.minimum((uniforms >= cumulated).sum(axis=1), self._sizes - 1)
            point = self._canonical.allowed(self._coordinates(rows)[None])
            if len(point):
                return rows, point[0], POLICY
        point = self.encoding.sample(1, self.generator)[0]
        return self._rows(point), point, RANDOM

    def _coordinates(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        point = np.empty(len(rows))
        for j, (column, row) in enumerate(zip(self.encoding.columns, rows)):
            point[j] = column.place(np.array([row + column.first]))[0]
        return point

    def _rows(self, point: NDArray[np.float64]) -> NDArray[np.int64]:
        """The inverse of `_coordinates`."""
        columns = enumerate(self.encoding.columns)
        return np.array([int(column.read(point[j : j + 1])[0]) - column.first for j, column in columns])

    def _adopt(self, trial: Trial) -> bool:
        """The policy's step for a configuration that it did not draw is that for one that it did."""
        self._drawn[trial.number] = self._rows(self.encoding.encode([trial.configuration])[0]), self.probabilities()
        return True

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        rows, probabilities = self._drawn.pop(trial.number)
        reward = self._worst if outcome.failure else _bounded(-outcome.loss)
        if reward is None:  # nothing has succeeded yet
            return
        largest, momentum = self.settings.largest_loss, self.settings.momentum
        if largest is not None and (outcome.failure or outcome.loss >= largest):
            return
        self._worst = reward if self._worst is None else min(self._worst, reward)
        before, self._weight = self._weight, momentum * self._weight + 1 - momentum
        kept = momentum * before / self._weight
        self.baseline = reward if self.baseline is None else kept * self.baseline + (1 - kept) * reward
        active = [j for j, column in enumerate(self.encoding.columns) if column.name in trial.configuration]
        step = -probabilities[active]
        step[np.arange(len(active)), rows[active]] += 1.0
        logits = self.logits[active] + _bounded(self.settings.learning_rate * (reward - self.baseline)) * step
        self.logits[active] = np.clip(logits, -LARGEST, LARGEST, out=logits, where=np.isfinite(logits))

    def _state(self) -> dict[str, Any]:
        return {
            "generator": self.generator.bit_generator.state,
            "logits": self.logits.copy(),
            "baseline": self.baseline,
            "weight": self._weight,
            "worst": self._worst,
            "drawn": dict(self._drawn),
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.generator.bit_generator.state = state["generator"]
        self.logits, self.baseline, self._worst = state["logits"].copy(), state["baseline"], state["worst"]
        self._weight = state["weight"]
        self._drawn = {number: tuple(drawn) for number, drawn in state["drawn"].items()}


def _bounded(number: float) -> float:
    return min(max(number, -LARGEST), LARGEST)
