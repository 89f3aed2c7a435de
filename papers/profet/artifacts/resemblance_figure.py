"""Generated tasks beside the real ones of the same latent distributions: a figure of ours to thesis 8.2.3."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published, cell_rows, frame_of
from core.report.figures import style
from core.report.figures.data_sets import data_set_name
from core.report.figures.panels import draw_panels

CLASSES = {"svm": "SVM", "fcnet": "FC-Net", "xgboost": "XGBoost", "forrester": "Forrester"}
QUANTITIES = {"value": ("values", style.BLUE, 0.14), "seconds": ("seconds", style.ORANGE, -0.14)}
"""Label, color and height above its line of each quantity."""
SMALLEST = 1e-4  # share that is drawn


def resemblance(results: Results, published: Published | None) -> Figure:
    """The share of each real task's variance that a generated task leaves over, and that of the modelled noise."""
    frame = frame_of(results, "resemblance")
    words: list[str] = []

    def draw(axes: Axes, name: str) -> pd.DataFrame:
        rows = cell_rows(frame, name, "profet")
        words.append(f"{CLASSES[name]} {_explained(rows)}")
        return _draw_class(axes, rows).assign(collection=CLASSES[name])

    figure, panels = style.subplots(1, len(CLASSES), width=7.4, height=3.6)
    data = draw_panels(panels, CLASSES, draw)
    style.legend(figure, panels, 4)
    caption = (
        "Each real task and tasks that are generated from its own q(h_t): mean squared difference at the points where "
        "the real one is known, divided by the variance of its values there, median over "
        f"{frame['run'].nunique()} draws. Lines are the middle half of the draws, ticks the variance of the modelled "
        "noise. On the dashed line a generated task is as far away as the real one's mean. Errors and Forrester's "
        "values are compared as they are, the rest by logarithms. Share explained of all tasks together, of values and "
        f"of seconds: {'; '.join(words)}."
    )
    return Figure(figure, caption, data)


def _draw_class(axes: Axes, rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows.assign(left=rows["squared_error"] / rows["variance"], noise=rows["noise"] / rows["variance"])
    order = rows[rows["quantity"] == "value"].groupby("task")["left"].median().sort_values(ascending=False).index
    parts = []
    for quantity, (label, color, above) in QUANTITIES.items():
        grouped = rows[rows["quantity"] == quantity].groupby("task")
        if not len(grouped):
            continue
        low, median, high = (grouped["left"].quantile(share).reindex(order) for share in (0.25, 0.5, 0.75))
        noise, places = grouped["noise"].median().reindex(order), np.arange(len(order)) + above
        axes.hlines(places, low.clip(SMALLEST), high.clip(SMALLEST), color=color, linewidth=1.5)
        axes.plot(median.clip(SMALLEST), places, "o", color=color, markersize=3, label=label)
        axes.plot(noise.clip(SMALLEST), places, "|", color=color, markersize=6)
        table = {"task": order, "quantity": label, "median": median, "low": low, "high": high, "noise": noise}
        parts.append(pd.DataFrame(table))
    axes.axvline(1.0, color=style.INK, linestyle="--", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlabel("share left")
    axes.set_yticks(np.arange(len(order)), [data_set_name(name) for name in order], fontsize=5.5)
    return pd.concat(parts, ignore_index=True)


def _explained(rows: pd.DataFrame) -> str:
    """One minus the share that is left over by all tasks together, of values and of seconds, as a text."""
    shares = []
    for quantity in QUANTITIES:
        of_quantity = rows[rows["quantity"] == quantity]
        if len(of_quantity):
            draws = of_quantity.groupby("run")
            left = draws["squared_error"].sum() / draws["variance"].sum()
            shares.append(f"{1 - left.median():.3f}")
    return " and ".join(shares)
