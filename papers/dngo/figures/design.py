"""Figures of DNGO's design: Figs 1 and 2, the searches of section 3.1.1, and two ways to train features (3.1.2)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, NullFormatter

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of, style
from core.report.figures.charts import draw_network, times_figure
from core.report.figures.curves import draw_line, draw_prediction, draw_truth, mean_band
from core.report.runs.trajectories import final_log_regret, incumbent, log_regret, mean_and_sem, per_run
from core.report.style import data_set_name
from papers.dngo.runs import SEARCHED, best_architecture, confirmed, values_of

PANELS = {"tanh": "(a) tanh", "relu_tanh": "(b) ReLU, last layer tanh", "relu": "(c) ReLU"}
DEPTHS = {**{name: name[-1] for name in SEARCHED}, "published": "3 x 50"}
COLORS = dict(zip(SEARCHED, style.sequential(len(SEARCHED)), strict=True))
COLORS["published"] = style.INK
FEATURES = {"map": ("MAP", style.BLUE, "o"), "evidence": ("evidence", style.VERMILION, "s")}
UNITS = {
    "tanh": ("tanh", style.BLUE),
    "relu_tanh": ("ReLU, last layer tanh", style.GREEN),
    "relu": ("ReLU", style.VERMILION),
}
FUNCTIONS = {"branin": "-", "hartmann6": "--"}
SCHEDULES = {"epochs_20": "20 epochs", "updates_100": "100", "updates_300": "300", "updates_1000": "1,000"}


def fig1(results: Results, published: Published | None) -> Figure:
    """DNGO Fig 1: seconds per suggestion against the number of observations, mean and standard deviation."""
    caption = (
        "Hartmann6, uniform observations, one thread; mean and standard deviation. A suggestion fits the model and "
        "maximizes expected improvement integrated over sampled hyperparameters. A repetition ends with the first "
        "suggestion that takes longer than the scale allows."
    )
    labels = {"gp": "Gaussian process, input-warped", "dngo": "DNGO"}
    return times_figure(results, labels, "as in the paper", "observations", caption)


def fig2(results: Results, published: Published | None) -> Figure:
    """DNGO Fig 2: the prediction of the first repetition for three kinds of units, and the architecture."""
    frame = frame_of(results, "activations")
    shown = frame[frame["run"] == 0].reset_index(drop=True)
    figure, panels = style.subplots(2, 2, width=7.2, height=4.6)
    for axes, (name, title) in zip(panels.flat, PANELS.items(), strict=False):
        rows = shown[shown["method"] == name]
        grid, data = rows[rows["part"] == "grid"], rows[rows["part"] == "data"]
        draw_truth(axes, grid["x"], np.sinc(10 * grid["x"] - 5), "sinc")
        draw_prediction(axes, grid)
        axes.plot(data["x"], data["mean"], "k.", markersize=5, label="observations")
        axes.set_ylim(-2, 2)
        axes.set_title(title)
        axes.set_xlabel("x")
    draw_network(panels[1, 1], (("x", 1), *[("50 units", 5)] * 3, ("y", 1)), "(d) architecture", markersize=9)
    style.legend(figure, [panels[0, 0]], 4)
    caption = (
        "20 noise-free observations of sinc (first repetition); networks of three layers of 50 units. (d): solid "
        "weights are trained, dashed ones marginalized."
    )
    return Figure(figure, caption, shown)


def architecture(results: Results, published: Published | None) -> Figure:
    """What the searches found layer by layer, and fresh runs of each depth's best architecture."""
    frame = results.frame("architecture")
    shown = [name for name in DEPTHS if (frame["method"] == name).any()]
    if not shown:
        raise NotRunError("architecture")
    figure, panels = style.subplots(2, 2, width=7.2, height=5.0)
    _architectures(panels[0, 0], frame)
    data = _confirmations(panels[0, 1], results, shown)
    for axes, kind, title in (
        (panels[1, 0], "width", "(c) units of the best architecture"),
        (panels[1, 1], "dropout", "(d) its dropout rates"),
    ):
        for place, name in enumerate(name for name in shown if name in SEARCHED):
            values = values_of(best_architecture(results, name), kind)
            layers = np.arange(1, len(values) + 1) + 0.06 * (place - 1.5)
            axes.plot(layers, values, marker="o", color=COLORS[name], label=DEPTHS[name])
        axes.set_title(title)
        axes.set_xlabel("hidden layer")
        axes.set_xticks(range(1, 5))
    panels[1, 0].axhline(50, color=style.GREY, linestyle="--", linewidth=1)
    panels[1, 0].set_ylim(bottom=0)
    panels[1, 1].set_ylim(-0.02, 0.52)
    handles = [line for line in panels[1, 0].get_lines() if line.get_label() in DEPTHS.values()]
    labels = [f"{line.get_label()} layer{'s' * (line.get_label() != '1')}" for line in handles]
    figure.legend(handles, labels, loc="outside upper center", ncols=4)
    caption = (
        "The relative loss is the share of the initial design's regret left at the end, averaged over functions and "
        "seeds. (a) The best so far, on the seeds that the search saw. (b) Fresh runs: mean and 95% interval over "
        'seeds; "3 x 50" is the published architecture with our defaults for what is unpublished. Dashed: the '
        f"published widths. Weight decays of the best: {_decays(results, shown)}."
    )
    return Figure(figure, caption, data)


