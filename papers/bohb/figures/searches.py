"""Figures of the other benchmarks, and of two densities (thesis Figs 6.2, 6.3, 6.5, 6.6, C.1, C.8 to C.10).

The benchmarks are counting ones, support vector machines, the Bayesian network and cart-pole.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of, style
from core.report.figures.curves import draw_authors, draw_errors
from core.report.figures.figure import draw_panels, not_run_words
from core.report.runs.frames import benchmarks_run, count_runs, shown_set
from core.report.runs.trajectories import continued
from core.report.style import data_set_name
from papers.bohb.figures.curves import curves_of, draw, runs_of
from papers.bohb.runs import POLICY_EXPERIMENTS, svm_runs

COUNTING_ONES = ("counting_ones", "counting_ones_smac", "counting_ones_text")
DIMENSIONS = ("d8", "d16", "d32", "d64")
"""Stochastic counting ones, half of the hyperparameters categorical."""
COUNTING_METHODS = ["random", "tpe", "smac", "hyperband", "bohb", "bohb_all_kernels"]
SVM_METHODS = ("random", "gp", "mtbo", "fabolas", "hyperband", "bohb")
NETWORKS = {f"bnn_{name}": data_set_name(name) for name in ("boston", "protein", "diabetes")}
HIGHEST = 100  # of the axis of Fig 6.5: first incumbents can be far above, and all of interest is below
STEPS = "MCMC steps / 10,000"
COMPARED = ["random", "tpe", "hyperband", "bohb"]
"""The methods of Figs 6.5, C.10 and of Fig 6.6, where the text of 6.4.4 speaks of the last three."""
AGENTS = dict(zip(POLICY_EXPERIMENTS, ("on a forest over trained agents", "agents trained live"), strict=True))
ESTIMATES = {"truth": "truth", "factorised_pdf": "factorized density", "factorised_kernel": "factorized kernels"}
DISTRIBUTIONS = {"gaussian": "one Gaussian", "mixture": "mixture of two"}


def fig6_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.2: 8 categorical and 8 continuous hyperparameters."""
    frame = frame_of(results, *COUNTING_ONES)
    name = shown_set(frame, "d16")
    half = int(name[1:]) // 2
    figure, axes = style.subplots(height=3.4, width=4.8)
    drawn = draw(axes, curves_of(frame, name, COUNTING_METHODS))
    axes.set(xlabel="full evaluations", ylabel="normalized immediate regret")
    style.legend(figure, [axes], 3)
    caption = (
        f"{half} categorical and {half} continuous hyperparameters: mean and standard error over "
        f"{runs_of(frame, name)} of the incumbent's regret without noise. Budgets are added up, in multiples of the "
        "largest. Dotted: BOHB by the text, above all with its bandwidth factor on categorical kernels as well, which "
        "the authors' code leaves as they are."
    )
    return Figure(figure, caption, drawn)


