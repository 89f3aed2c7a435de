"""BOHAMIANN's figures: the toys of chapter 3, Bayesian optimization, searches after others, networks and agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.control import ENOUGH
from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of, style
from core.report.figures.curves import draw_evaluations, draw_incumbents, draw_line, draw_prediction, draw_truth
from core.report.figures.figure import (
    benchmark_panels,
    draw_panels,
    mark_published,
    not_run_panel,
    not_run_words,
    tuning_panels,
)
from core.report.figures.files import log_from_zero
from core.report.runs.frames import benchmarks_run, cell_rows, count_runs, methods_run, shown_set
from core.report.runs.trajectories import SMALLEST, mean_and_sem
from core.report.style import data_set_names
from core.report.verdicts.names import published_names
from core.report.verdicts.published import published_in
from papers.bohamiann.checks.models import VISIT, smaller_mode_share
from papers.bohamiann.checks.networks import IMAGES, baseline_error
from papers.bohamiann.checks.searches import (
    FIGURE_A1,
    HPOLIB,
    SETS,
    TARGET,
    hpolib_runs,
    points_of_regret,
    thesis_runs,
)
from papers.bohamiann.tables import AGENTS, SEARCHES, TASKS

TRAJECTORIES = {
    "sghmc": "SGHMC, notebook",
    "adaptive_sghmc": "adaptive SGHMC, notebook",
    "sghmc_text": "SGHMC, text",
    "adaptive_sghmc_text": "adaptive SGHMC, text",
}
METHODS = ["random", "rf", "gp", "dngo_50_pybnn", "dngo_10_pybnn", "bohamiann_50", "bohamiann_10"]
NIPS_METHODS = ["gp", "rf", "tpe", "dngo_50", "dngo_10", "bohamiann_50", "bohamiann_10", "random"]
TITLES = data_set_names(FIGURE_A1) | {
    "logistic_regression_on_grid": "Logistic regression on grid",
    "lda_on_grid": "LDA on grid",
    "svm_on_grid": "SVM on grid",
}
BAND = "Mean and standard error of"
AFTER_OTHERS = ["random", "gp", "bohamiann", "mt_gp", "mt_bohamiann"]
GROUPS = {"many": "OptDigits", "several": "segment", "numbers": "sonar", "mixed": "credit approval"}
"""The set at hand of each group: of many classes, of several, of two with numbers alone, with categories too."""


def fig3_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 3.1: predictive mean and two standard deviations of four models, first repetition."""
    frame = frame_of(results, "sinc")
    names = ["bayes_by_backprop", "mc_dropout", "pbp", "sghmc"]
    figure, panels = style.subplots(2, 2, height=4.4, sharex=True, sharey=True)
    for axes, name in zip(panels.flat, names, strict=True):
        axes.set_title(style.label(name))
        shown = frame[(frame["method"] == name) & (frame["run"] == 0)]
        grid, data = shown[shown["part"] == "grid"], shown[shown["part"] == "data"]
        draw_truth(axes, grid["x"], np.sinc(10 * grid["x"] - 5), "sinc")
        draw_prediction(axes, grid, deviations=(2,), opacity=0.25)
        axes.plot(data["x"], data["mean"], "k.", markersize=4, label="observations")
    panels.flat[0].set_ylim(-2, 2)
    for axes in panels[1]:
        axes.set_xlabel("x")
    for axes in panels[:, 0]:
        axes.set_ylabel("y")
    style.legend(figure, [panels.flat[-1]], 4)
    caption = (
        "Four fits of the same 20 noise-free observations of sinc (first repetition); networks of three layers of "
        "50 units, tanh except for PBP, whose moments are those of rectifiers."
    )
    return Figure(figure, caption, frame[frame["run"] == 0].reset_index(drop=True))


def fig3_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 3.2: trajectories of both samplers, first repetition; above the authors' notebook, below the text."""
    frame = frame_of(results, "mixture")
    shown = frame[frame["run"] == 0]
    figure, panels = style.subplots(2, 2, height=5.6, sharex=True, sharey=True)
    for axes, (name, title) in zip(panels.flat, TRAJECTORIES.items(), strict=True):
        axes.set_title(title)
        for burn_in, color, size, text in ((False, "k", 1.5, "sampling"), (True, style.VERMILION, 3, "burn-in")):
            part = shown[(shown["method"] == name) & (shown["burn_in"] == burn_in)]
            axes.plot(part["theta_0"], part["theta_1"], ".", color=color, markersize=size, alpha=0.6, label=text)
        axes.plot([0, 1], [1, -1], "+", color=style.SKY, markersize=9, mew=2, label="(0, 1) and (1, -1)")
    for axes in panels[1]:
        axes.set_xlabel(r"$\theta_0$")
    for axes in panels[:, 0]:
        axes.set_ylabel(r"$\theta_1$")
    style.legend(figure, [panels[0, 1]], 3)
    visits_both = {name: (smaller_mode_share(frame, name) >= VISIT).mean() for name in TRAJECTORIES}
    caption = (
        "Positions of one chain (first repetition) at every tenth step, with the same step length of 0.01 for all. "
        "Above: updates, start (0, 0) and flat priors of the authors' notebook; below: Eqs. 7 and 10, from (0, 1), "
        "with Welling and Teh's priors. Share of all chains that spend at least 1% of the sampling phase in each mode: "
        + ", ".join(f"{title} {visits_both[name]:.0%}" for name, title in TRAJECTORIES.items())
        + "."
    )
    return Figure(figure, caption, shown.reset_index(drop=True))


