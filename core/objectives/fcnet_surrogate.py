"""Surrogates of fully connected networks (thesis C.8): two random forests over the hyperparameters of Table C.1, one of
the validation error after each epoch, one of the seconds that all epochs take.

    surrogate = FCNetSurrogate.fit(records)          # learning curves, as recorded by the experiment that collects them

A budget is a number of seconds of training, and an evaluation costs all of it. With s(x) the predicted seconds of all E
epochs and c_e(x) the predicted error after epoch e, the loss is c_e(x) with e = floor(E budget / s(x)), at most E: "we
extend the curves by the last obtained value". If not even one epoch ends, it is the largest error recorded.

The authors' surrogate (HPOlib's SurrogateReducedParamNetTime) differs in that its six hyperparameters are continuous,
numbers of layers and units included, and that the loss is 1 where no epoch ends: `of_code`.

Budgets follow C.8.2. The largest is the power of 3 that is nearest, in logarithms, to the seconds of "the best
configuration as predicted by the surrogate"; the smallest is the first power of 3 in which most configurations finish
an epoch, here 90% of those that were trained. Where many configurations are about as good as the best, its seconds are
a matter of chance, so ours are the median of the ten best of those that were trained. The smallest loss at the largest
budget, `optimum`, is found by differential evolution.

Where C.8 is silent: the forests are those of `core.objectives.forest`, the seconds are predicted as logarithms, a
network that diverged counts with an error of 1 from then on.
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray
from scipy.optimize import differential_evolution

from core.foundation.errors import UserError
from core.objectives.base import LEARNING_CURVE, Configurations, Evaluation, Fidelity
from core.objectives.forest import Forest
from core.objectives.spaces import surrogate_space
from core.spaces import CubeEncoding

MOST = 0.9  # least share of configurations that finish an epoch in the smallest budget: about Table C.2's four rungs
BEST = 10  # configurations whose median time is the largest budget
POPULATION = 50  # members per hyperparameter in differential evolution; scipy's 15 ends in a local minimum now and then
ITERATIONS = 10_000  # maximum for differential evolution, which ends when its population is on one plateau
LEAST_PARTS = 81  # of a learning curve
NAMES = tuple(surrogate_space())
COLUMNS = (*NAMES, "valid_error", "seconds")


class FCNetSurrogate:
    """The surrogate of one data set: a noise-free `Objective`.

    Args:
        X: Hyperparameters of Table C.1 in its order, (N, 6).
        curves: Errors after each epoch, (N, E), nan once a network has diverged.
        seconds: Time of all epochs, (N,).
        seed: Seed of the forests and of differential evolution.
        of_code: Whether the space, and the loss if no epoch ends, are those of the authors' code.

    Attributes:
        optimum: Smallest loss at the largest budget.
        epochs: E.
    """

    worst_loss = 1.0

    def __init__(
        self,
        X: NDArray[np.float64],
        curves: NDArray[np.float64],
        seconds: NDArray[np.float64],
        seed: int = 0,
        of_code: bool = False,
    ) -> None:
        # All networks may have diverged in their first epoch.
        self._untrained = self.worst_loss if of_code or np.isnan(curves).all() else float(np.nanmax(curves))
        curves = np.where(np.isnan(curves), self.worst_loss, curves)
        self.space: ConfigurationSpace = surrogate_space(floats=of_code)
        self.encoding = CubeEncoding(self.space)
        self._X, self.epochs, self.seed = X, curves.shape[1], seed
        self._error, self._log_seconds = Forest(X, curves, seed), Forest(X, np.log(seconds)[:, None], seed)
        self._epoch_seconds = seconds / self.epochs

    @classmethod
    def fit(cls, records: pd.DataFrame, of_code: bool = False) -> FCNetSurrogate:
        """Fit to learning curves, one row per configuration: the hyperparameters, `valid_error` (a list), `seconds`.

        The forests of the same records are grown once per process.

        Raises:
            UserError: a column is missing, or there are fewer than two configurations.
        """
        if missing := [name for name in COLUMNS if name not in records]:
            raise UserError(f"records of learning curves: no column {missing[0]!r}; allowed: {', '.join(COLUMNS)}")
        if len(records) < 2:
            raise UserError(f"records of {len(records)} learning curves; allowed: at least 2")
        X = records[list(NAMES)].to_numpy(np.float64)
        curves = np.stack(list(records["valid_error"])).astype(np.float64)
        return _fitted(X.tobytes(), curves.tobytes(), records["seconds"].to_numpy(np.float64).tobytes(), of_code)

    @cached_property
    def fidelity(self) -> Fidelity:
        """Seconds of training, between the budgets of C.8.2."""
        errors = self._error.predict(self._X, np.full(len(self._X), self.epochs - 1))
        best = self._X[np.argsort(errors, kind="stable")[:BEST]]
        largest = 3.0 ** round(math.log(np.median(self._seconds(best)), 3))
        smallest = 3.0 ** math.ceil(math.log(np.quantile(self._epoch_seconds, MOST, method="higher"), 3))
        return Fidelity("seconds", min(smallest, largest), largest)

    @cached_property
    def optimum(self) -> float:
        def place(cube: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.stack([column.read(row) for column, row in zip(self.encoding.columns, cube)], axis=1)

        solution = differential_evolution(
            lambda cube: self.losses(place(cube), self.fidelity.maximum),
            [(0.0, 1.0)] * len(NAMES),
            maxiter=ITERATIONS,
            popsize=POPULATION,
            tol=0.0,
            atol=1e-9,
            polish=False,
            vectorized=True,
            updating="deferred",
            rng=self.seed,
        )
        return float(solution.fun)

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Predict the loss of configurations; the generator is not used.

        Raises:
            UserError: a budget outside the fidelity's range.
        """
        budget = self.fidelity.checked(budget)
        losses = self.losses(self.points(configurations), budget)
        return Evaluation(losses, np.full(len(losses), budget), tuple({} for _ in configurations))

    def regret(self, configurations: Configurations) -> NDArray[np.float64]:
        """The loss at the largest budget minus the optimum, (n,)."""
        return self.losses(self.points(configurations), self.fidelity.maximum) - self.optimum

    def losses(self, X: NDArray[np.float64], budget: float | NDArray[np.float64]) -> NDArray[np.float64]:
        """The loss of hyperparameters (n, 6) after a number of seconds, one for all or one each, (n,)."""
        done = np.minimum(np.floor(self.epochs * budget / self._seconds(X)), self.epochs).astype(np.int64)
        return np.where(done > 0, self._error.predict(X, np.maximum(done, 1) - 1), self._untrained)

    def _seconds(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Predicted seconds of all epochs, (n,)."""
        return np.exp(self._log_seconds.predict(X, np.zeros(len(X), np.int64)))

    @staticmethod
    def points(configurations: Configurations) -> NDArray[np.float64]:
        """The values of their hyperparameters, (n, 6)."""
        return np.array([[configuration[name] for name in NAMES] for configuration in configurations], np.float64)


class SurrogateWithCurves:
    """The same objective, but evaluations return their learning curve: losses after equal parts of the largest budget.

    Attributes:
        parts: Number of parts of the largest budget; the budgets of Hyperband with eta = 3 are multiples of one part.
    """

    worst_loss = FCNetSurrogate.worst_loss

    def __init__(self, surrogate: FCNetSurrogate) -> None:
        self.surrogate, self.space, self.fidelity = surrogate, surrogate.space, surrogate.fidelity
        self.parts = max(LEAST_PARTS, round(self.fidelity.maximum / self.fidelity.minimum))

    @property
    def optimum(self) -> float:
        return self.surrogate.optimum

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Predict losses and learning curves; raises as the surrogate's."""
        final = self.surrogate.evaluate(configurations, budget, generator)
        budget = self.fidelity.checked(budget)
        part = self.fidelity.maximum / self.parts
        times = part * np.arange(1, max(1, int(budget / part * (1 + 1e-9))) + 1)
        times[-1] = budget
        X = np.repeat(FCNetSurrogate.points(configurations), len(times), axis=0)
        curves = self.surrogate.losses(X, np.tile(times, len(configurations))).reshape(-1, len(times))
        return Evaluation(final.loss, final.cost, tuple({LEARNING_CURVE: curve} for curve in curves))


@lru_cache(maxsize=4)
def _fitted(X: bytes, curves: bytes, seconds: bytes, of_code: bool) -> FCNetSurrogate:
    times = np.frombuffer(seconds)
    return FCNetSurrogate(
        np.frombuffer(X).reshape(len(times), -1), np.frombuffer(curves).reshape(len(times), -1), times, of_code=of_code
    )
