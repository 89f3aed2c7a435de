"""Figures of the grid of support vector machines: errors and times (Fig 4.1), the noise of subsampling (Fig 4.4)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.colors import LogNorm, Normalize
from matplotlib.ticker import FixedLocator, NullLocator

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of
from core.report.figures import style
from core.report.figures.data_sets import data_set_name
from papers.fabolas.grid_runs import MachineGrid, machine_grid, share_text

COLORS = "viridis"  # as in the thesis: blue is good, yellow is bad


def fig4_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 4.1: validation error (top) and training time (bottom) over C and gamma, for four subset sizes."""
    grid = machine_grid(results)
    figure, panels = style.subplots(2, len(grid.shown), width=7.2, height=4.0, sharex=True, sharey=True)
    seconds = grid.seconds[grid.shown]
    kinds = (
        (grid.errors, Normalize(0, 1), "validation error"),
        (grid.seconds, LogNorm(seconds.min(), seconds.max()), "training time in seconds"),
    )
    for row, (values, norm, label) in zip(panels, kinds, strict=True):
        for axes, place in zip(row, grid.shown, strict=True):
            image = axes.pcolormesh(
                np.log(grid.C), np.log(grid.gamma), values[place].T, norm=norm, cmap=COLORS, rasterized=True
            )
            axes.grid(False)
        figure.colorbar(image, ax=row, label=label, pad=0.01, aspect=12)
        row[0].set_ylabel("log gamma")
    for axes, place in zip(panels[0], grid.shown, strict=True):
        axes.set_title(f"s = {share_text(grid.shares[place])}")
    for axes in panels[1]:
        axes.set_xlabel("log C")
    return Figure(figure, _grid_caption(grid), _grid_data(grid))


def fig4_4(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 4.4: variance of the validation error over random subsets, and estimated noise, by subset size."""
    variances = observed_noise(results)
    figure, axes = style.subplots(height=3.0, width=4.8)
    observed = {share: noise for share, noise in variances.items() if share < 1}
    estimated = {share: rows.to_numpy() for share, rows in frame_of(results, "size_noise").groupby("share")["noise"]}
    parts = []
    for kind, found, look in (
        ("subsampling, mean and sd over machines", observed, {"color": style.VERMILION, "marker": "o"}),
        ("Gaussian process, mean and sd of the estimate", estimated, {"color": style.BLUE, "marker": "s"}),
    ):
        shares, values = np.array(list(found)), list(found.values())
        means, spreads = (np.array([getattr(noise, name)() for noise in values]) for name in ("mean", "std"))
        low = np.minimum(spreads, means * (1 - 1e-1))
        axes.errorbar(shares, means, yerr=[low, spreads], label=kind, linestyle="none", capsize=2, **look)
        parts.append(pd.DataFrame({"noise": kind.split(",")[0], "share": shares, "mean": means, "sd": spreads}))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_locator(FixedLocator(list(estimated)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([share_text(share) for share in estimated])
    axes.set(xlabel="subset size s", ylabel="noise variance")
    style.legend(figure, [axes], 1)
    frame = frame_of(results, "subsampling_noise")
    machines, runs = len(next(iter(observed.values()))), frame["run"].nunique()
    caption = (
        f"Variance of the validation error of {machines} machines over {runs} random subsets of each size, and the "
        "noise that a Gaussian process of the errors on subsets of one size estimates. With s = 1 no subset is drawn "
        "and the variance is zero. Bars that would reach below zero end at a tenth of the mean."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def observed_noise(results: Results) -> dict[float, np.ndarray]:
    """Eq. 4.7: the variance over the repetitions of each machine, (machines,), by share in increasing order.

    Raises:
        NotRunError: there are no repetitions.
    """
    frame = frame_of(results, "subsampling_noise")
    name = frame["benchmark"].iloc[0]
    frame = frame[frame["benchmark"] == name]
    if frame["run"].nunique() < 2:
        raise NotRunError(f"subsampling_noise/{name}: two repetitions or more")
    found = frame.groupby(["share", "C", "gamma"])["valid_error"].var(ddof=0)
    return {float(share): rows.to_numpy() for share, rows in found.groupby(level="share")}


def _grid_caption(grid: MachineGrid) -> str:
    sizes = ", ".join(f"{points:,}" for points in grid.points[grid.shown])
    interpolated = [share_text(share) for share, all_ in zip(grid.shares, grid.measured.all((1, 2))) if not all_]
    text = (
        f"Support vector machines on {data_set_name(grid.name)}: {len(grid.C)} values of C by {len(grid.gamma)} of "
        f"gamma, trained on {sizes} points."
    )
    if interpolated:
        text += (
            f" Only {int(grid.measured[-1].sum())} machines were timed for s = {', '.join(interpolated)}; between them "
            "the growth of the logarithm of time from the largest size that was timed throughout is interpolated."
        )
    return text


def _grid_data(grid: MachineGrid) -> pd.DataFrame:
    parts = []
    for place in grid.shown:
        C, gamma = np.meshgrid(grid.C, grid.gamma, indexing="ij")
        columns = {"share": grid.shares[place], "C": C.ravel(), "gamma": gamma.ravel()}
        measured = {name: getattr(grid, name)[place].ravel() for name in ("errors", "seconds", "measured")}
        parts.append(pd.DataFrame({**columns, **measured}))
    return pd.concat(parts, ignore_index=True)
