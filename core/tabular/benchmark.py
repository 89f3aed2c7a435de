"""Hyperparameter optimization on a table (thesis 7.4): the results of trainings, looked up.

An evaluation draws one of the repetitions at random for each configuration. Its loss is that repetition's validation
error after the budget's epochs (truncated: 33.3 epochs are 33), its cost the repetition's training seconds times the
share of the epochs, or that share where the table has no times. `info` holds what an optimizer must not see: the
average test error after all epochs, from which the regret is computed (`core.report.runs.trajectories`), or where the
table has none the average validation error, and the configuration's position; on request also what it may see, the
validation errors of that repetition after each epoch so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import ArrayLike, NDArray

from core.foundation.errors import UserError
from core.objectives.base import LEARNING_CURVE, Configurations, Evaluation, Fidelity, check_budget
from core.tabular.table import Table, mean_error

TEST_ERROR, VALIDATION_ERROR, POSITION = "test_error", "validation_error", "position"  # the keys of `info`
ROUNDING = 1e-9  # a budget this close below a whole number counts as that number: b_max eta^-s is computed in floats


@dataclass(frozen=True)
class TabularBenchmark:
    """An `Objective`. Its space has the values of the table's grid only, so that every configuration can be looked up.

    Attributes:
        table: Table of the recorded trainings.
        learning_curves: Whether evaluations return their learning curve.
        averaged: Whether losses and costs are averages over the repetitions, without noise.

    Raises:
        UserError: learning curves are requested of a table that does not store them, or of averages.
    """

    table: Table
    learning_curves: bool = False
    averaged: bool = False

    def __post_init__(self) -> None:
        if self.learning_curves and self.table.curves is None:
            raise UserError(f"{self.table.dataset}: learning curves are not stored; allowed: learning_curves = False")
        if self.learning_curves and self.averaged:
            raise UserError(f"{self.table.dataset}: averages have no learning curves; allowed: averaged = False")

    @property
    def space(self) -> ConfigurationSpace:
        """The space of the grid."""
        return self.table.grid.space

    @cached_property
    def fidelity(self) -> Fidelity:
        """Epochs from the first stored to the last; in between, only those that are stored."""
        first = self.table.epochs[0] if self.table.curves is None else 1
        return Fidelity("epochs", float(first), float(self.table.epochs[-1]))

    @property
    def optimum(self) -> float:
        """The lowest average validation error after all epochs. A single repetition may be below it."""
        return float(self.table.mean_valid[:, -1].min())

    @cached_property
    def final_optimum(self) -> float:
        """The lowest average error that regrets are measured from: the test error's, as in the thesis, if stored."""
        return float(self.table.mean_final.min())

    @cached_property
    def worst_loss(self) -> float:
        """The largest finite validation error of the table."""
        errors = self.table.valid_mse
        return float(errors[np.isfinite(errors)].max())

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Look configurations up; the loss of a training that had diverged by then is nan or infinite.

        Raises:
            UserError: a configuration that the grid does not have, a budget outside the fidelity's range, or one whose
                epoch is not stored.
        """
        positions = self.table.grid.positions(configurations)
        epoch, repetitions = self._drawn(positions, budget, generator)
        loss, cost = self._loss_and_cost(positions, repetitions, epoch)
        key = VALIDATION_ERROR if self.table.test_mse is None else TEST_ERROR
        final = self.table.mean_final[positions].tolist()
        info = [{key: error, POSITION: place} for error, place in zip(final, positions.tolist())]
        if self.learning_curves:
            curves = self.table.curves[positions, repetitions, :epoch].astype(np.float64) ** 2
            curves[:, -1] = loss  # which is stored in full
            for entry, curve in zip(info, curves, strict=True):
                entry[LEARNING_CURVE] = curve
        return Evaluation(loss, cost, tuple(info))

    def look_up(
        self, positions: ArrayLike, budget: float | None, generator: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Loss and cost of the configurations at these positions (n,) of the grid; raises as `evaluate`."""
        positions = np.asarray(positions)
        epoch, repetitions = self._drawn(positions, budget, generator)
        return self._loss_and_cost(positions, repetitions, epoch)

    def _drawn(
        self, positions: NDArray[np.int64], budget: float | None, generator: np.random.Generator
    ) -> tuple[int, NDArray[np.int64]]:
        """The budget's epoch, and a repetition (n,) for each configuration, always 0 of averages."""
        epoch = int(check_budget(self.fidelity, budget) * (1 + ROUNDING))
        if self.averaged:
            return epoch, np.zeros(positions.shape, np.int64)
        return epoch, generator.integers(self.table.repetitions, size=positions.shape)

    def _loss_and_cost(
        self, positions: NDArray[np.int64], repetitions: NDArray[np.int64], epoch: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        share = epoch / self.table.epochs[-1]
        return self._valid(epoch)[positions, repetitions], self._seconds[positions, repetitions] * share

    def _valid(self, epoch: int) -> NDArray[np.float64]:
        """Validation errors after the given number of epochs, (n, R), or their averages, (n, 1); converted once."""
        if epoch not in self._converted:
            errors = self.table.valid_at(epoch)
            self._converted[epoch] = mean_error(errors)[:, None] if self.averaged else errors
        return self._converted[epoch]

    @cached_property
    def _converted(self) -> dict[int, NDArray[np.float64]]:
        return {}

    @cached_property
    def _seconds(self) -> NDArray[np.float64]:
        """For the whole training, of each repetition or their averages; 1 where the table has no times."""
        if self.table.seconds is None:
            return np.ones((self.table.grid.size, self.table.repetitions))
        seconds = self.table.seconds.astype(np.float64)
        return seconds.mean(axis=1, keepdims=True) if self.averaged else seconds
