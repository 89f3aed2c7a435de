"""The best configuration and those that differ from it in one hyperparameter (thesis 7.3.2, Tables 7.3 and D.1 to D.4).

Ordinal hyperparameters move to the next lower and the next higher value, categorical ones to every other value. With
y_new the average test error of the neighbour and y* that of the best, the relative change is (y_new - y*) / y*.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.tabular.grid import Grid
from core.tabular.table import Table
from core.tabular.values import CATEGORICAL


def neighbours(grid: Grid, position: int) -> list[int]:
    """The positions that differ in one hyperparameter by one step, in the order of the hyperparameters."""
    level = grid.levels([position])[0]
    positions = []
    for axis, (name, size) in enumerate(zip(grid.values, grid.shape)):
        here = int(level[axis])
        others = range(size) if name in CATEGORICAL else (here - 1, here + 1)
        for other in others:
            if other != here and 0 <= other < size:
                moved = level.copy()
                moved[axis] = other
                positions.append(int(np.ravel_multi_index(moved, grid.shape)))
    return positions


def local_neighbourhood(table: Table) -> pd.DataFrame:
    """The neighbourhood of the configuration that is best on the test data.

    Returns:
        hyperparameter, before, after, test_mse and one column per repetition (`test_mse_0`, ..), relative_change; the
        smallest change first, as the thesis lists them.
    """
    grid, best = table.grid, table.best
    (start,) = grid.configurations([best])
    rows = []
    for position in neighbours(grid, best):
        (configuration,) = grid.configurations([position])
        (name,) = (name for name in grid.values if configuration[name] != start[name])
        error = table.mean_final[position]
        rows.append(
            {
                "hyperparameter": name,
                "before": start[name],
                "after": configuration[name],
                "test_mse": error,
                **{f"test_mse_{i}": float(value) for i, value in enumerate(table.final_mse[position])},
                "relative_change": error / table.mean_final[best] - 1,
            }
        )
    return pd.DataFrame(rows).sort_values("relative_change", kind="stable", ignore_index=True)
