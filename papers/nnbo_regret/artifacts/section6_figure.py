"""Brofos section 6: minimum regret beside GP-BO's and that of two variants, and the time of an interpolation."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published
from core.report.figures import style
from papers.nnbo_regret.regret_curves import LABELS, SHOWN, queries

CURVES = {
    "least_squares": ("the authors' code", style.BLUE, "-"),
    "printed_variance": ("variance as printed", style.GREEN, "-"),
    "raw_targets": ("targets as they are", style.VERMILION, "-"),
    "gp": ("GP-BO", style.INK, "--"),
}
EXPERIMENTS = {
    "gaussian_mixture": ("mixture", "gaussian_process"),
    "hartmann4_rescaled": ("hartmann", "hartmann_variants", "gaussian_process"),
}


def section6(results: Results, published: Published | None) -> Figure:
    """Mean minimum regret of our methods and of GP-BO on both functions, and seconds over observations."""
    figure, panels = style.subplots(1, 3, width=7.2, height=2.9)
    parts = [_regrets(axes, results, name) for axes, name in zip(panels, EXPERIMENTS, strict=False)]
    parts.append(_seconds(panels[2], results))
    panels[0].set_ylabel("minimum regret")
    style.legend(figure, [panels[1]], 4)
    caption = (
        "Mean minimum regret; the numbers of runs are in the data. GP-BO, which the paper does not show, chooses one "
        "query at a time among the same candidates. Right: processor seconds of one regression on the representation "
        "(mean and standard deviation); the dotted line has slope 1."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _regrets(axes: Axes, results: Results, benchmark: str) -> pd.DataFrame:
    parts = []
    for method, (label, color, dash) in CURVES.items():
        for experiment in EXPERIMENTS[benchmark]:
            try:
                _, minimum, _ = queries(results, experiment, benchmark, SHOWN, method)
            except NotRunError:
                continue
            n = np.arange(1, minimum.shape[1] + 1)
            axes.plot(n, minimum.mean(0), color=color, linestyle=dash, label=label)
            what = {"quantity": f"minimum regret, {benchmark}", "series": label, "runs": len(minimum)}
            parts.append(pd.DataFrame({**what, "x": n, "value": minimum.mean(0)}))
    if not parts:
        raise NotRunError("gaussian_process")
    axes.set(title=LABELS[benchmark], xlabel="queries after 50 uniform points", yscale="log")
    return pd.concat(parts, ignore_index=True)


def _seconds(axes: Axes, results: Results) -> pd.DataFrame:
    frame = results.frame("interpolation")
    if frame.empty:
        raise NotRunError("interpolation")
    summary = frame.groupby("observations")["seconds"].agg(["mean", "std", "size"])
    axes.errorbar(summary.index, summary["mean"], summary["std"], color=style.BLUE, marker="o", markersize=3, capsize=2)
    sizes = summary.index.to_numpy(float)
    axes.plot(sizes, summary["mean"].iloc[-1] * sizes / sizes[-1], color=style.GREY, linestyle=":")
    axes.set(title="Interpolation", xlabel="observations", ylabel="seconds", xscale="log", yscale="log")
    what = {"quantity": "seconds of an interpolation", "series": "mean", "runs": summary["size"].to_numpy()}
    return pd.DataFrame({**what, "x": sizes, "value": summary["mean"].to_numpy()})
