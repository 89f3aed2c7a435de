"""Brofos Figs 2b and 2c: average and minimum regret, and those of the authors' own Gaussian process."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import Figure, Published
from core.report.figures import style
from core.report.figures.bands import draw_line
from core.report.verdicts.published_runs import published_runs
from papers.nnbo_regret.regret_curves import LABELS, SHOWN, queries


def fig2b(results: Results, published: Published | None) -> Figure:
    """Brofos Fig 2b: average and minimum regret on the Gaussian mixture."""
    return _regret(results, "mixture", "gaussian_mixture", published_runs("nnbo_regret/fig2b_runs"))


def fig2c(results: Results, published: Published | None) -> Figure:
    """Brofos Fig 2c: average and minimum regret on the Hartmann function."""
    return _regret(results, "hartmann", "hartmann4_rescaled", published_runs("nnbo_regret/fig2c_runs"))


def _regret(results: Results, experiment: str, benchmark: str, theirs: pd.DataFrame) -> Figure:
    """Mean over runs of R_m / m and Q_m with the middle 80% of the runs; the authors' dashed."""
    average, minimum, _ = queries(results, experiment, benchmark, SHOWN)
    figure, axes = style.subplots(height=3.0)
    parts = []
    curves = (("average regret", average, style.VERMILION), ("minimum regret", minimum, style.BLUE))
    for label, values, color in curves:
        n = np.arange(1, values.shape[1] + 1)
        low, high = np.quantile(values, [0.1, 0.9], axis=0)
        draw_line(axes, n, values.mean(0), low, high, {"color": color, "label": label})
        series = {"series": label, "query": n, "mean": values.mean(0), "quantile_10": low, "quantile_90": high}
        parts.append(pd.DataFrame(series))
    for (label, mean), color in zip(gp_regrets(theirs).items(), (style.VERMILION, style.BLUE), strict=True):
        axes.plot(mean.index, mean, color=color, linestyle="--", label=label)
        parts.append(pd.DataFrame({"series": label, "query": mean.index, "mean": mean.to_numpy()}))
    axes.set_yscale("log")
    axes.set_xlabel("queries after 50 uniform points")
    axes.set_ylabel("regret")
    style.legend(figure, [axes], 2)
    caption = (
        f"{LABELS[benchmark]}; means and middle 80% of {len(average)} runs. The minimum includes the uniform points; "
        "it can approach zero only as far as the grid of candidates allows. Dashed: means of the authors' own runs "
        "of a Gaussian process, one query after the other."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def gp_regrets(runs: pd.DataFrame) -> dict[str, pd.Series]:
    """Means over the authors' runs of R_m / m and Q_m by query, of those runs that reached it.

    Args:
        runs: `query`, 0 for the best of the initial points, and the regret of each run, nan after its end.
    """
    regret = runs.set_index("query")
    queries = regret.loc[1:]
    average = queries.cumsum().div(queries.index, axis=0).mean(axis=1)
    minimum = regret.cummin().loc[1:].where(queries.notna()).mean(axis=1)
    return {"average regret, authors' GP": average, "minimum regret, authors' GP": minimum}