def fig1_left(results: Results, published: Published | None) -> Figure:
    """NIPS Fig 1 left: immediate regret on Branin."""
    frame = results.frame("branin_full")
    figure, axes = style.subplots(height=3.4, width=4.6)
    drawn = draw_incumbents(axes, frame, "regret", "branin", NIPS_METHODS)
    style.legend(figure, [axes], 3)
    return Figure(figure, f"{BAND} the immediate regret on Branin over {_runs(frame)} runs.", drawn)


def fig1_right(results: Results, published: Published | None) -> Figure:
    """NIPS Fig 1 right: BOHAMIANN's fit of sinOne after 20 steps, first repetition; by the code, and by the text."""
    frame = frame_of(results, "sin_one_fit")
    shown = frame[frame["run"] == 0]
    figure, panels = style.subplots(1, 2, height=3.2, sharey=True)
    titles = {"bohamiann_50": "As in the authors' code", "bohamiann_50_text": "As in the text"}
    for axes, (method, title) in zip(panels, titles.items()):
        axes.set_title(title)
        axes.set_xlabel("x")
        rows = shown[shown["method"] == method]
        if rows.empty:
            not_run_panel(axes)
            continue
        grid, data = rows[rows["part"] == "grid"], rows[rows["part"] == "data"]
        draw_truth(axes, grid["x"], grid["value"], "sinOne")
        draw_prediction(axes, grid, style.method("bohamiann_50").color, (2,), opacity=0.25)
        axes.plot(data["x"], data["value"], "k.", markersize=5, label="evaluations")
    panels[0].set_ylabel("f(x)")
    style.legend(figure, [panels[0]], 4)
    points = int((shown["part"] == "data").sum() / shown["method"].nunique())
    caption = f"BOHAMIANN's fit to the {points} points that it evaluated itself (first repetition), from 50 samples."
    return Figure(figure, caption, shown.reset_index(drop=True))


def fig3_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 3.3: immediate regret on three functions of two, three and six dimensions."""
    texts = ["dngo_50", "bohamiann_50_nips"]
    drawn = _functions(results, ["branin", "hartmann3", "hartmann6"], [*METHODS, *texts], (1, 3), 3.1)
    note = " Beside the thesis' BOHAMIANN and its competitor, pybnn's DNGO: those of the NIPS text and of Snoek et al."
    return replace(drawn, caption=drawn.caption + note)


def figA_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig A.1: the same on all functions. Its eight panels are not named; these are the authors' ten."""
    return _functions(results, FIGURE_A1, METHODS, (4, 3), 8.0)


def _functions(
    results: Results, names: Sequence[str], methods: list[str], shape: tuple[int, int], height: float
) -> Figure:
    frame = thesis_runs(results)
    figure, panels = style.subplots(*shape, height=height, squeeze=False)
    titles = {name: TITLES[name] for name in names}
    data = draw_panels(panels.flat, titles, lambda axes, name: draw_incumbents(axes, frame, "regret", name, methods))
    for axes in panels[:, 1:].flat:
        axes.set_ylabel("")
    style.legend(figure, [panels[0, 0]], 4)
    return Figure(figure, f"{BAND} the immediate regret over {_runs(frame)} runs.", data)


def hpolib(results: Results, published: Published | None) -> Figure:
    """NIPS section 6.1: the five HPOLib benchmarks."""
    frame = hpolib_runs(results)
    if frame.empty:
        raise NotRunError("hpolib")
    figure, panels = style.subplots(2, 3, height=4.8)

    def draw(axes: Axes, benchmark: str) -> pd.DataFrame:
        drawn = draw_incumbents(axes, frame, "regret", benchmark, NIPS_METHODS)
        if benchmark.endswith("_on_grid"):  # where a search can reach a regret of 0
            log_from_zero(axes.yaxis, drawn["mean"], 2 * SMALLEST)
            axes.set_ylim(bottom=0)
        return drawn

    data = draw_panels(panels.flat, {name: TITLES[name] for name in HPOLIB}, draw)
    style.legend(figure, panels.flat, 4)
    runs = (f"{_runs(frame[frame['benchmark'] == name])} on {TITLES[name]}" for name in HPOLIB)
    caption = (
        f"{BAND} the incumbent's regret. Runs: {', '.join(runs)}. "
        "On the grids the regret is that to their best point, linear from 0 to the smallest mean above it."
    )
    return Figure(figure, caption, data)


