"""Figure of what section 3.1.1 says in words: units in an optimization, and dropout in a prediction."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published, frame_of, style
from core.report.trajectories import incumbent, log_regret, mean_and_sem, per_run

UNITS = {
    "tanh": ("tanh", style.BLUE),
    "relu_tanh": ("ReLU, last layer tanh", style.GREEN),
    "relu": ("ReLU", style.VERMILION),
}
FUNCTIONS = {"branin": "-", "hartmann6": "--"}


def design_effects(results: Results, published: Published | None) -> Figure:
    """(a) how far queries are from the incumbent, (b) regret, (c) noise and error of the mean by dropout rate."""
    searches, predictions = frame_of(results, "activation_search"), frame_of(results, "dropout")
    figure, (far, regret, blurred) = style.subplots(1, 3, width=7.2, height=2.9)
    data = [_searches(far, regret, searches), _dropout(blurred, predictions)]
    far.set(title="(a) distance", xlabel="evaluations", ylabel=r"from the incumbent, over $\sqrt{d}$")
    regret.set(title="(b) regret", xlabel="evaluations", ylabel="log10 of regret")
    blurred.set(title="(c) dropout", xlabel="dropout rate", ylabel="units of the targets' sd", yscale="log")
    named = [axes.get_legend_handles_labels() for axes in (far, blurred)]
    handles, labels = ([each for part in parts for each in part] for parts in zip(*named, strict=True))
    figure.legend(handles, labels, loc="outside upper center", ncols=5)
    caption = (
        "Solid: Branin; dashed: Hartmann6. (a), (b): DNGO with three kinds of units, mean and standard error over "
        f"{searches['run'].nunique()} runs, (a) as means of five evaluations. (c): DNGO trained twice on 100 points; "
        "noise is the standard deviation of the predicted mean over trainings; medians and quartiles of "
        f"{predictions['run'].nunique()} repetitions."
    )
    return Figure(figure, caption, pd.concat(data, ignore_index=True))


def _searches(far: Axes, regret: Axes, frame: pd.DataFrame) -> pd.DataFrame:
    parts = []
    for benchmark, dash in FUNCTIONS.items():
        for method, (label, color) in UNITS.items():
            if not ((frame["benchmark"] == benchmark) & (frame["method"] == method)).any():
                continue
            distance = per_run(frame, "distance", benchmark, method)
            distance = distance[:, : distance.shape[1] // 5 * 5]
            fives = distance.reshape(len(distance), -1, 5).mean(-1)[:, 1:]
            curves = {
                "distance": (far, 5 * np.arange(2, fives.shape[1] + 2) - 2, fives),
                "log regret": (regret, None, log_regret(incumbent(per_run(frame, "regret", benchmark, method)))),
            }
            for quantity, (axes, at, values) in curves.items():
                at = np.arange(1, values.shape[1] + 1) if at is None else at
                mean, sem = mean_and_sem(values)
                axes.plot(at, mean, color=color, linestyle=dash, label=label if dash == "-" else None)
                axes.fill_between(at, mean - sem, mean + sem, color=color, alpha=0.18, lw=0)
                what = {"quantity": quantity, "benchmark": benchmark, "method": method}
                parts.append(pd.DataFrame({**what, "x": at, "value": mean, "sem": sem}))
    return pd.concat(parts, ignore_index=True)


def _dropout(axes: Axes, frame: pd.DataFrame) -> pd.DataFrame:
    parts = []
    frame = frame.assign(rate=frame["method"].str.removeprefix("rate_").astype(float))
    for metric, color, marker in (("noise", style.VERMILION, "o"), ("rmse", style.BLUE, "s")):
        for benchmark, dash in FUNCTIONS.items():
            rows = frame[frame["benchmark"] == benchmark].groupby("rate")[metric]
            low, middle, high = (rows.quantile(q) for q in (0.25, 0.5, 0.75))
            label = {"noise": "noise of the mean", "rmse": "its error"}[metric] if dash == "-" else None
            look = {"color": color, "linestyle": dash, "marker": marker, "markersize": 4, "capsize": 2, "label": label}
            axes.errorbar(middle.index, middle, [middle - low, high - middle], **look)
            what = {"quantity": metric, "benchmark": benchmark, "method": "dropout"}
            parts.append(pd.DataFrame({**what, "x": middle.index, "value": middle.to_numpy()}))
    return pd.concat(parts, ignore_index=True)
