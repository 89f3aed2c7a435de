"""Searches: the model, its criteria and the network (Fig 1), wall-clock time (2a), regrets (2b, 2c), and section 6."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of, style
from core.report.figures.charts import draw_network
from core.report.figures.curves import draw_line, draw_truth
from core.report.verdicts.published import published_runs
from papers.nnbo_regret.runs import LABELS, SHOWN, queries

LAYERS = (("x", 4), *[("tanh", 5)] * 3, (r"$\mu$(x)", 1))
EVALUATION_SECONDS = 2.0
MODES = {
    "sequential": ("sequential", style.BLACK, "-"),
    "parallel_2": ("two evaluators", style.ORANGE, "-."),
    "parallel_6": ("six evaluators", style.BLUE, "-"),
}
AUTHORS = {
    "sequential": ("sequential, authors", style.GREY, "--"),
    "parallel": ("parallel, authors", style.SKY, "--"),
}
CURVES = {
    "least_squares": ("the authors' code", style.BLUE, "-"),
    "printed_variance": ("variance as printed", style.GREEN, "-"),
    "raw_targets": ("targets as they are", style.VERMILION, "-"),
    "gp": ("GP-BO", style.INK, "--"),
}
SECTION6 = {
    "gaussian_mixture": ("mixture", "gaussian_process"),
    "hartmann4_rescaled": ("hartmann", "hartmann_variants", "gaussian_process"),
}


def fig1(results: Results, published: Published | None) -> Figure:
    """Brofos Fig 1: the interpolation, the criteria for the next query, and the architecture scaled down."""
    frame = frame_of(results, "illustration")
    run = least_certain(frame)
    shown = frame[frame["run"] == run].reset_index(drop=True)
    grid, data, query = (shown[shown["part"] == part] for part in ("grid", "data", "query"))
    figure, (left, middle, right) = style.subplots(1, 3, width=7.8, height=2.9)
    draw_truth(left, grid["x"], grid["value"], "f")
    left.plot(grid["x"], grid["mean"], color=style.BLUE, label="least squares")
    low, high = (grid["mean"] + sign * 1.96 * grid["sd"] for sign in (-1, 1))
    left.fill_between(grid["x"], low, high, color=style.BLUE, alpha=0.2, lw=0, label="95% envelope")
    left.plot(data["x"], data["value"], "k.", markersize=4, label="observations")
    span = data["value"].max() - data["value"].min()
    left.set_ylim(data["value"].min() - 0.1 * span, data["value"].max() + 0.2 * span)
    left.set_title("(a) interpolation")
    criteria = (
        ("expected improvement", grid["ei"], style.GREEN, "-"),
        ("variance", grid["sd"] ** 2, style.VERMILION, "--"),
    )
    for label, values, color, dash in criteria:
        middle.plot(grid["x"], values / values.max(), color=color, linestyle=dash, label=label)
    middle.plot(query["x"], np.zeros(len(query)), "^", color=style.PURPLE, clip_on=False, label="next queries")
    middle.set_title("(b) criteria, scaled")
    for axes in (left, middle):
        axes.set_xlabel("x")
    draw_network(right, LAYERS, "(c) architecture", markersize=8)
    style.legend(figure, [left, middle], 4)
    caption = (
        f"A draw of a Gaussian process after {len(data)} observations, 50 of them uniform. The envelope is for a new "
        f"observation. Of the repetitions the one with the widest envelope (number {run}). (c): five of 50 units per "
        "layer; the dashed weights are the regression's."
    )
    return Figure(figure, caption, shown)


def least_certain(frame: pd.DataFrame) -> int:
    """The run of Fig 1 whose widest envelope is the largest share of the range of f; the first of ties."""
    grid = frame[frame["part"] == "grid"].groupby("run")
    return int((grid["sd"].max() / (grid["value"].max() - grid["value"].min())).idxmax())


def fig2a(results: Results, published: Published | None) -> Figure:
    """Brofos Fig 2a: evaluations finished against wall-clock time in durations of one evaluation; authors' dashed."""
    frame = frame_of(results, "wall_clock")
    figure, axes = style.subplots(height=3.0)
    parts = []
    for mode, (label, color, dash) in MODES.items():
        rows = frame[frame["method"] == mode]
        if rows.empty:
            continue
        units = (rows["finished"] / rows["evaluation_seconds"]).groupby(rows["evaluation"]).mean()
        axes.plot(units, units.index, color=color, linestyle=dash, label=label)
        parts.append(pd.DataFrame({"series": label, "evaluation": units.index, "units": units.to_numpy()}))
    for mode, seconds in authors_seconds().items():
        label, color, dash = AUTHORS[mode]
        units = seconds.mean(axis=1) / EVALUATION_SECONDS
        axes.plot(units, units.index, color=color, linestyle=dash, label=label)
        parts.append(pd.DataFrame({"series": label, "evaluation": units.index, "units": units.to_numpy()}))
    axes.set_xlabel("wall-clock time, in durations of one evaluation")
    axes.set_ylabel("evaluations finished")
    style.legend(figure, [axes], 3)
    duration = frame["evaluation_seconds"].iloc[0]
    caption = (
        f"Means over runs on the 2-d Gaussian mixture, evaluations of {duration:g} s by real processes. Two of the "
        "paper's four processes evaluate. Dashed: the authors' published timings, with evaluations of 2 s, at the "
        "times when results arrive; their parallel mode was faster than two evaluators can be."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def authors_seconds() -> dict[str, pd.DataFrame]:
    """Seconds until each evaluation, by mode ("sequential", "parallel"): one row per evaluation, one column per run."""
    modes = published_runs("nnbo_regret/fig2a_runs").groupby("mode")
    return {str(mode): rows.drop(columns="mode").set_index("evaluation") for mode, rows in modes}


def regret(results: Results, published: Published | None, experiment: str, benchmark: str, theirs: str) -> Figure:
    """Brofos Figs 2b and 2c: mean over runs of R_m / m and Q_m with the middle 80% of the runs; the authors' dashed."""
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
    authors = gp_regrets(published_runs(theirs))
    for (label, mean), color in zip(authors.items(), (style.VERMILION, style.BLUE), strict=True):
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


def section6(results: Results, published: Published | None) -> Figure:
    """Mean minimum regret of our methods and of GP-BO on both functions, and seconds over observations."""
    figure, panels = style.subplots(1, 3, width=7.2, height=2.9)
    parts = [_minimum_regrets(axes, results, name) for axes, name in zip(panels, SECTION6, strict=False)]
    parts.append(_seconds(panels[2], results))
    panels[0].set_ylabel("minimum regret")
    style.legend(figure, [panels[1]], 4)
    caption = (
        "Mean minimum regret; the numbers of runs are in the data. GP-BO, which the paper does not show, chooses one "
        "query at a time among the same candidates. Right: processor seconds of one regression on the representation "
        "(mean and standard deviation); the dotted line has slope 1."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _minimum_regrets(axes: Axes, results: Results, benchmark: str) -> pd.DataFrame:
    parts = []
    for method, (label, color, dash) in CURVES.items():
        for experiment in SECTION6[benchmark]:
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
