"""Figure of what section 3.1.1 says in words: units in an optimization, and dropout in a prediction."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published, frame_of
from core.report.figures import style
from core.report.figures.bands import draw_line
from core.report.figures.data_sets import data_set_name
from core.report.runs.trajectories import final_log_regret, incumbent, log_regret, mean_and_sem, per_run

UNITS = {
    "tanh": ("tanh", style.BLUE),
    "relu_tanh": ("ReLU, last layer tanh", style.GREEN),
    "relu": ("ReLU", style.VERMILION),
}
FUNCTIONS = {"branin": "-", "hartmann6": "--"}
SCHEDULES = {"epochs_20": "20 epochs", "updates_100": "100", "updates_300": "300", "updates_1000": "1,000"}


def design_effects(results: Results, published: Published | None) -> Figure:
    """(a) how far queries are from the incumbent, (b) regret, (c) noise and error of the mean by dropout rate.

    (d) regret by the length of the network's training.
    """
    searches, predictions = frame_of(results, "activation_search"), frame_of(results, "dropout")
    schedules = frame_of(results, "schedule")
    figure, ((far, regret), (blurred, trained)) = style.subplots(2, 2, width=7.2, height=5.2)
    data = [_searches(far, regret, searches), _dropout(blurred, predictions), _schedules(trained, schedules)]
    far.set(title="(a) distance", xlabel="evaluations", ylabel=r"from the incumbent, over $\sqrt{d}$")
    regret.set(title="(b) regret", xlabel="evaluations", ylabel="log10 of regret")
    blurred.set(title="(c) dropout", xlabel="dropout rate", ylabel="units of the targets' sd", yscale="log")
    style.legend(figure, [far, blurred], 5)
    caption = (
        "Solid: Branin; dashed: Hartmann6. (a), (b): DNGO with three kinds of units, mean and standard error over "
        f"{searches['run'].nunique()} runs, (a) as means of five evaluations. (c): DNGO trained twice on 100 points; "
        "noise is the standard deviation of the predicted mean over trainings; medians and quartiles of "
        f"{predictions['run'].nunique()} repetitions. (d): regret after {schedules['evaluation'].max()} evaluations, "
        f"mean and standard error over {schedules['run'].nunique()} runs, with 20 epochs, our default, and with fixed "
        "numbers of updates."
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
                look = {"color": color, "linestyle": dash, "label": label if dash == "-" else None}
                draw_line(axes, at, mean, mean - sem, mean + sem, look)
                what = {"quantity": quantity, "benchmark": benchmark, "method": method}
                parts.append(pd.DataFrame({**what, "x": at, "value": mean, "sem": sem}))
    return pd.concat(parts, ignore_index=True)


def _dropout(axes: Axes, frame: pd.DataFrame) -> pd.DataFrame:
    parts = []
    frame = frame.assign(rate=frame["method"].str.removeprefix("rate_").astype(float))
    for metric, color, marker in (("noise", style.PURPLE, "o"), ("rmse", style.BROWN, "s")):
        for benchmark, dash in FUNCTIONS.items():
            rows = frame[frame["benchmark"] == benchmark].groupby("rate")[metric]
            low, middle, high = (rows.quantile(q) for q in (0.25, 0.5, 0.75))
            label = {"noise": "noise of the mean", "rmse": "its error"}[metric] if dash == "-" else None
            look = {"color": color, "linestyle": dash, "marker": marker, "markersize": 4, "capsize": 2, "label": label}
            axes.errorbar(middle.index, middle, [middle - low, high - middle], **look)
            what = {"quantity": metric, "benchmark": benchmark, "method": "dropout"}
            parts.append(pd.DataFrame({**what, "x": middle.index, "value": middle.to_numpy()}))
    return pd.concat(parts, ignore_index=True)


def _schedules(axes: Axes, frame: pd.DataFrame) -> pd.DataFrame:
    parts = []
    names = list(dict.fromkeys(frame["benchmark"]))
    for color, benchmark in zip(style.sequential(len(names)), names, strict=True):
        ran = [name for name in SCHEDULES if ((frame["benchmark"] == benchmark) & (frame["method"] == name)).any()]
        ends = [final_log_regret(frame, benchmark, name) for name in ran]
        mean, sem = (np.array(values) for values in zip(*(mean_and_sem(end) for end in ends), strict=True))
        places = [list(SCHEDULES).index(name) for name in ran]
        axes.errorbar(places, mean, sem, color=color, marker="o", markersize=4, capsize=2)
        axes.annotate(
            data_set_name(benchmark), (places[-1], mean[-1]), xytext=(5, 0), textcoords="offset points", va="center"
        )
        what = {"quantity": "log regret by schedule", "benchmark": benchmark, "method": ran}
        parts.append(pd.DataFrame({**what, "x": places, "value": mean, "sem": sem}))
    axes.set_xticks(range(len(SCHEDULES)), list(SCHEDULES.values()))
    axes.set_xlim(-0.3, len(SCHEDULES) + 0.3)
    axes.set(title="(d) training", xlabel="updates of the network", ylabel="log10 of regret")
    return pd.concat(parts, ignore_index=True)
