"""Thesis Fig 4.2: the kernels of the loss and of the log cost across subset sizes, as they come from their class."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Figure, Published
from core.report.figures import style

FIXED = (0.0, 0.25, 0.5, 0.75, 1.0)  # s' of the curves
POINTS = 101
SHADES = style.sequential(len(FIXED))


def fig4_2(results: Results, published: Published | None) -> Figure:
    """Kernel values k(s, s') over s, with the basis of the loss (left) and of the log cost (right)."""
    data = kernel_values()
    figure, panels = style.subplots(1, 2, width=6.3, height=2.6, sharex=True)
    for axes, (kind, rows) in zip(panels, data.groupby("kernel", sort=False), strict=True):
        for number, (other, curve) in enumerate(rows.groupby("other")):
            look = {"color": SHADES[number], "linestyle": style.DASHES[number % len(style.DASHES)]}
            axes.plot(curve["s"], curve["value"], label=f"s' = {other:g}", **look)
        axes.set(title=kind, xlabel="s", ylim=(0, 2.1))
    panels[0].set_ylabel("k(s, s')")
    style.legend(figure, [panels[0]], len(FIXED))
    caption = (
        "Values of the kernel across subset sizes, as functions of s for five fixed s': of the loss, with the basis "
        "(1, (1 - s)^2), and of the logarithm of the cost, with (1, s). The weights of the basis functions are "
        "independent with unit variance. Here s is 0 for the smallest subset and 1 for all of the data."
    )
    return Figure(figure, caption, data)


def kernel_values() -> pd.DataFrame:
    """`value` of each `kernel` at `s` and the `other` s', with L the identity."""
    import torch

    from core.models.kernels import LOG_COST, LOSS
    from core.models.kernels.product import BasisKernel

    s, other = torch.linspace(0, 1, POINTS, dtype=torch.float64), torch.tensor(FIXED, dtype=torch.float64)
    frames = []
    for name, basis in (("loss", LOSS), ("log cost", LOG_COST)):
        kernel = BasisKernel(basis).double()
        kernel.entries.data.zero_()  # L_10 = 0 and log L_11 = 0
        values = kernel(s[:, None], other[:, None]).to_dense().detach().numpy()
        place, fixed = np.meshgrid(s.numpy(), FIXED, indexing="ij")
        columns = {"kernel": name, "s": place.ravel(), "other": fixed.ravel(), "value": values.ravel()}
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)
