"""HPOlib's benchmarks that are tables: SVM, LDA and logistic regression on grids (DNGO Table 1, BOHAMIANN section 6.1).

* `svm_on_grid()`: error of a structured SVM over C (25) x alpha (14) x epsilon (4), 1,400 cells. The catalogue's source
  says 24 values of C; the file has 25, and 1,400 requires 25.
* `lda_on_grid()`: perplexity of online LDA over kappa (6) x tau (6) x s (8), 288 cells. The file has 289 rows because
  the cell (0.5, 1024, 64) was measured twice: 1523.244 in 8,761 s, and later 1520.064 in 10,878 s. HPOlib fills its
  grid row by row, so the later row counts, as it does here. The optimum, 1266.167, is in another cell.
* `logistic_regression_on_grid()`: validation error of logistic regression on MNIST over learning rate (11, as it is
  stored: 0 to 10, of which 0 trains, so these are exponents), L2 penalty (11), batch size (8) and epochs (10).

Each hyperparameter is an ordinal of its grid values, as HPOlib optimizes indices 0..k-1: in the unit cube of
`core.spaces` the grid is equidistant and a continuous point takes the value of the cell that it lies in. The cost is
the recorded time in seconds; there is no noise, and the optimum is the table's minimum.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from ConfigSpace import ConfigurationSpace, OrdinalHyperparameter
from numpy.typing import NDArray

from core.data import CorruptDataError, load_frame
from core.foundation.errors import UserError, brief
from core.objectives.base import Configurations, Evaluation, Fidelity, check_budget


@dataclass(frozen=True)
class GridTable:
    """A full grid of recorded evaluations, an `Objective`.

    Attributes:
        name: Name in the catalogue.
        grid: Values of each hyperparameter, ascending.
        losses, costs: Recorded losses and seconds, one axis per hyperparameter, and a last axis for the budgets if
            there are any.
        budget_name: Unit that a budget counts.
        budgets: Budgets, ascending; empty if everything was recorded on one.
    """

    name: str
    grid: dict[str, tuple[float, ...]]
    losses: NDArray[np.float64] = field(repr=False)
    costs: NDArray[np.float64] = field(repr=False)
    budget_name: str = ""
    budgets: tuple[float, ...] = ()

    @property
    def fidelity(self) -> Fidelity | None:
        """From the smallest budget to the largest; in between, only those that were recorded."""
        return Fidelity(self.budget_name, self.budgets[0], self.budgets[-1]) if self.budgets else None

    @property
    def space(self) -> ConfigurationSpace:
        """One ordinal per hyperparameter."""
        space = ConfigurationSpace(name=self.name)
        space.add(*(OrdinalHyperparameter(name, values) for name, values in self.grid.items()))
        return space

    @property
    def optimum(self) -> float:
        """The smallest loss of the table, on the largest budget."""
        return float(self._whole.min())

    @property
    def optimizer(self) -> dict[str, float]:
        """The configuration with the smallest loss on the largest budget."""
        cell = np.unravel_index(self._whole.argmin(), self._whole.shape)
        return {name: values[i] for (name, values), i in zip(self.grid.items(), cell)}

    @property
    def worst_loss(self) -> float:
        """The largest loss of the table."""
        return float(self.losses.max())

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Look configurations up; draws nothing from the generator.

        Raises:
            UserError: a value that is not on the grid, a budget that was not recorded, or one of a table without.
        """
        columns = [self._indices(name, configurations) for name in self.grid]
        return Evaluation(*self.look_up(np.stack(columns, -1), budget), tuple({} for _ in configurations))

    def look_up(
        self, indices: NDArray[np.int64], budget: float | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Loss and cost, (n,), of configurations given as indices of their values, (n, d).

        Raises:
            UserError: a budget as in `evaluate`.
        """
        budget = check_budget(self.fidelity, budget)
        cells = (*np.moveaxis(indices, -1, 0), *(() if budget is None else (self._recorded(budget),)))
        return self.losses[cells], self.costs[cells]

    @property
    def _whole(self) -> NDArray[np.float64]:
        """The losses on the largest budget."""
        return self.losses[..., -1] if self.budgets else self.losses

    def _recorded(self, budget: float) -> int:
        near = np.flatnonzero(np.isclose(self.budgets, budget, rtol=1e-9))
        if not near.size:
            raise UserError(f"{self.name}: budget {budget:g} was not recorded; allowed: {self.budgets}")
        return int(near[0])

    @cached_property
    def _places(self) -> dict[str, dict[float, int]]:
        """The index of each value."""
        return {name: {value: index for index, value in enumerate(values)} for name, values in self.grid.items()}

    def _indices(self, name: str, configurations: Configurations) -> NDArray[np.int64]:
        places, values = self._places[name], [configuration[name] for configuration in configurations]
        try:
            return np.array([places[value] for value in values], dtype=np.int64)
        except (KeyError, TypeError):
            value: Any = next(value for value in values if not _is_in(places, value))
            raise UserError(
                f"{self.name}: {name} = {brief(value)} is not on the grid; allowed: {self.grid[name]}"
            ) from None


def table_from_frame(name: str, frame: pd.DataFrame, parameters: tuple[str, ...], loss: str, cost: str) -> GridTable:
    """A grid from its rows; if a cell has several rows, the last one counts.

    Raises:
        CorruptDataError: a cell of the grid has no row.
    """
    grid = {parameter: tuple(float(value) for value in np.unique(frame[parameter])) for parameter in parameters}
    shape = tuple(len(values) for values in grid.values())
    cells = tuple(np.searchsorted(grid[parameter], frame[parameter]) for parameter in parameters)
    losses, costs = np.full(shape, np.nan), np.full(shape, np.nan)
    # assigned one after the other: NumPy does not define which of several assignments to an element wins
    for row, cell in enumerate(zip(*cells)):
        losses[cell], costs[cell] = frame[loss].iloc[row], frame[cost].iloc[row]
    if np.isnan(losses).any():
        raise CorruptDataError(f"{name}: {np.isnan(losses).sum()} of {losses.size} cells of the grid have no row")
    return GridTable(name, grid, losses, costs)


def _is_in(places: dict[float, int], value: Any) -> bool:
    try:
        return value in places
    except TypeError:  # it cannot be hashed
        return False


def svm_on_grid(download: bool = True) -> GridTable:
    """The SVM grid, optimum 0.2411 at C = 6000, alpha = 0.1, epsilon = 0.001.

    Raises:
        DataUnavailableError: the file is in none of the catalogue's places.
    """
    frame = load_frame("svm_on_grid", download=download)
    return table_from_frame("svm_on_grid", frame, ("C", "alpha", "epsilon"), "error", "seconds")


def lda_on_grid(download: bool = True) -> GridTable:
    """The LDA grid, optimum 1266.167382 at kappa = 0.5, tau = 16, s = 16384.

    Raises:
        DataUnavailableError: the file is in none of the catalogue's places.
    """
    frame = load_frame("lda_on_grid", download=download)
    return table_from_frame("lda_on_grid", frame, ("kappa", "tau", "s"), "perplexity", "seconds")


def logistic_regression_on_grid(download: bool = True) -> GridTable:
    """Logistic regression on MNIST, optimum 0.0685 at lrate = 3, l2_reg = 0, batchsize = 40, n_epochs = 80.

    Raises:
        DataUnavailableError: the file is in none of the catalogue's places.
    """
    frame = load_frame("authors_logreg_mnist_grid", download=download).rename(columns={"batch_size": "batchsize"})
    parameters = ("lrate", "l2_reg", "batchsize", "n_epochs")
    return table_from_frame("logistic_regression_on_grid", frame, parameters, "valid_error", "seconds")
