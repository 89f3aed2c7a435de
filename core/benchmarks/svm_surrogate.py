"""The surrogate of a grid of support vector machines (thesis 4.5.1): two random forests over log C, log gamma, log s.

One is of the validation error, the other of the logarithm of the training time.

    surrogate = SVMSurrogate.fit(records)      # a grid, as recorded by the experiment that collects it
    surrogate = svm_surrogate()                # of the grid on MNIST that is shipped with the repository

A budget is the share s of the training points; loss and cost, in seconds of training, are those that the forests
predict, without noise. A forest splits halfway between values of the grid, so its predictions are constant on the
cells around them: the smallest error at s = 1, `optimum`, is the smallest of those at the grid's own values. The thesis
does not describe its forests; these are `core.benchmarks.forest`'s.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.benchmarks.forest import Forest
from core.benchmarks.objective import Configurations, Evaluation, Fidelity, check_budget
from core.benchmarks.svm_space import svm_space
from core.benchmarks.svm_times import timed_everywhere
from core.errors import UserError

COLUMNS = ("C", "gamma", "share", "valid_error", "seconds")
SHIPPED = Path("results/reference/quick/fabolas/grid/mnist/svm.parquet")
ROOT = Path(__file__).resolve().parents[2]


class SVMSurrogate:
    """The surrogate of one data set: a noise-free `Objective`.

    Args:
        machines: C, gamma and s, (N, 3).
        errors, seconds: (N,).
        seed: seed of the forests.

    Attributes:
        optimum: smallest error with all training points.
    """

    worst_loss = 1.0

    def __init__(
        self, machines: NDArray[np.float64], errors: NDArray[np.float64], seconds: NDArray[np.float64], seed: int = 0
    ) -> None:
        X, shares = np.log(machines), machines[:, 2]
        self.space: ConfigurationSpace = svm_space()
        self.fidelity = Fidelity("share of the training data", float(shares.min()), 1.0)
        self._error, self._log_seconds = Forest(X, errors[:, None], seed), Forest(X, np.log(seconds)[:, None], seed)
        whole = X[shares == 1]
        self.optimum = float(self._error.predict(whole, np.zeros(len(whole), np.int64)).min())

    @classmethod
    def fit(cls, records: pd.DataFrame) -> SVMSurrogate:
        """Fit to the records of a grid: `C`, `gamma`, `share`, `valid_error`, and `seconds`, nan where not timed.

        The forests of the same records are grown once per process.

        Raises:
            UserError: a column is missing, there is no machine with all training points, or times cannot be filled in.
        """
        if missing := [name for name in COLUMNS if name not in records]:
            raise UserError(f"records of a grid: no column {missing[0]!r}; allowed: {', '.join(COLUMNS)}")
        if not (records["share"] == 1).any():
            raise UserError("records of a grid: none has the share 1; needed: machines with all training points")
        grid = timed_everywhere(records)
        return _fitted(grid[list(COLUMNS)].to_numpy(np.float64).tobytes())

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Predict error and seconds of training; the generator is not used.

        Raises:
            UserError: a budget outside the fidelity's range.
        """
        X = self._points(configurations, check_budget(self.fidelity, budget))
        one = np.zeros(len(X), np.int64)
        seconds = np.exp(self._log_seconds.predict(X, one))
        return Evaluation(self._error.predict(X, one), seconds, tuple({} for _ in configurations))

    def errors(self, configurations: Configurations) -> NDArray[np.float64]:
        """Predicted errors with all training points, (n,)."""
        X = self._points(configurations, 1.0)
        return self._error.predict(X, np.zeros(len(X), np.int64))

    def regret(self, configurations: Configurations) -> NDArray[np.float64]:
        """`errors` above the optimum, (n,)."""
        return self.errors(configurations) - self.optimum

    @staticmethod
    def _points(configurations: Configurations, share: float) -> NDArray[np.float64]:
        rows = [(configuration["C"], configuration["gamma"], share) for configuration in configurations]
        return np.log(np.array(rows, np.float64).reshape(-1, 3))


@lru_cache(maxsize=4)
def _fitted(values: bytes) -> SVMSurrogate:
    C, gamma, share, errors, seconds = np.frombuffer(values).reshape(-1, len(COLUMNS)).T
    return SVMSurrogate(np.stack([C, gamma, share], axis=1), errors, seconds)


def svm_surrogate(file: str | Path = ROOT / SHIPPED) -> SVMSurrogate:
    """The surrogate of the grid on MNIST whose records are shipped with the repository.

    Raises:
        UserError: there is no such file; or as `SVMSurrogate.fit`.
    """
    if not Path(file).is_file():
        raise UserError(
            f"svm_surrogate: {file} is missing; it comes with the repository, or make it by `python -m papers run "
            "fabolas/grid --scale quick` and `python -m papers promote fabolas/grid --scale quick`"
        )
    return SVMSurrogate.fit(pd.read_parquet(file))
