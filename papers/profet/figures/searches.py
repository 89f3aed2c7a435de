"""Searches: on XGBoost and their costs (Figs 8.1, 8.2 and E.2), and methods on generated tasks (Figs 8.4, 8.5 and E.6).

Fig E.6 asks three questions of six sets of searches: how many targets are solved, how methods rank, and which
differences a test can see, of which E.5 speaks. On one page its 18 panels were too small to be read, so each question
has a figure of its own, with a row for each class, the column on the left without noise, that on the right with it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, Published, frame_of, style
from core.report.figures.charts import draw_p_values, draw_ranks, draw_solved
from core.report.figures.figure import draw_panels, mark_published, tuning_panels
from core.report.runs.frames import count_runs
from core.report.statistics.comparisons import final_samples, p_values
from core.report.verdicts.published import published_in
from papers.profet.search_results import (
    CLASSES,
    MEANING,
    METHODS,
    SCENARIOS,
    SETS,
    TUNERS,
    TUNING,
    UNLUCKY,
    both_ran,
    class_runs,
    group_size,
    protocol,
    protocols,
    samples_of_tests,
)

RUNS = 20  # as many as Fig 8.2 adds up
PRINTED = "published (Table E.4)"
MARKS = "Marks: the ranks that Table E.4 prints after 100 evaluations, with SMAC's in the forest's colour."


def xgboost(results: Results, published: Published | None, unlucky: bool) -> Figure:
    """Thesis Figs 8.1 and E.2: three sets on which the better method does not win, or all that both have tuned."""
    frame = frame_of(results, TUNING)
    frame = frame[frame["method"].isin(TUNERS) & frame["benchmark"].isin(both_ran(frame))]
    caption = (
        "Root mean squared validation error of the best configuration of XGBoost found so far, in the units of the "
        f"targets: mean and standard error over {count_runs(frame)}."
    )
    return tuning_panels(frame, SETS, UNLUCKY if unlucky else tuple(SETS), TUNERS, caption)


def fig8_2(results: Results, published: Published | None) -> Figure:
    """Bars of the seconds of 20 runs, and beside them the part that the optimizer takes of either."""
    frame = frame_of(results, "wall_clock")
    means = frame.groupby("method")[["proposals", "evaluations", "training"]].mean() * RUNS
    trained, generated = means["proposals"] + means["training"], means["proposals"] + means["evaluations"]
    costs = pd.DataFrame({"trained": trained, "generated": generated, "proposals": means["proposals"]})
    costs = costs.reindex([name for name in ("gp", "random", "bohamiann") if name in costs.index])
    figure, axes = style.subplots(height=2.8, width=4.8)
    place = np.arange(len(costs))
    for shift, column, color, label in (
        (-0.27, "trained", style.BLUE, "networks trained"),
        (0.0, "generated", style.ORANGE, "generated tasks"),
        (0.27, "proposals", style.GREY, "the optimizer alone"),
    ):
        bars = axes.bar(place + shift, costs[column], 0.25, color=color, label=label)
        axes.bar_label(
            bars, [f"{seconds:.2g}" if seconds < 10 else f"{seconds:.0f}" for seconds in costs[column]], fontsize=7
        )
    axes.set_yscale("log")
    axes.set_ylim(top=3 * costs.to_numpy().max())
    axes.set_xticks(place, [style.label(name) for name in costs.index])
    axes.set_ylabel(f"seconds of {RUNS} runs")
    axes.grid(visible=False, axis="x")
    style.legend(figure, [axes], 3)
    evaluations = int(frame["count"].iloc[0])
    caption = (
        f"Processor seconds of {RUNS} runs of {evaluations} evaluations, from the mean of {count_runs(frame)}: with "
        "the networks trained, as the meta-model predicts their cost, and on the generated tasks themselves. Gray: "
        "the part of both that the optimizer takes. The networks behind the meta-model are smaller than the thesis' on "
        "MNIST."
    )
    return Figure(figure, caption, costs.reset_index())


def fig8_4(results: Results, published: Published | None) -> Figure:
    """P-values of all pairs of methods on many real tasks, on nine of them, and on many generated ones."""
    figure, panels = style.subplots(1, 3, width=7.2, height=2.9)
    words = []

    def draw(axes: Axes, scenario: str) -> pd.DataFrame:
        words.append(f"{SCENARIOS[scenario]}: {protocol(class_runs(results, scenario, 'loss'))}")
        p = p_values(samples_of_tests(results, scenario))
        draw_p_values(axes, p)
        return p.stack().rename("p").rename_axis(["row", "column"]).reset_index().assign(scenario=scenario)

    data = draw_panels(panels, SCENARIOS, draw)
    caption = (
        "P-values of one-sided Mann-Whitney U tests on mean final losses: a small one is evidence that the method of "
        "the column is better than that of the row; bold ones are below 0.05 for all 30 tests of a panel (Holm). "
        f"{'; '.join(words)}. A sample is the mean over {group_size(results)} runs of one task."
    )
    return Figure(figure, caption, data)


def fig8_5(results: Results, published: Published | None) -> Figure:
    """Share of solved targets and average ranks on generated tasks of support vector machines, without noise."""
    figure, panels = style.subplots(1, 2, width=6.6, height=2.9)
    losses = class_runs(results, "svm", "loss")
    solved = draw_solved(panels[0], class_runs(results, "svm", "solved"))
    data = solved.merge(draw_ranks(panels[1], losses), on=["method", "evaluation"])
    _mark_ranks(panels[1], "svm")
    style.legend(figure, panels, 4)
    caption = (
        f"Observed without noise: {protocol(losses)}. Left: the share of targets reached; right: average ranks, 1 the "
        f"best. {MARKS} {MEANING}"
    )
    return Figure(figure, caption, data)


def figE_6(results: Results, published: Published | None) -> Figure:
    """Thesis Fig E.6: the share of targets reached, for all classes with and without noise."""

    def draw(axes: Axes, benchmark: str) -> pd.DataFrame:
        return draw_solved(axes, class_runs(results, benchmark, "solved"))

    return _six_panels(results, draw, "Shares of targets reached.")


def figE_6_ranks(results: Results, published: Published | None) -> Figure:
    """Thesis Fig E.6: average ranks, and those that Table E.4 prints after 100 evaluations."""

    def draw(axes: Axes, benchmark: str) -> pd.DataFrame:
        drawn = draw_ranks(axes, class_runs(results, benchmark, "loss"))
        _mark_ranks(axes, benchmark)
        return drawn

    return _six_panels(results, draw, f"Average ranks, 1 the best. {MARKS}")


def figE_6_tests(results: Results, published: Published | None) -> Figure:
    """Thesis E.5: p-values of tests between methods, for all classes with and without noise."""

    def draw(axes: Axes, benchmark: str) -> pd.DataFrame:
        p = p_values(final_samples(class_runs(results, benchmark, "loss")))
        draw_p_values(axes, p)
        return p.rename_axis("row").reset_index().melt("row", var_name="column", value_name="p")

    words = (
        "P-values of one-sided Mann-Whitney U tests on the mean final losses of the tasks; a small one is evidence "
        "that the method of the column is better than that of the row, bold ones are below 0.05 for all tests of a "
        "panel together (Holm)."
    )
    return _six_panels(results, draw, words)


def _six_panels(results: Results, draw: Callable[[Axes, str], pd.DataFrame], words: str) -> Figure:
    """A row for each class, without and with noise; draws one benchmark into a panel, and says what it drew."""
    rows = len(CLASSES) // 2
    figure, panels = style.subplots(rows, 2, width=6.6, height=0.7 + 2.3 * rows, squeeze=False)
    searched = {}

    def draw_one(axes: Axes, benchmark: str) -> pd.DataFrame:
        searched[benchmark] = class_runs(results, benchmark, "loss")
        return draw(axes, benchmark).assign(benchmark=benchmark)

    data = draw_panels(panels.flat, CLASSES, draw_one)
    for axes in panels[:-1].flat:  # the axes of all rows are the same
        axes.set_xlabel("")
        axes.tick_params(axis="x", which="both", labelbottom=False)
    for axes in panels[:, 1]:
        axes.set_ylabel("")
    if with_lines := [axes for axes in panels.flat if axes.get_legend_handles_labels()[1]]:
        style.legend(figure, with_lines, 4)
    return Figure(figure, f"{words} {protocols(searched)}. {MEANING}", data)


def _mark_ranks(axes: Axes, benchmark: str) -> None:
    """Mark the average ranks that Table E.4 prints; SMAC's has the colour of the forest that stands in for it."""
    printed = published_in("profet/tableE_4")
    for method in METHODS:
        mark_published(
            axes, y=printed[f"{benchmark}_rank", method].value, color=style.method(method).color, label=PRINTED
        )
