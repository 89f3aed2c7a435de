"""Methods on generated tasks: thesis Figs 8.5 and E.6, and Table E.4."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from core.experiment.results import Results
from core.report import Figure, NotRunError, Published, compare_table
from core.report.figures import style
from core.report.figures.figure import not_run_panel
from core.report.figures.task_figures import draw_ranks, draw_solved
from core.report.statistics.average_ranks import average_ranks
from core.report.statistics.pairwise_tests import draw_p_values, final_samples, p_values
from core.report.tables.table import ReportCell, ReportTable
from core.report.verdicts.names import published_names
from papers.profet.task_results import CLASSES, METHODS, class_runs, protocol, protocols

MEANING = (
    "Targets are the noise-free values of a task on the Sobol grid, the incumbent is the configuration with the "
    "smallest value observed so far, and a random forest (RF-BO) stands in for SMAC."
)
EVALUATIONS = 100  # behind Table E.4
ROWS = {f"{name}_solved": f"{label}: solved (%)" for name, label in CLASSES.items()}
ROWS |= {f"{name}_rank": f"{label}: rank" for name, label in CLASSES.items()}


def fig8_5(results: Results, published: Published | None) -> Figure:
    """Share of solved targets and average ranks on generated tasks of support vector machines, without noise."""
    figure, panels = style.subplots(1, 2, width=6.6, height=2.9)
    losses = class_runs(results, "svm", "loss")
    data = _draw_both(results, "svm", panels)
    style.legend(figure, panels, 4)
    caption = (
        f"Observed without noise: {protocol(losses)}. Left: the share of targets reached; right: average ranks, 1 the "
        f"best. {MEANING}"
    )
    return Figure(figure, caption, data)


def figE_6(results: Results, published: Published | None) -> Figure:
    """The same for all classes with and without noise, and the tests between methods."""
    ratios = (1, 1, 1.6)  # the tests have numbers in them
    shape = {"width": 7.4, "height": 0.9 + 1.9 * len(CLASSES), "width_ratios": ratios}
    figure, panels = style.subplots(len(CLASSES), 3, **shape)
    parts, searched, tests = [], {}, 0
    for row, (benchmark, label) in zip(panels, CLASSES.items(), strict=True):
        row[0].set_title(label, loc="left")
        try:
            losses = class_runs(results, benchmark, "loss")
        except NotRunError:
            for axes in row:
                not_run_panel(axes)
            continue
        parts.append(_draw_both(results, benchmark, row).assign(benchmark=benchmark))
        p = p_values(final_samples(losses))
        draw_p_values(row[2], p)
        tests = max(tests, len(p) * (len(p) - 1))
        searched[benchmark] = losses
    if not parts:
        raise NotRunError("search_svm")
    for axes in panels[:-1].flat:  # the axes of all rows are the same
        axes.set_xlabel("")
        axes.tick_params(axis="x", labelbottom=False)
    style.legend(figure, [axes for row in panels for axes in row[:2]], 4)
    caption = (
        "Observed without and with noise, from left to right: the share of targets reached, "
        "average ranks, and p-values of one-sided Mann-Whitney U tests on the mean final losses of the tasks; a small "
        "one is evidence that the method of the column is better than that of the row, bold ones are below 0.05 for "
        f"all {tests} tests of a panel together (Holm). {protocols(searched)}. {MEANING}"
    )
    return Figure(figure, caption, pd.concat(parts, ignore_index=True))


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
