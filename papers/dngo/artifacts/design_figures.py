"""Figures of sections 3.1.1 and 3.1.2: the search for the architecture, and two ways to train features."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, NullFormatter

from core.experiment.results import Results
from core.report.figures import style
from core.report.figures.bands import draw_line, mean_band
from core.report.figures.data_sets import data_set_name
from core.report.figures.figure import Figure
from core.report.runs.frames import frame_of
from core.report.runs.trajectories import incumbent, per_run
from core.report.verdicts.checks import NotRunError
from core.report.verdicts.published import Published
from papers.dngo.architectures import SEARCHED, best_architecture, confirmed, values_of

LABELS = {**{name: name[-1] for name in SEARCHED}, "published": "3 x 50"}
COLORS = dict(zip(SEARCHED, style.sequential(len(SEARCHED)), strict=True))
COLORS["published"] = style.INK
FEATURES = {"map": ("MAP", style.BLUE, "o"), "evidence": ("evidence", style.VERMILION, "s")}


def architecture(results: Results, published: Published | None) -> Figure:
    """What the searches found layer by layer, and fresh runs of each depth's best architecture."""
    frame = results.frame("architecture")
    shown = [name for name in LABELS if (frame["method"] == name).any()]
    if not shown:
        raise NotRunError("architecture")
    figure, panels = style.subplots(2, 2, width=7.2, height=5.0)
    _searches(panels[0, 0], frame)
    data = _confirmations(panels[0, 1], results, shown)
    for axes, kind, title in (
        (panels[1, 0], "width", "(c) units of the best architecture"),
        (panels[1, 1], "dropout", "(d) its dropout rates"),
    ):
        for place, name in enumerate(name for name in shown if name in SEARCHED):
            values = values_of(best_architecture(results, name), kind)
            layers = np.arange(1, len(values) + 1) + 0.06 * (place - 1.5)
            axes.plot(layers, values, marker="o", color=COLORS[name], label=LABELS[name])
        axes.set_title(title)
        axes.set_xlabel("hidden layer")
        axes.set_xticks(range(1, 5))
    panels[1, 0].axhline(50, color=style.GREY, linestyle="--", linewidth=1)
    panels[1, 0].set_ylim(bottom=0)
    panels[1, 1].set_ylim(-0.02, 0.52)
    handles = [line for line in panels[1, 0].get_lines() if line.get_label() in LABELS.values()]
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
    return Figure(figure, caption, _summary(frame))


def _searches(axes: Axes, frame: pd.DataFrame) -> None:
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
    axes.set_xticks(range(len(names)), [LABELS[name] for name in names])
    axes.set_title("(b) best architecture, fresh runs")
    axes.set_xlabel("hidden layers")
    axes.set_ylabel("relative loss")
    return pd.DataFrame(rows)


def _decays(results: Results, names: list[str]) -> str:
    """The smallest and largest decay at each depth, in words."""
    texts = []
    for name in (name for name in names if name in SEARCHED):
        values = values_of(best_architecture(results, name), "decay")
        texts.append(f"{values.min():.0e} to {values.max():.0e} ({LABELS[name]})")
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


def _summary(frame: pd.DataFrame) -> pd.DataFrame:
    metrics = ["rmse", "log_likelihood", "seconds", "updates"]
    return frame.groupby(["benchmark", "method"])[metrics].median().reset_index()