def _runs(frame: pd.DataFrame) -> int:
    return int(frame["run"].nunique()) if len(frame) else 0


def warm_start(results: Results, published: Published | None) -> Figure:
    """Regret on Branin with whole chains for each suggestion, and with chains that continue those of the last one."""
    frame = frame_of(results, "warm_start")
    figure, axes = style.subplots(height=3.0, width=4.6)
    drawn = draw_incumbents(axes, frame, "regret", "branin", ("cold", "warm"))
    axes.legend()
    caption = (
        f"Mean and standard error of BOHAMIANN's immediate regret over {count_runs(frame)}: a chain of its own for "
        "each suggestion (cold), and chains that continue those of the last one with 500 steps of burn-in (warm)."
    )
    return Figure(figure, caption, drawn)


def xgboost(results: Results, published: Published | None, names: Sequence[str] = SETS) -> Figure:
    """Thesis Figs 3.4, whose text names no set but wine, and A.2: XGBoost on regression sets."""
    caption = (
        "Mean and standard error of the incumbent's validation RMSE. Multi-task methods start from 10 random "
        "configurations of another set, drawn anew in each run."
    )
    return tuning_panels(results.frame("xgboost"), data_set_names(SETS), names, AFTER_OTHERS, caption)


@published_names(columns=("percent_faster",))
def multitask(results: Results, published: Published | None) -> Figure:
    """NIPS section 6.2: immediate regret in the tables of four groups of sets, for both algorithms."""
    algorithms = {"svm": "SVM", "forest": "Random forest"}
    titles = {f"{a}_{g}": f"{algorithms[a]} on {GROUPS[g]}" for g in GROUPS for a in algorithms}
    caption = (
        "Multi-task methods know 30 random cells of the tables of the group's other sets. Marks: where GP-BO's mean "
        "reaches that, less the 12% (MT-BOHAMIANN) and 5% (MT-BO) by which the paper's are faster on average."
    )
    return _regrets(results.frame("multitask"), titles, caption, marked=True)


def multitask_openml(results: Results, published: Published | None) -> Figure:
    """The same on surrogates of stored evaluations, each run on a task of its own (ours)."""
    caption = (
        "Each run has a task of its own, a forest grown on its 250 stored evaluations; multi-task methods know 30 "
        "random ones of each of four other tasks."
    )
    titles = {"openml_svm": "SVM on 30 tasks of OpenML"}
    return _regrets(results.frame("multitask_openml"), titles, caption, marked=False)


def _regrets(frame: pd.DataFrame, titles: Mapping[str, str], caption: str, marked: bool) -> Figure:
    def draw(axes: Axes, name: str) -> pd.DataFrame:
        axes.set_yscale("log")
        run = methods_run(frame, name)
        shown = {method: points_of_regret(frame, name, method) for method in AFTER_OTHERS if method in run}
        drawn = [draw_evaluations(axes, regret, method) for method, regret in shown.items()]
        axes.axhline(TARGET, color=style.GREY, linewidth=0.8, linestyle=":")
        if marked and "gp" in shown:
            reached = np.flatnonzero(shown["gp"].mean(0) <= TARGET)
            for (method, _), cell in published_in("bohamiann/multitask").cells.items() if len(reached) else ():
                at = (reached[0] + 1) * (1 - cell.value / 100)  # where the multi-task methods should reach the target
                mark_published(axes, at, TARGET, style.method(method).color, "published")
        axes.set(xlabel="evaluations", ylabel="regret (percentage points)")
        return pd.concat(drawn).assign(benchmark=name)

    shown = (
        "Mean and standard error of the immediate regret of validation error. Dotted: the regret to be reached, "
        f"{TARGET:g} percentage points."
    )
    return benchmark_panels(frame, titles, tuple(titles), 2, draw, f"{shown} {caption}")


