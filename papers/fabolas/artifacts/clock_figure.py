"""What the clocks of the authors' published runs count: a figure of ours to thesis 4.5.1."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of
from core.report.figures import style
from core.report.figures.panels import draw_panels
from core.report.verdicts.published_runs import published_runs
from papers.fabolas.authors_overhead import AUTHORS_SHARES

TITLES = {"fabolas": "(a) Fabolas", "mtbo": "(b) MTBO"}


def authors_clock(results: Results, published: Published | None) -> Figure:
    """The authors' clocks in their initial designs, sums of the surrogate's seconds, and sums of their logarithms."""
    frame = frame_of(results, "surrogate_seconds")
    table = frame.groupby(["share", "quantile"])["seconds"].mean().unstack()

    def draw(axes: Axes, method: str) -> pd.DataFrame:
        shares = AUTHORS_SHARES[method]
        if not set(shares) <= set(table.index):
            raise NotRunError("surrogate_seconds")
        return _draw(axes, method, table.loc[list(shares)].to_numpy())

    figure, panels = style.subplots(1, 2, width=7.0, height=3.2, sharey=True)
    data = draw_panels(panels, TITLES, draw)
    panels[0].set_ylabel("clock (seconds)")
    panels[0].set_yscale("log")
    style.legend(figure, panels[:1], 3)
    ratios = data["over_logarithms"].dropna()
    caption = (
        "Initial designs of the authors' runs on their surrogate. Points: their clocks at each new incumbent. Lines: "
        "what the surrogate predicts for machines drawn uniformly, medians of seconds and of their natural logarithms, "
        "added up; bands hold the middle 90% of machines. Shares of the data are those of the authors' scripts: for "
        "Fabolas eight evaluations on 1/128, four on 1/64, two on 1/32 and one on 1/4, for MTBO 1/4. Clocks "
        f"are {ratios.median():.2f} times the sum of logarithms in the median, from {ratios.min():.2f} to "
        f"{ratios.max():.2f}."
    )
    return Figure(figure, caption, data)


def _draw(axes: Axes, method: str, seconds: np.ndarray) -> pd.DataFrame:
    """One method; quantiles of the seconds (evaluations, 3) of each evaluation: low, median, high."""
    number = np.arange(1, len(seconds) + 1)
    parts = []
    for what, label, values, color in (
        ("seconds", "seconds, added up", seconds, style.ORANGE),
        ("logarithms", "their logarithms, added up", np.log(seconds), style.BLUE),
    ):
        low, median, high = values.cumsum(0).T
        axes.plot(number, median, color=color, label=label, linewidth=1.4)
        axes.fill_between(number, low, high, color=color, alpha=0.2, linewidth=0)
        sums = {"evaluations": number, "value": median, "low": low, "high": high}
        parts.append(pd.DataFrame({"method": method, "what": what, **sums}))
    clocks = published_runs("fabolas/fig4_5_runs")
    clocks = clocks[(clocks["method"] == method) & (clocks["evaluations"] <= len(seconds))]
    at = clocks["evaluations"].to_numpy(int)
    readings = clocks["seconds"].to_numpy()
    axes.plot(at, readings, ".", color=style.INK, markersize=4, label="the authors' clocks")
    axes.set_xlabel("evaluations")
    axes.xaxis.get_major_locator().set_params(integer=True)
    ratios = readings / np.log(seconds[:, 1]).cumsum()[at - 1]
    clock = {"what": "clock", "evaluations": at, "value": readings, "over_logarithms": ratios}
    return pd.concat([*parts, pd.DataFrame({"method": method, **clock})], ignore_index=True)
