"""The Forrester functions: thesis Fig 8.4, tests between methods in three scenarios, and Fig E.3, what was learned."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.objectives.forrester_function import LARGEST, forrester, random_parameters
from core.report import Figure, NotRunError, Published, frame_of
from core.report.figures import style
from core.report.figures.panels import draw_panels
from core.report.statistics.pairwise_tests import draw_p_values, p_values
from papers.profet.artifacts.latent_figures import PALETTE, draw_ellipses
from papers.profet.task_results import SCENARIOS, class_runs, grouped_means, protocol

GROUP = 2  # runs behind a sample of the quick scale's; the thesis averages 20


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


def group_size(results: Results) -> int:
    """Number of runs behind a sample: as many as each of the many real tasks has."""
    try:
        return next(iter(class_runs(results, "forrester_real", "loss").values())).shape[1]
    except NotRunError:
        return GROUP


def samples_of_tests(results: Results, scenario: str) -> dict[str, np.ndarray]:
    """Mean final losses of groups of runs on one task, by method (samples,)."""
    return grouped_means(class_runs(results, scenario, "loss"), group_size(results))


def figE_3(results: Results, published: Published | None) -> Figure:
    """Nine real tasks, their latent vectors, and generated tasks."""
    figure, panels = style.subplots(1, 3, width=7.0, height=2.5)
    latent, drawn = frame_of(results, "meta_forrester"), frame_of(results, "forrester_samples")
    tasks = sorted(latent["task"].unique(), key=int)
    x, colors = np.linspace(0, 1, 201), np.resize(PALETTE, len(tasks))
    for color, (a, b) in zip(colors, random_parameters(len(tasks)), strict=True):
        panels[0].plot(x, forrester(x, a, b), color=color)
    draw_ellipses(panels[1], latent, dict(zip(tasks, colors, strict=True)), ("0", "1"), 2.0)
    for _, rows in drawn.groupby("task"):
        panels[2].plot(rows["x0"], rows["value"], "--", color=style.GREY, linewidth=1)
    panels[0].set(xlabel="x", ylabel="f(x)", title="real tasks")
    panels[1].set(title="latent vectors")
    panels[2].set(xlabel="x", ylabel="f(x)", title="generated tasks", ylim=panels[0].get_ylim())
    caption = (
        f"Left: {len(tasks)} Forrester functions (a x - 2)^2 sin(b x - 4), a up to {LARGEST[0]:g} and b up to "
        f"{LARGEST[1]:g}. Middle: means of their latent vectors with two standard deviations, in the same colors. "
        f"Right: {drawn['task'].nunique()} functions that the meta-model generates from these."
    )
    return Figure(figure, caption, drawn)
