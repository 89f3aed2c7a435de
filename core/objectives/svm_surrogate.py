"""The surrogate of a grid of support vector machines (thesis 4.5.1): two random forests over log C, log gamma and s.

One is of the validation error, the other of the training time. Ours have log s and the logarithm of the time.

    surrogate = SVMSurrogate.fit(records)      # a grid, as recorded by the experiment that collects it
    surrogate = svm_surrogate()                # of the grid on MNIST that is shipped with the repository
    surrogate = authors_svm_surrogate()        # the authors' own forests, in `core.objectives.authors_svm`

A budget is the share s of the training points; loss and cost, in seconds of training, are those that the forests
predict, without noise. A forest splits halfway between values of the grid, so its predictions are constant on the
cells around them: the smallest error at s = 1, `optimum`, is the smallest of those at the grid's own values. The thesis
does not describe its forests; ours are grown by `core.objectives.forest`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.foundation.errors import UserError
from core.foundation.installation import workplace
from core.objectives.base import Configurations, Evaluation, Fidelity
from core.objectives.forest import Cells, Forest
from core.objectives.svm_space import svm_space
from core.objectives.svm_times import timed_everywhere

COLUMNS = ("C", "gamma", "share", "valid_error", "seconds")
SEED = 0  # of the forests
SHIPPED = Path("results/reference/quick/fabolas/grid/mnist/svm.parquet")


class SVMSurrogate:
    """The surrogate of one data set: a noise-free `Objective`.

    Args:
        error, time: Forests over log C, log gamma and the share, or its logarithm.
        machines: Values of log C and log gamma, (N, 2), one pair in each cell in which the error is constant.
        smallest: Smallest share of the training points.
        logarithmic: Whether the forests use the logarithms of share and seconds.

    Attributes:
        optimum: Smallest error with all training points.
    """

    worst_loss = 1.0

    def __init__(
        self,
        error: Forest | Cells,
        time: Forest | Cells,
        machines: NDArray[np.float64],
        smallest: float,
        logarithmic: bool = True,
    ) -> None:
        self.space: ConfigurationSpace = svm_space()
        self.fidelity = Fidelity("share of the training data", smallest, 1.0)
        self._error, self._time, self._logarithmic = error, time, logarithmic
        self.optimum = float(self.look_up(machines)[0].min())

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
        return Evaluation(*self.look_up(self._logs(configurations), budget), tuple({} for _ in configurations))

    def look_up(
        self, logs: NDArray[np.float64], budget: float | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Error and seconds, (n,), of machines given by log C and log gamma, (n, 2).

        Raises:
            UserError: as `evaluate`.
        """
        share = self.fidelity.checked(budget)
        X = np.column_stack([logs, np.full(len(logs), np.log(share) if self._logarithmic else share)])
        one = np.zeros(len(X), np.int64)
        time = self._time.predict(X, one)
        return self._error.predict(X, one), np.exp(time) if self._logarithmic else time

    def errors(self, configurations: Configurations) -> NDArray[np.float64]:
        """Predicted errors with all training points, (n,)."""
        return self.look_up(self._logs(configurations))[0]

    def regret(self, configurations: Configurations) -> NDArray[np.float64]:
        """`errors` above the optimum, (n,)."""
        return self.errors(configurations) - self.optimum

    @staticmethod
    def _logs(configurations: Configurations) -> NDArray[np.float64]:
        rows = [(configuration["C"], configuration["gamma"]) for configuration in configurations]
        return np.log(np.array(rows, np.float64).reshape(-1, 2))


@lru_cache(maxsize=4)
def _fitted(values: bytes) -> SVMSurrogate:
    machines, (errors, seconds) = np.split(np.frombuffer(values).reshape(-1, len(COLUMNS)).T, [3])
    X = np.log(machines.T.copy())
    error, time = Forest(X, errors[:, None], SEED), Forest(X, np.log(seconds)[:, None], SEED)
    return SVMSurrogate(error, time, X[machines[2] == 1, :2], float(machines[2].min()))


def svm_surrogate(file: str | Path | None = None) -> SVMSurrogate:
    """The surrogate of the grid on MNIST whose records are shipped with the repository.

    Raises:
        UserError: there is no such file; or as `SVMSurrogate.fit`.
    """
    file = workplace() / SHIPPED if file is None else Path(file)
    if not file.is_file():
        raise UserError(
            f"svm_surrogate: {file} is missing; it comes with the repository, or make it by `python -m papers run "
            "fabolas/grid --scale quick` and `python -m papers promote fabolas/grid --scale quick`"
        )
    return SVMSurrogate.fit(pd.read_parquet(file))
