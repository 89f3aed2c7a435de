"""One page about methods on many tasks: solved targets, average ranks, tests of all pairs, and the numbers."""

from __future__ import annotations

import base64
import html
from pathlib import Path

import pandas as pd

from core.report.figures import style
from core.report.figures.files import render, write_file
from core.report.figures.task_figures import draw_ranks, draw_solved
from core.report.runs.task_runs import Runs
from core.report.statistics.average_ranks import average_ranks
from core.report.statistics.pairwise_tests import draw_p_values, final_samples, holm, p_values

PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: sans-serif; max-width: 60em; margin: 2em auto; color: {ink} }} img {{ width: 100% }}
td, th {{ padding: 0.2em 0.8em; text-align: right }} td:first-child, th:first-child {{ text-align: left }}</style>
<h1>{title}</h1><p>{text}</p><img alt="solved targets, average ranks and p-values" src="data:image/png;base64,{image}">
{table}</html>
"""


def final_numbers(losses: Runs, solved: Runs) -> pd.DataFrame:
    """Percent of the targets solved, average rank and mean loss after the last evaluation, best rank first."""
    ranks = average_ranks(losses)
    rows = {
        style.label(method): {
            "solved targets [%]": 100 * solved[method][..., -1].mean(),
            "average rank": ranks[method][:, -1].mean(),
            "mean loss": losses[method][..., -1].mean(),
        }
        for method in losses
    }
    return pd.DataFrame.from_dict(rows, orient="index").sort_values("average rank")


def write_task_page(path: Path, title: str, losses: Runs, solved: Runs) -> Path:
    """Write a self-contained page, and its numbers as a CSV file beside it.

    Args:
        losses, solved: Losses and solved targets after each evaluation, by method (tasks, runs, n).
    """
    tasks, runs, evaluations = next(iter(losses.values())).shape
    p = p_values(final_samples(losses))
    with style.context():
        figure, (left, middle, right) = style.subplots(1, 3, width=10.0, height=3.4)
        draw_solved(left, solved)
        draw_ranks(middle, losses)
        draw_p_values(right, p)
        right.set_title("p: column better than row")
        style.legend(figure, [left], 8)
    image = base64.b64encode(render(figure, title)["png"]).decode()
    samples = "tasks' mean losses" if tasks > 1 else "runs' losses"
    numbers, tests = final_numbers(losses, solved), len(p) * (len(p) - 1)
    text = (
        f"{tasks} task{'s' if tasks > 1 else ''}, {runs} runs of {evaluations} evaluations on each. Left: the share of "
        "pairs of task and target that the runs have reached. Middle: ranks averaged over all combinations of runs and "
        f"over tasks. Right: one-sided Mann-Whitney tests of the {samples}, {tests} in all, of which "
        f"{0.05 * tests:.1f} would be below 0.05 by chance; bold are the {int(holm(p).to_numpy().sum())} that Holm's "
        "procedure rejects together."
    )
    page = PAGE.format(
        title=html.escape(title),
        text=html.escape(text),
        ink=style.INK,
        image=image,
        table=numbers.to_html(float_format="{:.3g}".format, border=0),
    )
    write_file(path.with_suffix(".csv"), numbers.to_csv())
    return write_file(path, page)
