"""`python -m papers benchmark mine.py:Mine --on branin hartmann6`: an optimizer of one's own beside ours.

What it runs on is a list of objectives by their names in `core.benchmarks`, each of them one task, or a class of tasks
of a paper, such as `profet/svm`: papers/<paper>/benchmark.py then says on which tasks and beside which searches.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console

from core.errors import UserError
from core.experiment.catalogue import Catalogue
from core.validation import require_count
from papers.commands.own_optimizer import load_optimizer

if TYPE_CHECKING:
    from core.benchmarks.base import Objective
    from core.report.runs.task_runs import Runs
    from core.study.watched import WatchedMethod

BESIDE = ("random", "tpe", "gp")


def benchmark(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Run the optimizer and those of ours that are not shipped, print their final numbers and write the page.

    Raises:
        UserError: an unknown optimizer, objective, method or class of tasks, or an optimizer that does something wrong.
    """
    from core.report.page.task_page import final_numbers, write_task_page
    from core.study.watched import WatchedMethod

    name, make = load_optimizer(options.optimizer)
    tasks = [each for each in options.on if "/" in each]
    if tasks and len(options.on) > 1:
        raise UserError(f"--on {' '.join(options.on)}: allowed: objectives, or a single class of tasks")

    def watched(runs: int) -> WatchedMethod:
        return WatchedMethod(name, make, options.seconds, runs)

    if tasks:
        losses, solved = _on_tasks(catalogue, tasks[0], options.scale, watched)
    else:
        losses, solved = _on_objectives(options, watched)
    beside = f"{len(losses) - 1} method{'s' if len(losses) > 2 else ''}"
    file = f"{name}_on_{'_'.join(options.on).replace('/', '_')}.html"
    out = options.out or catalogue.root / "figures" / "own" / "benchmarks" / file
    path = write_task_page(out, f"{name} beside {beside} on {', '.join(options.on)}", losses, solved)
    console.print(final_numbers(losses, solved).to_string(float_format="{:.3g}".format))
    console.print(f"wrote {path}", soft_wrap=True)
    return 0


def _on_tasks(catalogue: Catalogue, name: str, scale: str, watched) -> tuple[Runs, Runs]:
    """Losses and solved targets on a paper's class of tasks, beside the searches that were run."""
    paper, _, tasks = name.partition("/")
    folder = catalogue.code / catalogue.package
    having = sorted(file.parent.name for file in folder.glob("*/benchmark.py"))
    if paper not in having:
        raise UserError(f"--on {name}: {paper!r} has no classes of tasks; allowed: {', '.join(having)} or an objective")
    return catalogue.module(paper, "benchmark").compared(catalogue, tasks, scale, watched)


def _on_objectives(options: argparse.Namespace, watched) -> tuple[Runs, Runs]:
    """Losses of the incumbents, and shares of the targets reached: the losses of all incumbents on the same task."""
    from core.benchmarks import objective
    from core.study.methods import method_of
    from core.study.targets import solved_share

    runs = require_count("--runs", options.runs)
    evaluations = require_count("--evaluations", options.evaluations)
    objectives = [objective(each) for each in dict.fromkeys(options.on)]
    methods = list(dict.fromkeys(options.beside or BESIDE))
    for method in methods:
        method_of(method)  # an unknown one ends here, before any work
    own = watched(runs)
    losses: Runs = {}
    for name in (*methods, own.name):
        per_task = []
        for each in objectives:
            chosen = [own.build(each.space, run, evaluations) if name == own.name else name for run in range(runs)]
            per_task.append([_losses(each, method, evaluations, run) for run, method in enumerate(chosen)])
        losses[name] = np.array(per_task)
    solved = {name: np.empty_like(values) for name, values in losses.items()}
    for task in range(len(objectives)):
        reached = np.concatenate([values[task].ravel() for values in losses.values()])
        for name, values in losses.items():
            solved[name][task] = solved_share(values[task], reached[np.isfinite(reached)])
    return losses, solved


def _losses(objective: Objective, method: object, evaluations: int, seed: int) -> np.ndarray:
    """The loss of the incumbent after each evaluation, (n,); infinite before the first success."""
    from core import minimize
    from core.study.record import incumbents

    losses = np.full(evaluations, np.inf)
    for best in incumbents(
        minimize(objective, method=method, evaluations=evaluations, seed=seed, progress=False).records
    ):
        losses[best.number :] = best.loss  # with one worker, numbers are in the order of the results
    return losses
