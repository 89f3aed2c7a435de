"""Figures of the grid of support vector machines: errors and times (Fig 4.1), the noise of subsampling (Fig 4.4)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm, Normalize
from matplotlib.ticker import FixedLocator, NullLocator

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of
from core.report.figures import style
from core.report.figures.data_sets import data_set_name
from papers.fabolas.grid_runs import SHOWN, MachineGrid, both_grids, share_text

COLORS = "viridis"  # as in the thesis: blue is good, yellow is bad
OWNERS = {"authors": "the authors' grid", "ours": "our grid"}


def fig4_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 4.1: validation errors and training times over C and gamma for four subset sizes, theirs and ours."""
    grids = both_grids(results)
    figure, panels = style.subplots(
        2 * len(grids), len(SHOWN), width=7.2, height=1.85 * 2 * len(grids), sharex=True, sharey=True, squeeze=False
    )
    seconds = np.concatenate([grid.seconds[grid.shown].ravel() for grid in grids.values()])
    kinds = (
        ("errors", Normalize(0, 1), "validation error"),
        ("seconds", LogNorm(seconds.min(), seconds.max()), "training time in seconds"),
    )
    for number, (kind, norm, label) in enumerate(kinds):
        rows = panels[number * len(grids) : (number + 1) * len(grids)]
        for row, (owner, grid) in zip(rows, grids.items(), strict=True):
            for axes, place in zip(row, grid.shown, strict=True):
                image = _draw(axes, grid, getattr(grid, kind)[place], norm)
                axes.set_title(f"s = {share_text(grid.shares[place])}")
            row[0].set_ylabel(f"{OWNERS[owner]}\nlog gamma")
        figure.colorbar(image, ax=rows, label=label, pad=0.01, aspect=12 * len(grids))
    for axes in panels[-1]:
        axes.set_xlabel("log C")
    caption = " ".join(_grid_caption(owner, grid) for owner, grid in grids.items())
    data = [_grid_data(grid).assign(grid=owner) for owner, grid in grids.items()]
    return Figure(figure, caption, pd.concat(data, ignore_index=True))


def _draw(axes: Axes, grid: MachineGrid, values: np.ndarray, norm: Normalize) -> QuadMesh:
    image = axes.pcolormesh(np.log(grid.C), np.log(grid.gamma), values.T, norm=norm, cmap=COLORS, rasterized=True)
    axes.grid(False)
    return image


def fig4_4(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 4.4: variance of the validation error over random subsets, and estimated noise, by subset size."""
    variances = observed_noise(results)
    figure, axes = style.subplots(height=3.0, width=4.8)
    observed = {share: noise for share, noise in variances.items() if share < 1}
    estimated = _estimated_noise(frame_of(results, "size_noise"))
    series = [
        ("subsampling, mean and sd over machines", observed, {"color": style.VERMILION, "marker": "o"}),
        ("Gaussian process, mean and sd of the estimate", estimated, {"color": style.BLUE, "marker": "s"}),
    ]
    theirs = results.frame("authors_size_noise")
    if len(theirs):
        look = {"color": style.BLUE, "marker": "s", "markerfacecolor": "none"}
        series.append(("the same on the authors' grid", _estimated_noise(theirs), look))
    parts = []
    for number, (kind, by_share, look) in enumerate(series):
        shares, values = np.array(list(by_share)) * 2.0 ** (0.2 * (number - 1)), list(by_share.values())
        means, spreads = (np.array([getattr(noise, name)() for noise in values]) for name in ("mean", "std"))
        low = np.minimum(spreads, means * (1 - 1e-1))
        axes.errorbar(shares, means, yerr=[low, spreads], label=kind, linestyle="none", capsize=2, **look)
        parts.append(pd.DataFrame({"noise": kind.split(",")[0], "share": list(by_share), "mean": means, "sd": spreads}))
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
    if len(theirs):
        caption += " The authors' grid has 50,000 points; how its errors vary over subsets is not at hand."
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _estimated_noise(frame: pd.DataFrame) -> dict[float, np.ndarray]:
    """Samples of the noise variance by share."""
    return {float(share): rows.to_numpy() for share, rows in frame.groupby("share")["noise"]}


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
    variances = frame.groupby(["share", "C", "gamma"])["valid_error"].var(ddof=0)
    return {float(share): rows.to_numpy() for share, rows in variances.groupby(level="share")}


def _grid_caption(owner: str, grid: MachineGrid) -> str:
    sizes = ", ".join(f"{points:,}" for points in grid.points[grid.shown])
    interpolated = [share_text(share) for share, all_ in zip(grid.shares, grid.measured.all((1, 2))) if not all_]
    text = (
        f"{OWNERS[owner].capitalize()}: support vector machines on {data_set_name(grid.name)}, {len(grid.C)} values of "
        f"C by {len(grid.gamma)} of gamma, trained on {sizes} points."
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
