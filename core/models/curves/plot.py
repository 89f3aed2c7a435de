"""A figure of fitted learning curves: observations and predictions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from core.foundation.errors import UserError, brief
from core.foundation.installation import needed_for
from core.foundation.validation import require_count
from core.models.curves.base import CurveModel

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_curves(model: CurveModel, curves: int | list[int] = 6) -> Figure:
    """One panel per curve: observed epochs as dots, predictions as a line with two standard deviations.

    Args:
        model: Fitted model of learning curves.
        curves: Indices of fitted curves, or the number of curves to pick, evenly spaced among all.

    Raises:
        UserError: before `fit`.
        UserError: curves that do not exist.
    """
    with needed_for("plot"):
        from matplotlib import pyplot

    observed = model.observed
    number = len(observed.values)
    if isinstance(curves, Iterable):
        chosen = [require_count(f"curves[{place}]", index, least=0) for place, index in enumerate(curves)]
        if not chosen or max(chosen) >= number:
            raise UserError(
                f"curves is {brief(curves)}; allowed: a number of curves, or indices from 0 to {number - 1}"
            )
    else:
        count = require_count("curves", curves, f", or a list of indices from 0 to {number - 1}")
        chosen = np.unique(np.linspace(0, number - 1, min(count, number)).astype(int)).tolist()
    mean, variance = model.extrapolate(observed.times)
    columns = min(3, len(chosen))
    rows = -(-len(chosen) // columns)
    figure, panels = pyplot.subplots(
        rows, columns, figsize=(2.4 * columns + 0.6, 1.9 * rows + 0.5), sharex=True, squeeze=False, layout="constrained"
    )
    epochs = np.arange(1, observed.epochs + 1)
    for axes, curve in zip(panels.flat, chosen):
        spread = 2 * np.sqrt(variance[curve])
        axes.fill_between(epochs, mean[curve] - spread, mean[curve] + spread, alpha=0.25, linewidth=0)
        axes.plot(epochs, mean[curve], label="predicted")
        axes.plot(epochs, observed.values[curve], "k.", markersize=3, label="observed")
        axes.set_title(f"curve {curve}", fontsize="small")
    for axes in panels.flat[len(chosen) :]:
        axes.set_axis_off()
    figure.supxlabel("epoch")
    panels.flat[0].legend(frameon=False, fontsize="small")
    return figure
