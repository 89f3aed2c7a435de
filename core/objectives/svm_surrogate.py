"""The surrogate of a grid of support vector machines (thesis 4.5.1): two random forests over log C, log gamma and s.

One is of the validation error, the other of the training time. Ours have log s and the logarithm of the time.

    surrogate = SVMSurrogate.fit(records)      # a grid, as recorded by the experiment that collects it
    surrogate = svm_surrogate()                # of the grid on MNIST that is shipped with the repository
    surrogate = authors_svm_surrogate()        # the authors' own forests

A budget is the share s of the training points; loss and cost, in seconds of training, are those that the forests
predict, without noise. A forest splits halfway between values of the grid, so its predictions are constant on the
cells around them: the smallest error at s = 1, `optimum`, is the smallest of those at the grid's own values. The thesis
does not describe its forests; ours are grown by `core.objectives.forest`.

Support vector machines on MNIST as the authors of Fabolas recorded them: their grid, and their surrogate of it.

* `authors_svm_grid()`: 400 machines, each on ten shares of the 50,000 training points (thesis 4.2): a finite table.
* `authors_svm_surrogate()`: the two forests that Figs 4.5 and 6.3 of the thesis ran on, ten trees each over log C,
  log gamma and s, for every machine and every share between. The incumbents of the authors' runs have its values.

Both have C and gamma of thesis Table 4.1, cost seconds of training, and no noise.

Training times of a grid of support vector machines, where only a part of the largest subsets was timed.

For the largest share s0 of which every machine was timed, and a larger share s, the growth

    g_s(C, gamma) = log t(C, gamma, s) - log t(C, gamma, s0)

is known where t was measured at s; elsewhere it is interpolated linearly in log C and log gamma, and constant beyond
the outermost measured values. Then t(C, gamma, s) = t(C, gamma, s0) e^g.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray
from scipy.interpolate import interpn

from core.data import CorruptDataError, load_frame
from core.foundation.errors import UserError
from core.foundation.installation import workplace
from core.objectives.base import Configurations, Evaluation, Fidelity
from core.objectives.forest import Cells, Forest
from core.objectives.hpolib import GridTable
from core.objectives.spaces import BOUND, SMALLEST_SHARE, svm_space


def timed_everywhere(records: pd.DataFrame) -> pd.DataFrame:
    """The records with a time for every machine, and a column `measured` that says which times were measured.

    Args:
        records: Records with `C`, `gamma`, `share` and `seconds`, the last nan where no time was measured; each share
            has the same grid of C and gamma.

    Raises:
        UserError: no share was timed at every machine, or a larger one was not timed on a grid of C and gamma.
    """
    ordered = records.sort_values(["share", "gamma", "C"], ignore_index=True)
    shares, gammas, Cs = (np.unique(ordered[name]) for name in ("share", "gamma", "C"))
    if len(ordered) != len(shares) * len(gammas) * len(Cs):
        raise UserError(f"{len(ordered)} records of support vector machines; allowed: one for each C, gamma and share")
    seconds = ordered["seconds"].to_numpy(float).reshape(len(shares), len(gammas), len(Cs))
    measured = np.isfinite(seconds)
    whole = measured.all((1, 2))
    if not whole.any():
        raise UserError("records of support vector machines: no share was timed at every C and gamma; needed: one")
    base = np.log(seconds[np.flatnonzero(whole)[-1]])
    logs = np.stack(
        [
            np.log(part) if complete else base + _growth(np.log(part) - base, np.log(gammas), np.log(Cs), share)
            for part, complete, share in zip(seconds, whole, shares, strict=True)
        ]
    )
    return ordered.assign(seconds=np.where(measured, seconds, np.exp(logs)).ravel(), measured=measured.ravel())


def _growth(
    known: NDArray[np.float64], gammas: NDArray[np.float64], Cs: NDArray[np.float64], share: float
) -> NDArray[np.float64]:
    """Growth (gammas, Cs), nan where it is not known, filled in."""
    rows, columns = np.isfinite(known).any(1), np.isfinite(known).any(0)
    inner = known[np.ix_(rows, columns)]
    if not inner.size or np.isnan(inner).any():
        raise UserError(f"share {share:g}: machines were timed that are not a grid of C and gamma; needed: a grid")
    at = np.stack(
        np.meshgrid(
            np.clip(gammas, gammas[rows].min(), gammas[rows].max()),
            np.clip(Cs, Cs[columns].min(), Cs[columns].max()),
            indexing="ij",
        ),
        axis=-1,
    )
    if min(inner.shape) == 1:
        raise UserError(f"share {share:g}: timed at {inner.shape} values of gamma and C; needed: two or more of each")
    return np.asarray(interpn((gammas[rows], Cs[columns]), inner, at))


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


VALUES = 20
"""Of log C and of log gamma, evenly spaced."""


@lru_cache(maxsize=1)
def authors_svm_surrogate(download: bool = True) -> SVMSurrogate:
    """The authors' forests; the smallest error with all training points is 0.0150458.

    On one thread, two million machines a second are looked up as an array (`look_up`), one million as dictionaries.

    Raises:
        DataUnavailableError: a file is in none of the catalogue's places.
    """
    error, time = (
        Cells(load_frame(f"authors_svm_surrogate_{part}", download=download), dimension=3) for part in ("error", "cost")
    )
    return SVMSurrogate(error, time, np.unique(error.corners[:, :2], axis=0), SMALLEST_SHARE, logarithmic=False)


def authors_svm_grid(download: bool = True) -> GridTable:
    """The authors' grid: optimum 0.015 with all training points.

    Shares and logarithms of C and gamma, which the file has with six decimals, are those that they round.

    Raises:
        DataUnavailableError: the file is in none of the catalogue's places.
        CorruptDataError: a machine that is missing on a share.
    """
    frame = load_frame("authors_svm_mnist_grid", download=download)
    axis = np.linspace(-BOUND, BOUND, VALUES)
    places = [
        np.rint((frame[name] + BOUND) / (2 * BOUND) * (VALUES - 1)).astype(int) for name in ("log_c", "log_gamma")
    ]
    exponents = np.rint(np.log2(frame["s"])).astype(int)
    shares = np.unique(exponents)
    losses, costs = np.full((2, VALUES, VALUES, len(shares)), np.nan)
    cells = *places, np.searchsorted(shares, exponents)
    losses[cells], costs[cells] = frame["valid_error"], frame["seconds"]
    if missing := np.isnan(losses).sum():
        raise CorruptDataError(f"authors_svm_mnist_grid: {missing} of {losses.size} machines are missing")
    values = tuple(np.exp(axis).tolist())
    budgets = tuple((2.0**shares).tolist())
    return GridTable(
        "authors_svm_grid", {"C": values, "gamma": values}, losses, costs, "share of the training data", budgets
    )