def evidence(results: Results, published: Published | None) -> Figure:
    """Held-out errors and likelihoods, regret, and training time with either kind of features."""
    frame, search = frame_of(results, "features"), results.frame("feature_search")
    figure, panels = style.subplots(2, 2, width=7.2, height=5.0)
    sets = list(dict.fromkeys(frame["benchmark"]))
    frame = frame.assign(loss=-frame["log_likelihood"], per_update=1e3 * frame["seconds"] / frame["updates"])
    for axes, metric, title, unit in (
        (panels[0, 0], "rmse", "(a) held-out error", "RMSE over the targets' sd"),
        (panels[0, 1], "loss", "(b) negative log-likelihood", "nats per point"),
        (panels[1, 0], "per_update", "(c) time of an update", "milliseconds per repetition"),
    ):
        _by_set(axes, frame, sets, metric)
        axes.set_title(title)
        axes.set_ylabel(unit)
    panels[0, 1].set_yscale("symlog", linthresh=1)
    panels[1, 0].set_yscale("log")
    panels[1, 0].yaxis.set_minor_formatter(NullFormatter())
    _regrets(panels[1, 1], search)
    style.legend(figure, [panels[0, 0]], 2)
    caption = (
        "DNGO with features trained either way, the regression's hyperparameters integrated out in both. (a), (b): "
        "median and quartiles over repetitions. (c): repetitions are trained side by side; the MAP estimate takes "
        "minibatches by compiled code, the evidence all points by automatic differentiation. (d): mean and standard "
        "error of the regret, Branin solid, Hartmann6 dashed."
    )
    summary = frame.groupby(["benchmark", "method"])[["rmse", "log_likelihood", "seconds", "updates"]].median()
    return Figure(figure, caption, summary.reset_index())


def _architectures(axes: Axes, frame: pd.DataFrame) -> None:
    for name in SEARCHED:
        rows = frame[(frame["method"] == name) & (frame["part"] == "search")]
        for _, run in rows.groupby("run"):
            best = incumbent(run.sort_values("evaluation")["loss"].to_numpy()[None])[0]
            axes.step(np.arange(1, len(best) + 1), best, where="post", color=COLORS[name])
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title("(a) search")
    axes.set_xlabel("architectures tried")
    axes.set_ylabel("relative loss")


def _confirmations(axes: Axes, results: Results, names: list[str]) -> pd.DataFrame:
    rows = []
    for place, name in enumerate(names):
        losses = confirmed(results, name)
        error = 1.96 * losses.std(ddof=1) / np.sqrt(len(losses))
        axes.errorbar(place, losses.mean(), error, marker="o", color=COLORS[name], capsize=3)
        best = best_architecture(results, name).to_dict()
        rows.append({"architecture": name, "loss": losses.mean(), "half_interval": error, "seeds": len(losses), **best})
    axes.set_xticks(range(len(names)), [DEPTHS[name] for name in names])
    axes.set_title("(b) best architecture, fresh runs")
    axes.set_xlabel("hidden layers")
    axes.set_ylabel("relative loss")
    return pd.DataFrame(rows)


def _decays(results: Results, names: list[str]) -> str:
    """The smallest and largest decay at each depth, in words."""
    texts = []
    for name in (name for name in names if name in SEARCHED):
        values = values_of(best_architecture(results, name), "decay")
        texts.append(f"{values.min():.0e} to {values.max():.0e} ({DEPTHS[name]})")
    return ", ".join(texts)


def _by_set(axes: Axes, frame: pd.DataFrame, sets: list[str], metric: str) -> None:
    """Draw median and quartiles of a metric by data set, the methods side by side."""
    for side, (method, (label, color, marker)) in zip((-0.12, 0.12), FEATURES.items(), strict=True):
        rows = frame[frame["method"] == method].groupby("benchmark")[metric]
        low, middle, high = (rows.quantile(q).reindex(sets).to_numpy() for q in (0.25, 0.5, 0.75))
        places = np.arange(len(sets)) + side
        look = {"color": color, "marker": marker, "linestyle": "none", "capsize": 2, "label": label}
        axes.errorbar(places, middle, [middle - low, high - middle], **look)
    axes.set_xticks(range(len(sets)), [data_set_name(name).removesuffix(" housing") for name in sets])


def _regrets(axes: Axes, frame: pd.DataFrame) -> None:
    axes.set_yscale("log")
    for benchmark, dash in (("branin", "-"), ("hartmann6", "--")):
        for method, (_, color, _) in FEATURES.items():
            if ((frame["benchmark"] == benchmark) & (frame["method"] == method)).any():
                mean, low, high = mean_band(incumbent(per_run(frame, "regret", benchmark, method)))
                draw_line(axes, np.arange(1, len(mean) + 1), mean, low, high, {"color": color, "linestyle": dash})
    axes.set_title("(d) immediate regret")
    axes.set_xlabel("evaluations")
    axes.set_ylabel("regret")


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
