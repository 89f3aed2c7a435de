"""Which methods are better than which: one-sided Mann-Whitney U tests of all ordered pairs (thesis 8.4.2).

A sample of a method is one number a task, its mean loss over the runs after the last evaluation; on a single task it is
the losses of its runs. A small p-value is
evidence that the method of the column is better than that of the row. With K methods there are K (K - 1) tests, of
which 5% are below 0.05 if no method differs from another; `holm` says which are below it for all tests together.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.report.figures import style
from core.report.runs.task_runs import Runs

LEVEL = 0.05


def final_samples(losses: Runs, evaluation: int | None = None) -> dict[str, np.ndarray]:
    """Mean losses over the runs after an evaluation, by default the last, by method (tasks,); of one task (runs,)."""
    place = -1 if evaluation is None else evaluation - 1
    return {
        method: values[:, :, place].mean(1) if len(values) > 1 else values[0, :, place]
        for method, values in losses.items()
    }


def p_values(samples: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """P-values of "the column's method is not better than the row's", nan on the diagonal.

    Args:
        samples: Samples by method, (n,); lower is better.
    """
    from scipy.stats import mannwhitneyu  # takes a second to import, and few drawings need it

    p = pd.DataFrame(np.nan, index=list(samples), columns=list(samples))
    for row, theirs in samples.items():
        for column, ours in samples.items():
            if row != column:
                p.loc[row, column] = mannwhitneyu(ours, theirs, alternative="less").pvalue
    return p


def holm(p: pd.DataFrame, level: float = LEVEL) -> pd.DataFrame:
    """Which tests reject at a level for all of them together, by Holm's step-down procedure (1979)."""
    values = p.to_numpy().ravel()
    order = np.argsort(values)  # nan, the diagonal, comes last
    tests = int(np.isfinite(values).sum())
    passes = values[order][:tests] <= level / np.arange(tests, 0, -1)
    rejected = np.zeros(values.size, dtype=bool)
    rejected[order[:tests]] = np.logical_and.accumulate(passes)
    return pd.DataFrame(rejected.reshape(p.shape), index=p.index, columns=p.columns)


def draw_p_values(axes: Axes, p: pd.DataFrame) -> None:
    """Draw p-values as a heat map with their numbers, bold where Holm's procedure rejects."""
    axes.imshow(p.to_numpy(), cmap="Blues_r", vmin=0, vmax=2 * LEVEL, interpolation="nearest")
    sure, labels = holm(p), [style.label(method) for method in p]
    for (row, column), value in np.ndenumerate(p.to_numpy()):
        if np.isfinite(value):
            weight = "bold" if sure.iloc[row, column] else "normal"
            ink = "white" if value < LEVEL else style.INK
            text, size = (f"{value:.2f}", 6) if value >= 0.005 else ("<.005", 5)  # what fits into a cell
            axes.text(column, row, text, ha="center", va="center", fontsize=size, color=ink, weight=weight)
    axes.set_xticks(range(len(p)), labels, rotation=45, ha="right")
    axes.set_yticks(range(len(p)), labels)
    axes.grid(visible=False)