def fig2_left(results: Results, published: Published | None) -> Figure:
    """NIPS Fig 2 left: each evaluation of a residual network over time, and the smallest validation error so far."""
    frame = frame_of(results, "resnet")
    name, drawn = shown_set(frame, IMAGES), []
    figure, axes = style.subplots(height=3.2, width=4.8)
    for method in SEARCHES:
        try:
            rows = cell_rows(frame, name, method).sort_values(["run", "finished"])
        except NotRunError:
            continue
        look = style.method(method)
        axes.scatter(rows["finished"], rows["loss"], s=9, color=look.color, alpha=0.45, marker=look.marker)
        for number, (run, one) in enumerate(rows.groupby("run")):
            best = one["loss"].cummin()
            line = look.line if number == 0 else look.line | {"label": None}
            axes.step(one["finished"], best, where="post", **line)
            columns = {"seconds": one["finished"], "error": one["loss"], "incumbent": best}
            drawn.append(pd.DataFrame({"method": method, "run": run, **columns}))
    try:
        level = baseline_error(results.frame("resnet_retrained"))
        axes.axhline(level, color=style.GREY, linewidth=0.8, linestyle=":", label="tuned by hand (He et al.)")
    except NotRunError:
        pass
    axes.set(xlabel="seconds on the clock of the workers", ylabel="validation error")
    style.legend(figure, [axes], 4)
    after = published_in("bohamiann/resnet")["bohamiann", "evaluations"].value
    caption = (
        f"Validation error of each configuration when its evaluation ended, on the simulated clock of its workers, "
        f"and the smallest so far, of {count_runs(frame)}. Dotted: the network tuned by hand, cut like the others, "
        f"which the paper's BOHAMIANN reaches after {after:g} evaluations, or 27 hours: outside of this axis."
    )
    return Figure(figure, caption, pd.concat(drawn, ignore_index=True))


def fig2_right(results: Results, published: Published | None) -> Figure:
    """NIPS Fig 2 right: searches for the agent's hyperparameters, by the episodes that its incumbents took."""
    frame = frame_of(results, "control")
    run = {task: title for task, title in TASKS.items() if task in benchmarks_run(frame)}
    figure, panels = style.subplots(1, len(run), width=2.8 + 1.75 * len(run), height=2.9, sharey=True, squeeze=False)
    table = published_in("bohamiann/table2")

    def draw(axes: Axes, task: str) -> pd.DataFrame:
        drawn = draw_incumbents(axes, frame, "loss", task, SEARCHES)
        for method in ("dngo", "bohamiann"):
            at, color = table[method, f"{task}_episodes"].value, style.method(method).color
            mark_published(axes, y=at, color=color, label="published (Table 2)")
        axes.set_ylabel("")
        return drawn

    drawn = draw_panels(panels.flat, run, draw)
    panels[0, 0].set_ylabel("episodes until learned")
    style.legend(figure, panels.flat, len(SEARCHES) + 1)
    missing = (title for task, title in TASKS.items() if task not in run)
    caption = (
        f"Mean and standard error over {count_runs(frame)} of the smallest number of episodes found so far. Marks: the "
        "episodes that the agents of Table 2 take."
    )
    return Figure(figure, caption + not_run_words(missing), drawn)


def fig3(results: Results, published: Published | None) -> Figure:
    """NIPS Fig 3: learning curves on cart-pole with the original and with optimized hyperparameters."""
    frame = frame_of(results, "control_agents")
    figure, axes = style.subplots(height=3.0, width=4.6)
    drawn = []
    for method in ("original", "bohamiann"):
        try:
            rows = cell_rows(frame, "swing_up", method)
        except NotRunError:
            continue
        curves = rows.pivot(index="run", columns="episode", values="reward")
        mean, sem = mean_and_sem(curves.to_numpy())
        look = style.method(method).line | {"label": AGENTS[method]}
        draw_line(axes, curves.columns, mean, mean - sem, mean + sem, look)
        columns = {"method": method, "episode": curves.columns, "mean": mean, "sem": sem}
        drawn.append(pd.DataFrame(columns))
    if not drawn:
        raise NotRunError("control_agents")
    for method in ("original", "bohamiann"):
        cells, color = published_in("bohamiann/table2"), style.method(method).color
        mark_published(axes, x=cells[method, "swing_up_episodes"].value, color=color, label="published episodes")
        mark_published(axes, y=cells[method, "swing_up_reward"].value, color=color, label="published reward")
    axes.axhline(ENOUGH["swing_up"], color="0.6", linewidth=0.8, linestyle=":", label="success")
    axes.set_xlabel("training episodes")
    axes.set_ylabel("mean reward of test episodes")
    style.legend(figure, [axes], 3)
    caption = (
        f"Mean and standard error over {count_runs(frame)} of the reward over 100 test episodes, of agents with the "
        "original hyperparameters and with those that BOHAMIANN found. Marks: Table 2's episodes until an agent has "
        "learned, above, and highest rewards, at the right."
    )
    return Figure(figure, caption, pd.concat(drawn, ignore_index=True))