def counting_ones(results: Results, published: Published | None, median: bool) -> Figure:
    """Thesis Figs C.8 and C.9: means or medians in 8 to 64 dimensions."""
    frame = frame_of(results, *COUNTING_ONES)
    figure, panels = style.subplots(2, 2, height=5.0)
    halves = {name: int(name[1:]) // 2 for name in DIMENSIONS}

    def draw_one(axes: Axes, name: str) -> pd.DataFrame:
        axes.set_xlabel("full evaluations")
        return draw(axes, curves_of(frame, name, COUNTING_METHODS, median=median))

    data = draw_panels(panels.flat, {name: f"{half} + {half} dimensions" for name, half in halves.items()}, draw_one)
    for axes in panels[:, 0]:
        axes.set_ylabel("normalized regret")
    style.legend(figure, panels.flat, 4)
    what = "Median and quartiles" if median else "Mean and standard error"
    caption = (
        f"{what} over {runs_of(frame, *DIMENSIONS)} of the regret without noise, half of the hyperparameters "
        "categorical. Dotted: BOHB by the text, above all with its bandwidth factor on categorical kernels as well (8 "
        "and 16 dimensions)."
    )
    return Figure(figure, caption, data)


def fig6_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.3: ours, and the authors' own runs of three of the methods."""
    frame = svm_runs(results)
    figure, panels = style.subplots(1, 2, width=7.2, height=3.4, sharex=True, sharey=True)
    panels[0].set_title("our runs")
    ours = draw_errors(panels[0], continued(frame), frame["benchmark"].iloc[0], SVM_METHODS, bands=True)
    panels[0].set(xlabel="seconds", ylabel="validation error of the incumbent")
    theirs = draw_authors(panels[1], SVM_METHODS)
    style.legend(figure, panels, 6)
    caption = (
        "Mean and standard error of the error that the incumbents reach with all training points, over "
        f"{count_runs(frame)}. An incumbent may have been evaluated on any share of the data, and is kept when a run "
        f"has ended. The smallest error of the surrogate, the authors', is {frame['optimum'].iloc[0]:.4f}. Dashed: the "
        "authors' runs, with other training times, of MTBO and Fabolas with their logarithms (see papers/fabolas)."
    )
    return Figure(figure, caption, pd.concat([ours, theirs], ignore_index=True))


def fig6_5(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.5: Boston housing."""
    frame = frame_of(results, "bayesian_network")
    name = shown_set(frame, "bnn_boston")
    figure, axes = style.subplots(height=3.4, width=4.8)
    drawn = draw(axes, curves_of(frame, name, COMPARED, metric="loss", median=True))
    axes.set(xlabel=STEPS, ylabel="negative log-likelihood", ylim=(None, HIGHEST))
    style.legend(figure, [axes], 4)
    return Figure(figure, _network_caption(frame, f"On {NETWORKS[name]}", name), drawn)


def figC_10(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.10: both data sets."""
    frame = frame_of(results, "bayesian_network")
    ran = benchmarks_run(frame)
    names = [*ran, "bnn_boston", "bnn_protein"] if "bnn_diabetes" in ran else list(NETWORKS)
    figure, panels = style.subplots(1, 2, height=3.0)

    def draw_one(axes: Axes, name: str) -> pd.DataFrame:
        axes.set_xlabel(STEPS)
        return draw(axes, curves_of(frame, name, COMPARED, metric="loss", median=True))

    data = draw_panels(panels, {name: NETWORKS[name] for name in names[:2]}, draw_one)
    panels[0].set_ylabel("negative log-likelihood")
    style.legend(figure, panels, 4)
    return Figure(figure, _network_caption(frame, "Both sets", *ran), data)


def _network_caption(frame: pd.DataFrame, what: str, *shown: str) -> str:
    """Means would reflect only the worst runs: a good loss is near 3, and a failure's is a million."""
    return (
        f"{what}: median and quartiles over {runs_of(frame, *shown)} of the validation loss that the incumbent was "
        "observed with on any budget, a mean over points. The thesis draws means, which here would be "
        "those of failures."
    )


def fig6_6(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 6.6: the number of episodes in which the incumbent converges."""
    run = {name: title for name, title in AGENTS.items() if len(results.frame(name))}
    if not run:
        raise NotRunError("ppo")
    figure, panels = style.subplots(1, len(run), width=3.0 + 2.1 * len(run), height=3.4, sharey=True, squeeze=False)
    captions = []

    def draw_one(axes: Axes, name: str) -> pd.DataFrame:
        frame = frame_of(results, name)
        axes.set_xlabel("full evaluations of nine trials")
        captions.append(_described(frame))
        rows = draw(axes, curves_of(frame, frame["benchmark"].iloc[0], COMPARED, metric="episodes"))
        return rows.assign(experiment=name)

    data = draw_panels(panels.flat, run, draw_one)
    panels[0, 0].set_ylabel("episodes until convergence")
    style.legend(figure, panels.flat, len(COMPARED))
    missing = (title for name, title in AGENTS.items() if name not in run)
    caption = (
        "Mean and standard error of the number of episodes until 20 in a row have the highest reward, at most 3,000, "
        f"for the incumbent: {'; '.join(captions)}. Budgets are added up, in multiples of nine trials."
    )
    return Figure(figure, caption + not_run_words(missing), data)


def _described(frame: pd.DataFrame) -> str:
    """What the runs of an experiment are, in words."""
    if "configurations" not in frame:
        return f"over {count_runs(frame)} with agents that are trained live, in nine further trials of the incumbent"
    trained = frame["configurations"].iloc[0]
    return f"over {count_runs(frame)} on a random forest over agents of {trained} configurations, as it expects"


def figC_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig C.1, first draw of the points."""
    frame = frame_of(results, "densities")
    figure, panels = style.subplots(2, 3, height=4.2, sharex=True, sharey=True)
    for line, (benchmark, name) in zip(panels, DISTRIBUTIONS.items(), strict=True):
        for axes, (method, title) in zip(line, ESTIMATES.items(), strict=True):
            rows = frame[(frame["benchmark"] == benchmark) & (frame["method"] == method)]
            grid, points = (rows[rows["part"] == part] for part in ("grid", "points"))
            if grid.empty:
                raise NotRunError(f"densities/{benchmark}/{method}")
            image = grid.pivot(index="y", columns="x", values="value").to_numpy()
            axes.imshow(np.sqrt(image), origin="lower", extent=(0, 1, 0, 1), cmap="Blues", aspect="auto")
            axes.plot(points["x"], points["y"], "x", color=style.VERMILION, markersize=4)
            axes.grid(False)
            axes.set(xlim=(0, 1), ylim=(0, 1))
            if benchmark == "gaussian":
                axes.set_title(title)
        line[0].set_ylabel(name)
    drawn = frame[frame["part"] != "score"].reset_index(drop=True)
    runs = int(frame["run"].nunique())
    scores = frame[frame["part"] == "score"].groupby(["benchmark", "method"])["value"].mean()
    words = "; ".join(
        f"{name}: " + ", ".join(f"{title} {scores[benchmark, method]:.2f}" for method, title in ESTIMATES.items())
        for benchmark, name in DISTRIBUTIONS.items()
    )
    caption = (
        f"Two estimates from the 16 points (crosses) of the first draw, over the square root of the densities. "
        f"Mean logarithm of the density at fresh points, over {runs} draws: {words}."
    )
    return Figure(figure, caption, drawn)
