"""One page about a method beside others: paired tests, solved targets and ranks, and each task with its curves."""

from __future__ import annotations

import base64
import html
from pathlib import Path

import numpy as np
import pandas as pd

from core.report import style
from core.report.figures.charts import draw_losses, draw_ranks, draw_solved
from core.report.figures.files import render, write_file
from core.report.statistics.comparisons import LEAST_REGRET, Comparison, average_ranks, paired_tests, ranks_of_runs
from core.report.statistics.intervals import bootstrap_interval

PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: sans-serif; max-width: 76em; margin: 2em auto; color: {ink} }} p {{ max-width: 60em }}
table {{ border-collapse: collapse; margin: 0.6em 0 }} thead {{ border-bottom: 1px solid {rule} }}
td, th {{ padding: 0.2em 0.7em; text-align: right }} td:first-child, th:first-child {{ text-align: left }}
section {{ display: flex; flex-wrap: wrap; gap: 0 1.5em; align-items: center }} section h3 {{ flex-basis: 100% }}
img {{ max-width: 100% }} section img {{ width: 22em }}</style>
<h1>{title}</h1>
{body}
</html>
"""
DIGITS = "{:.3g}".format
SEED = 7  # of the resamples of tasks


def final_numbers(comparison: Comparison) -> pd.DataFrame:
    """By method, best rank first: percent of the targets solved, the average rank with the ends of its 95% interval
    over tasks, or over the seeds of a single one, and on a single task the mean loss, after the last evaluation.

    Losses of different tasks have different units, so they have no mean.
    """
    ranks, rows = ranks_of_runs(comparison.losses), {}
    for method, losses in comparison.losses.items():
        final = ranks[method][..., -1]
        of_pairs = final.mean(1) if len(final) > 1 else final[0]
        rank = bootstrap_interval(of_pairs, lambda drawn: drawn.mean(1), SEED)
        rows[style.label(method)] = {
            "solved targets [%]": 100 * comparison.solved[method][..., -1].mean(),
            "average rank": rank.estimate,
            "rank from": max(1.0, rank.low),
            "rank to": min(float(len(ranks)), rank.high),
        }
        if len(comparison.tasks) == 1:
            rows[style.label(method)]["mean loss"] = losses[..., -1].mean()
    return pd.DataFrame.from_dict(rows, orient="index").sort_values("average rank")


def against_others(comparison: Comparison) -> pd.DataFrame:
    """The method against each of the others, see `core.report.statistics.comparisons.paired_tests`."""
    tests = paired_tests(comparison.own, comparison.losses, comparison.optima)
    tests.index = [f"{style.label(comparison.own)} against {style.label(other)}" for other in tests.index]
    return tests


def write_task_page(path: Path, title: str, comparison: Comparison, raw: Path | None = None) -> Path:
    """Write a self-contained page, and the numbers of all tasks together as a CSV file beside it.

    Args:
        raw: The file with the raw runs, which the page names.
    """
    numbers = final_numbers(comparison)
    parts = [_paragraph(_protocol(comparison, raw)), _table(numbers), _tests(comparison), _overall(comparison, title)]
    if len(comparison.tasks) > 1:
        parts += ["<h2>Each task</h2>", _paragraph(_of_each(comparison))]
    parts += [_of_task(comparison.task(place)) for place in range(len(comparison.tasks))]
    page = PAGE.format(title=html.escape(title), ink=style.INK, rule=style.RULE, body="\n".join(parts))
    write_file(path.with_suffix(".csv"), numbers.to_csv())
    return write_file(path, page)


def _protocol(comparison: Comparison, raw: Path | None) -> str:
    tasks, runs, evaluations = next(iter(comparison.losses.values())).shape
    pairs = "tasks" if tasks > 1 else "seeds"
    return (
        f"{tasks} task{'s' if tasks > 1 else ''}, {runs} run{'s' if runs > 1 else ''} of {evaluations} evaluations on "
        f"each. A target is a loss that a run has to reach, and a run has solved it once the loss of its best "
        f"configuration is at most as large; the targets of a task are {comparison.targets}. Ranks go from 1, the "
        f"best, to {len(comparison.losses)}, each with its 95% interval over {pairs}. "
        + (f"Raw runs, one row an evaluation: {raw.name}." if raw else "")
    )


def _tests(comparison: Comparison) -> str:
    """The paired tests with what they are made of, and for orientation the other methods among themselves."""
    methods, own = list(comparison.losses), style.label(comparison.own)
    if len(methods) == 1:
        return ""
    tasks, runs, _ = comparison.losses[comparison.own].shape
    pairs, of = (tasks, "tasks") if tasks > 1 else (runs, "seeds")
    known = None not in comparison.optima
    if known:
        measure = f"log regrets (regrets below {LEAST_REGRET:g} count as that)"
    else:
        measure = "ranks, as not every optimum is known" if tasks > 1 else "losses, as the optimum is not known"
    averaged = ", averaged over the runs" if tasks > 1 else ""
    text = (
        f"Wilcoxon's signed-rank test, two-sided, paired by {of[:-1]}: of each of the {pairs} {of}, the difference "
        f"between two methods' {measure}{averaged}. Wins, ties and losses are {of} on which {own} is better, the same "
        f"and worse. p (Holm) allows for all tests of the table. From {pairs} {of} no p can be below "
        f"{min(1.0, 2.0 ** (1 - pairs)):.2g}" + (", whatever the methods." if 2.0 ** (1 - pairs) > 0.05 else ".")
    )
    parts = ["<h2>Tests</h2>", _paragraph(text), _table(against_others(comparison))]
    others = [method for method in methods if method != comparison.own]
    if len(others) > 1:
        rows = []
        for place, method in enumerate(others[:-1]):
            losses = {name: comparison.losses[name] for name in others[place:]}
            tests = paired_tests(method, losses, comparison.optima)
            rows.append(
                tests.rename({other: f"{style.label(method)} against {style.label(other)}" for other in losses})
            )
        among = pd.concat(rows).drop(columns="p (Holm)")
        parts += [_paragraph("The others among themselves, each test alone:"), _table(among)]
    return "\n".join(parts)


def _overall(comparison: Comparison, title: str) -> str:
    with style.context():
        figure, (left, right) = style.subplots(1, 2, width=8.0, height=3.2)
        draw_solved(left, comparison.solved)
        draw_ranks(right, comparison.losses)
        style.legend(figure, [left], 8)
        image = _image(render(figure, title)["png"], "solved targets and average ranks")
    text = (
        "Left: the share of pairs of task and target that the runs have reached. Right: ranks averaged over all "
        "combinations of runs and over tasks, 1 the best."
    )
    return f"<h2>Over evaluations</h2>\n{image}\n{_paragraph(text)}"


def _of_each(comparison: Comparison) -> str:
    runs = comparison.losses[comparison.own].shape[1]
    return (
        f"Curves are medians over the {runs} runs, bands reach from the lower to the upper quartile. Wins, ties and "
        f"losses are seeds on which {style.label(comparison.own)} is better than the row's method, the same and "
        "worse; p is of Wilcoxon's signed-rank test paired by seed, adjusted for the tests of the table (Holm)."
    )


def _of_task(comparison: Comparison) -> str:
    """The final losses of one task by method, with its curves."""
    (name,), (optimum,) = comparison.tasks, comparison.optima
    ranks, others = average_ranks(comparison.losses), [each for each in comparison.losses if each != comparison.own]
    tests = paired_tests(comparison.own, comparison.losses, comparison.optima) if others else pd.DataFrame()
    rows = {}
    for method, losses in comparison.losses.items():
        final = losses[0, :, -1]
        row = {"median loss": np.median(final), "best": final.min(), "worst": final.max()}
        if optimum is not None:
            row["median regret"] = np.median(final) - optimum
        row["rank"] = ranks[method][0, -1]
        if method in tests.index:
            test = tests.loc[method]
            row["wins, ties, losses"] = f"{test['wins']:.0f}, {test['ties']:.0f}, {test['losses']:.0f}"
            row["p (Holm)"] = test["p (Holm)"]
        rows[style.label(method)] = row
    with style.context():
        figure, axes = style.subplots(width=3.4, height=2.4)
        draw_losses(axes, comparison.losses, optimum)
        style.legend(figure, [axes], 3)
        image = _image(render(figure, name)["png"], f"curves on {name}")
    table = _table(pd.DataFrame.from_dict(rows, orient="index").sort_values("rank"))
    return f"<section><h3>{html.escape(name)}</h3>{image}\n{table}</section>"


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _table(frame: pd.DataFrame) -> str:
    return frame.to_html(float_format=DIGITS, border=0, na_rep="")


def _image(png: bytes, alt: str) -> str:
    return f'<img alt="{html.escape(alt)}" src="data:image/png;base64,{base64.b64encode(png).decode()}">'
