"""ABLR's figures: searches on quadratic functions, on surrogates, of networks; and how long a suggestion takes."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published, frame_of, style
from core.report.figures.charts import times_figure
from core.report.figures.curves import draw_incumbents
from core.report.figures.figure import draw_panels, not_run_panel
from core.report.runs.frames import count_runs
from papers.ablr.checks import ALL_SETS, above_best, common_runs, together

WITHOUT_CONTEXT = ("gp", "ablr", "gp_transfer", "ablr_nn", "ablr_rks")
"""Fig 1, left, without ABLR's contexts; "gp" and "ablr" know only their own task."""

WITH_CONTEXT = ("ablr_nn", "ablr_nn_context", "ablr_rks", "ablr_rks_context")
"""The same representations with and without contexts."""

COLLECTIONS = {"openml_random_forest": "(a) random forest, 30 tasks of OpenML", "xgboost": "(b) XGBoost, 10 data sets"}
"""The panels of Fig 2, left."""

SIGNALS = ("ablr", "ablr_signals")
"""Fig 2, right."""

NETWORKS = {
    "sonar": "sonar",
    "credit_approval": "credit approval (australian)",
    "credit_g": "German credit",
    "spambase": "spambase",
}
"""The sets on which networks are trained, by label."""


def fig1_left(results: Results, published: Published | None) -> Figure:
    """Fig 1, left: the best value found on quadratic functions, alone, with other tasks, and with their contexts."""
    frame = common_runs(frame_of(results, "quadratics"))
    figure, panels = style.subplots(1, 2, width=7.2, height=3.4, sharey=True)
    titles = ("(a) alone, and after 29 other tasks", "(b) ABLR with and without contexts")
    parts = [
        draw_incumbents(axes, frame, "regret", "quadratics", methods).assign(panel=title[:3])
        for axes, title, methods in zip(panels, titles, (WITHOUT_CONTEXT, WITH_CONTEXT), strict=True)
    ]
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(title)
    panels[0].set_ylabel("best value found above the minimum")
    panels[1].set_ylabel("")
    style.legend(figure, panels, 4)
    caption = (
        "Mean and standard error of the best value found above the minimum of the left-out quadratic function, over "
        f"{count_runs(frame)}, each of a function and an initial design of its own, shared by all methods. GP transfer "
        "knows the contexts (a, b, c) of all tasks, ABLR only where it says so."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def fig2_left(results: Results, published: Published | None) -> Figure:
    """Fig 2, left: searches on the surrogate of a task after stored evaluations of the others."""
    frame = common_runs(frame_of(results, "openml", "transfer"))
    run = {name: title for name, title in COLLECTIONS.items() if name in set(frame["benchmark"])}
    figure, panels = style.subplots(1, len(run), width=3.6 * len(run), height=3.3, squeeze=False)
    panels, counts = panels[0], []

    def draw(axes: Axes, name: str) -> pd.DataFrame:
        drawn = _draw_relative(axes, frame, name, ("gp", "ablr", "ablr_nn"))
        counts.append(f"{count_runs(frame[frame['benchmark'] == name])} in {COLLECTIONS[name][:3]}")
        return drawn

    data = draw_panels(panels, run, draw)
    style.legend(figure, panels, 3)
    caption = (
        "One task of a collection is left out at a time: mean and standard error of the best error found on its "
        f"surrogate, over {' and '.join(counts)}. 0 is the smallest error that the surrogate predicts at the stored "
        "configurations of the task, 1 their median. ABLR NN knows stored evaluations of the other tasks. (a) A random "
        "forest on OpenML, flow 6969 instead of the paper's 6794; (b) XGBoost on data sets of LIBSVM, with fits of a "
        "GP of at most 50 steps."
    )
    missing = [title for name, title in COLLECTIONS.items() if name not in run]
    caption = f"Not run: {', '.join(missing)}. {caption}" if missing else caption
    return Figure(figure, caption, data)


def fig2_right(results: Results, published: Published | None) -> Figure:
    """Fig 2, right: searches that train networks, and on surrogates of DeepAR, with and without side signals."""
    frame = common_runs(frame_of(results, "networks", "signals"))
    stored = frame[frame["benchmark"] == "deepar"]
    live = frame.drop(stored.index)
    figure, panels = style.subplots(1, 2, width=7.2, height=3.3)
    parts = []
    panels[0].set_title("(a) networks that are trained")
    panels[1].set_title("(b) surrogates of DeepAR")
    if len(live):
        # All sets together, each run of each set counted once.
        means = common_runs(together(above_best(live)))
        parts.append(draw_incumbents(panels[0], means, "loss", ALL_SETS, SIGNALS).assign(panel="(a)"))
        panels[0].set(yscale="log", ylabel="validation error above the set's best")
    else:
        not_run_panel(panels[0])
    if len(stored):
        parts.append(_draw_relative(panels[1], stored, "deepar", SIGNALS).assign(panel="(b)"))
    else:
        not_run_panel(panels[1])
    style.legend(figure, panels, 3)
    caption = (
        f"Mean and standard error over {count_runs(frame)} a set. (a) Validation error of the incumbent above the "
        f"smallest that any run found on the set, averaged over {_listed(live)}; side signals are the training error "
        "and the CPU seconds. (b) Logarithm of CRPS: 0 is the smallest that the surrogate predicts at the stored "
        "configurations of a set, 1 their median; side signals are the training loss and the seconds."
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


def _draw_relative(axes: Axes, frame: pd.DataFrame, benchmark: str, methods: tuple[str, ...]) -> pd.DataFrame:
    """Incumbents by relative regret, whose axis is linear: it may end below 0 on a surrogate."""
    shown = frame.assign(loss=frame["regret"])
    data = draw_incumbents(axes, shown, "loss", benchmark, methods)
    axes.set_ylabel("relative error of the incumbent")
    return data


def _listed(frame: pd.DataFrame) -> str:
    names = [NETWORKS.get(name, name) for name in frame["benchmark"].unique()] if len(frame) else ["(not run)"]
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]


def fig1_right(results: Results, published: Published | None) -> Figure:
    """Fig 1, right: seconds per suggestion against the number of evaluations, mean and standard deviation."""
    caption = (
        "Hartmann3, uniform evaluations of one task, one thread; mean and standard deviation. A suggestion fits the "
        "model and maximizes expected improvement. A repetition ends with the first suggestion that takes longer than "
        "the scale allows."
    )
    labels = {"gp": "GP", "ablr_nn": "ABLR NN", "ablr_rks": "ABLR RKS"}
    return times_figure(results, labels, "linear axes", "evaluations", caption)
