"""The figures of BOHAMIANN's Bayesian optimization experiments."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, frame_of
from core.report.figures import style
from core.report.figures.bands import draw_incumbents, draw_prediction, draw_truth
from core.report.figures.data_sets import data_set_names
from core.report.figures.figure import not_run_panel
from core.report.figures.panels import draw_panels
from core.report.figures.ticks import log_from_zero
from core.report.runs.trajectories import SMALLEST
from papers.bohamiann.regret_runs import FIGURE_A1, HPOLIB, hpolib_runs, thesis_runs

METHODS = ["random", "rf", "gp", "dngo_50_pybnn", "dngo_10_pybnn", "bohamiann_50", "bohamiann_10"]
TITLES = data_set_names(FIGURE_A1) | {
    "logistic_regression_on_grid": "Logistic regression on grid",
    "lda_on_grid": "LDA on grid",
    "svm_on_grid": "SVM on grid",
}
GRIDS = ("logistic_regression_on_grid", "lda_on_grid", "svm_on_grid")  # on which a search can reach a regret of 0
FITS = {"bohamiann_50": "As in the authors' code", "bohamiann_50_text": "As in the text"}
NIPS_METHODS = ["gp", "rf", "tpe", "dngo_50", "dngo_10", "bohamiann_50", "bohamiann_10", "random"]
BAND = "Mean and standard error of"


def fig1_left(results: Results, published: Published | None) -> Figure:
    """NIPS Fig 1 left: immediate regret on Branin."""
    frame = results.frame("branin_full")
    figure, axes = style.subplots(height=3.4, width=4.6)
    drawn = draw_incumbents(axes, frame, "regret", "branin", NIPS_METHODS)
    style.legend(figure, [axes], 3)
    return Figure(figure, f"{BAND} the immediate regret on Branin over {_runs(frame)} runs.", drawn)


def fig3_3(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 3.3: immediate regret on three functions of two, three and six dimensions."""
    texts = ["dngo_50", "bohamiann_50_nips"]
    drawn = _panels(results, ["branin", "hartmann3", "hartmann6"], [*METHODS, *texts], 1, 3, 3.1)
    note = " Beside the thesis' BOHAMIANN and its competitor, pybnn's DNGO: those of the NIPS text and of Snoek et al."
    return replace(drawn, caption=drawn.caption + note)


def figA_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig A.1: the same on all functions. Its eight panels are not named; these are the authors' ten."""
    return _panels(results, FIGURE_A1, METHODS, 4, 3, 8.0)


def fig1_right(results: Results, published: Published | None) -> Figure:
    """NIPS Fig 1 right: BOHAMIANN's fit of sinOne after 20 steps, first repetition; by the code, and by the text."""
    frame = frame_of(results, "sin_one_fit")
    shown = frame[frame["run"] == 0]
    figure, panels = style.subplots(1, 2, height=3.2, sharey=True)
    for axes, (method, title) in zip(panels, FITS.items()):
        axes.set_title(title)
        axes.set_xlabel("x")
        _draw_fit(axes, shown[shown["method"] == method])
    panels[0].set_ylabel("f(x)")
    style.legend(figure, [panels[0]], 4)
    points = int((shown["part"] == "data").sum() / shown["method"].nunique())
    caption = f"BOHAMIANN's fit to the {points} points that it evaluated itself (first repetition), from 50 samples."
    return Figure(figure, caption, shown.reset_index(drop=True))


def _draw_fit(axes: Axes, rows: pd.DataFrame) -> None:
    if rows.empty:
        not_run_panel(axes)
        return
    grid, data = rows[rows["part"] == "grid"], rows[rows["part"] == "data"]
    draw_truth(axes, grid["x"], grid["value"], "sinOne")
    draw_prediction(axes, grid, style.method("bohamiann_50").color, (2,), opacity=0.25)
    axes.plot(data["x"], data["value"], "k.", markersize=5, label="evaluations")


def hpolib(results: Results, published: Published | None) -> Figure:
    """NIPS section 6.1: the five HPOLib benchmarks."""
    frame = hpolib_runs(results)
    if frame.empty:
        raise NotRunError("hpolib")
    figure, panels = style.subplots(2, 3, height=4.8)

    def draw(axes: Axes, benchmark: str) -> pd.DataFrame:
        drawn = draw_incumbents(axes, frame, "regret", benchmark, NIPS_METHODS)
        if benchmark in GRIDS:
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


def _panels(results: Results, names: list[str], methods: list[str], rows: int, columns: int, height: float) -> Figure:
    frame = thesis_runs(results)
    figure, panels = style.subplots(rows, columns, height=height, squeeze=False)
    titles = {name: TITLES[name] for name in names}
    data = draw_panels(panels.flat, titles, lambda axes, name: draw_incumbents(axes, frame, "regret", name, methods))
    for axes in panels[:, 1:].flat:
        axes.set_ylabel("")
    style.legend(figure, [panels[0, 0]], 4)
    return Figure(figure, f"{BAND} the immediate regret over {_runs(frame)} runs.", data)


def _runs(frame: pd.DataFrame) -> int:
    return int(frame["run"].nunique()) if len(frame) else 0
