"""Methods on generated tasks: thesis Figs 8.5 and E.6, and Table E.4.

Fig E.6 asks three questions of six sets of searches: how many targets are solved, how methods rank, and which
differences a test can see, of which E.5 speaks. On one page its 18 panels were too small to be read, so each question
has a figure of its own, with a row for each class, the column on the left without noise, that on the right with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, compare_table
from core.report.figures import style
from core.report.figures.panels import draw_panels
from core.report.figures.published_marks import mark_published
from core.report.figures.task_figures import draw_ranks, draw_solved
from core.report.statistics.average_ranks import average_ranks
from core.report.statistics.pairwise_tests import draw_p_values, final_samples, p_values
from core.report.tables.table import ReportCell, ReportTable
from core.report.verdicts.names import published_names
from core.report.verdicts.published import published_in
from papers.profet.task_results import CLASSES, METHODS, class_runs, protocol, protocols

MEANING = (
    "Targets are the noise-free values of a task on the Sobol grid, the incumbent is the configuration with the "
    "smallest value observed so far, and a random forest (RF-BO) stands in for SMAC."
)
EVALUATIONS = 100  # behind Table E.4
PRINTED = "published (Table E.4)"
MARKS = "Marks: the ranks that Table E.4 prints after 100 evaluations, with SMAC's in the forest's colour."
ROWS = {f"{name}_solved": f"{label}: solved (%)" for name, label in CLASSES.items()}
ROWS |= {f"{name}_rank": f"{label}: rank" for name, label in CLASSES.items()}


def fig8_5(results: Results, published: Published | None) -> Figure:
    """Share of solved targets and average ranks on generated tasks of support vector machines, without noise."""
    figure, panels = style.subplots(1, 2, width=6.6, height=2.9)
    losses = class_runs(results, "svm", "loss")
    data = _draw_both(results, "svm", panels)
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


@published_names(rows=ROWS, columns=METHODS)
def tableE_4(results: Results, published: Published) -> ReportTable:
    """Thesis Table E.4: shares of solved targets in percent, and average ranks, at the end of the runs.

    A sample of a cell is one task, whose runs are averaged.
    """
    parts, searched = [], {}
    for benchmark in CLASSES:
        try:
            solved, losses = (class_runs(results, benchmark, value) for value in ("solved", "loss"))
        except NotRunError:
            continue
        searched[benchmark] = losses
        ranks = average_ranks(losses) if len(losses) == len(METHODS) else {}
        for method, values in solved.items():
            parts.append(_samples(f"{benchmark}_solved", method, 100 * values[:, :, -1].mean(1)))
        for method, values in ranks.items():
            parts.append(_samples(f"{benchmark}_rank", method, values[:, -1]))
    table = compare_table(
        pd.concat(parts, ignore_index=True) if parts else _samples("", "", np.empty(0)),
        published,
        "neither",
        reduced=True,
        rows=tuple(ROWS),
        columns=METHODS,
        title="",
        caption=(
            "Targets reached, in percent, and average ranks at the end of the runs, published after 100 evaluations. "
            "An interval is over tasks; ranks need all seven methods. No number can be compared: the printed shares "
            "are not those of the targets that the text defines, and ranks are beside RF-BO in place of SMAC. "
            f"{protocols(searched)}. {MEANING}"
        ),
        row_header="Benchmark",
        row_labels=ROWS,
        column_labels={name: style.label(name) for name in METHODS},
    )
    lengths = {name: next(iter(losses.values())).shape[-1] for name, losses in searched.items()}
    return replace(table, cells={key: _comparable(key, cell, lengths) for key, cell in table.cells.items()})


def _comparable(key: tuple[str, str], cell: ReportCell, lengths: dict[str, int]) -> ReportCell:
    """The cell, which is `outside`: the text's targets have no levels as low as printed; ranks depend on all methods.

    Args:
        lengths: Number of evaluations of our searches, by benchmark.
    """
    if cell.verdict is None:
        return cell
    benchmark, _, quantity = key[0].rpartition("_")
    notes = ["other targets than the text's" if quantity == "solved" else "ranked beside RF-BO in place of SMAC"]
    if (evaluations := lengths.get(benchmark, EVALUATIONS)) < EVALUATIONS:
        notes.append(f"{evaluations} of {EVALUATIONS} evaluations")
    return replace(cell, verdict=cell.verdict.outside("; ".join(notes)))


def _samples(row: str, column: str, values: np.ndarray) -> pd.DataFrame:
    columns = {"row": row, "column": column, "run": np.arange(len(values)), "value": values, "status": "ok"}
    return pd.DataFrame(columns)


def _draw_both(results: Results, benchmark: str, panels: list[Axes]) -> pd.DataFrame:
    solved = draw_solved(panels[0], class_runs(results, benchmark, "solved"))
    ranks = draw_ranks(panels[1], class_runs(results, benchmark, "loss"))
    return solved.merge(ranks, on=["method", "evaluation"])
