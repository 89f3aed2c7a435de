"""Support vector machines on subsets: the grid (Fig 4.1), models across subset sizes (4.2, 4.3), noise (4.4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.ticker import FixedLocator, NullLocator

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of, style
from core.report.runs.frames import count_runs
from core.report.style import data_set_name
from papers.fabolas.grid_runs import SHOWN, MachineGrid, both_grids, observed_noise, share_text

COLORS = "viridis"  # as in the thesis: blue is good, yellow is bad
OWNERS = {"authors": "the authors' grid", "ours": "our grid"}

FIXED = (0.0, 0.25, 0.5, 0.75, 1.0)  # s' of the curves of Fig 4.2
POINTS = 101
SHADES = style.sequential(len(FIXED))

MACHINES = ("best machine", "better", "worse", "worst machine")
EXPERIMENTS = {"authors_subset_models": "the authors' grid", "subset_models": "our grid"}
LABELS = {"error": "validation error", "log seconds": "training time in seconds"}


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
                values, look = getattr(grid, kind)[place].T, {"norm": norm, "cmap": COLORS, "rasterized": True}
                image = axes.pcolormesh(np.log(grid.C), np.log(grid.gamma), values, **look)
                axes.grid(False)
                axes.set_title(f"s = {share_text(grid.shares[place])}")
            row[0].set_ylabel(f"{OWNERS[owner]}\nlog gamma")
        figure.colorbar(image, ax=rows, label=label, pad=0.01, aspect=12 * len(grids))
    for axes in panels[-1]:
        axes.set_xlabel("log C")
    caption = " ".join(_grid_caption(owner, grid) for owner, grid in grids.items())
    data = [_grid_data(grid).assign(grid=owner) for owner, grid in grids.items()]
    return Figure(figure, caption, pd.concat(data, ignore_index=True))


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

    from core.models.kernels import LOG_COST, LOSS, BasisKernel

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


def fig4_3(results: Results, published: Published | None) -> Figure:
    """Predicted (solid) and actual (dashed) errors and training times of some machines over the subset size."""
    frames = {name: frame for name in EXPERIMENTS if len(frame := results.frame(name))}
    if not frames:
        raise NotRunError("subset_models")
    figure, panels = style.subplots(len(frames), 2, width=6.6, height=2.8 * len(frames), squeeze=False)
    parts = [
        _draw_row(row, EXPERIMENTS[name], frame) for row, (name, frame) in zip(panels, frames.items(), strict=True)
    ]
    for color, label in zip(style.sequential(len(MACHINES)), MACHINES, strict=True):
        panels[0, 0].plot([], [], color=color, linewidth=3, label=label)
    panels[0, 0].plot([], [], color=style.INK, label="predicted, with two sd")
    panels[0, 0].plot([], [], "--", color=style.INK, marker="o", markersize=3, label="actual")
    style.legend(figure, [panels[0, 0]], 3)
    counts = [
        f"{EXPERIMENTS[name]}, one draw of {frame.groupby('run')['machine'].nunique().iloc[0]} machines out of "
        f"{count_runs(frame)}"
        for name, frame in frames.items()
    ]
    caption = (
        "Predictions of Gaussian processes across subset sizes for some machines. They are trained on the machines' "
        "errors and times in the gray range. Shown are machines from the best (dark) to the worst (light); of times "
        f"those that were measured on all sizes. {'; '.join(counts).capitalize()}."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _draw_row(panels: Sequence[Axes], title: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Errors on the left, times on the right, of the first run; returns what was drawn."""
    first = frame[frame["run"] == frame["run"].min()]
    shares = np.array(sorted(frame["share"].unique()))
    parts = []
    for axes, quantity in zip(panels, LABELS, strict=True):
        rows = first[first["quantity"] == quantity]
        kept = spread_machines(rows)
        for color, machine in zip(style.sequential(len(kept)), kept, strict=True):
            scale = np.exp if quantity == "log seconds" else np.asarray
            of_one = rows[rows["machine"] == machine]
            shares_of_one, mean, sd = of_one["share"], of_one["mean"], of_one["sd"]
            axes.plot(shares_of_one, scale(mean), color=color)
            axes.plot(shares_of_one, scale(of_one["actual"]), "--", color=color, marker="o", markersize=3)
            low, high = scale(mean - 2 * sd), scale(mean + 2 * sd)
            axes.fill_between(shares_of_one, low, high, color=color, alpha=0.12, linewidth=0)
        trained = rows.loc[rows["trained"], "share"]
        axes.axvspan(trained.min(), trained.max(), color=style.GREY, alpha=0.12, linewidth=0)
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(FixedLocator(shares))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticklabels([share_text(share) for share in shares], rotation=60 if len(shares) > 6 else 0)
        axes.set(xlabel="subset size s", ylabel=LABELS[quantity], title=title)
        parts.append(rows[rows["machine"].isin(kept)])
    panels[1].set_yscale("log")
    return pd.concat(parts, ignore_index=True).assign(grid=title)


def spread_machines(rows: pd.DataFrame) -> list[int]:
    """Of the machines with an actual value on each subset size, some whose values at s = 1 are spread over all."""
    complete = rows.groupby("machine")["share"].transform("nunique") == rows["share"].nunique()
    ordered = rows[complete & (rows["share"] == 1)].sort_values("actual")["machine"].to_numpy()
    places = np.linspace(0, len(ordered) - 1, min(len(MACHINES), len(ordered))).round().astype(int)
    return list(ordered[places])


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
