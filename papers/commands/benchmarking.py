"""`python -m papers benchmark mine.py:Mine --on branin tabular/protein bbob`: an optimizer of one's own beside ours.

What it runs on is a list of objectives by their names in `core.benchmarks`, each of them one task; a family such as
`bbob` stands for its members. A single class of tasks of a paper, such as `profet/svm`, is run on beside the searches
that are shipped, under their protocol: papers/<paper>/benchmark.py says how.
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
    from core.optimizers.base import Optimizer
    from core.report.runs.task_runs import Runs
    from core.study.methods.settings import MethodSettings
    from core.study.watched import WatchedMethod

BESIDE = ("random", "tpe", "gp")
NAMED = 3  # objectives in the name of the page's file; more are counted


def benchmark(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Run the optimizer and those of ours that are not shipped, print their final numbers and write the page.

    Raises:
        UserError: an unknown optimizer, objective, method or class of tasks, one whose data are not here, or an
            optimizer that does something wrong.
    """
    from core.report.page.task_page import final_numbers, write_task_page
    from core.study.watched import WatchedMethod

    name, make = load_optimizer(options.optimizer)

    def watched(runs: int) -> WatchedMethod:
        return WatchedMethod(name, make, options.seconds, runs)

    on = list(dict.fromkeys(options.on))
    if len(on) == 1 and _is_of_a_paper(catalogue, on[0]):
        losses, solved = _on_tasks(catalogue, on[0], options.scale, watched)
    else:
        losses, solved = _on_objectives(on, options, watched, console)
    beside = f"{len(losses) - 1} method{'s' if len(losses) > 2 else ''}"
    short = on if len(on) <= NAMED else [*on[:NAMED], f"{len(on) - NAMED}_more"]
    file = f"{name}_on_{'_'.join(short).replace('/', '_')}.html"
    out = options.out or catalogue.root / "figures" / "own" / "benchmarks" / file
    path = write_task_page(out, f"{name} beside {beside} on {', '.join(on)}", losses, solved)
    console.print(final_numbers(losses, solved).to_string(float_format="{:.3g}".format))
    console.print(f"wrote {path}", soft_wrap=True)
    return 0


def _is_of_a_paper(catalogue: Catalogue, name: str) -> bool:
    """Whether a name is that of a class of tasks, `paper/tasks`, rather than of objectives."""
    from core.benchmarks.families import FAMILIES, is_member

    paper, _, tasks = name.partition("/")
    has_classes = (catalogue.code / catalogue.package / paper / "benchmark.py").is_file()
    return bool(tasks) and not is_member(name) and (has_classes or paper not in FAMILIES)


def _on_tasks(catalogue: Catalogue, name: str, scale: str, watched) -> tuple[Runs, Runs]:
    """Losses and solved targets on a paper's class of tasks, beside the searches that were run."""
    paper, _, tasks = name.partition("/")
    folder = catalogue.code / catalogue.package
    having = sorted(file.parent.name for file in folder.glob("*/benchmark.py"))
    if paper not in having:
        raise UserError(f"--on {name}: {paper!r} has no classes of tasks; allowed: {', '.join(having)} or an objective")
    return catalogue.module(paper, "benchmark").compared(catalogue, tasks, scale, watched)


def _on_objectives(on: list[str], options: argparse.Namespace, watched, console: Console) -> tuple[Runs, Runs]:
    """Losses of the incumbents, and shares of the targets reached: the losses of all incumbents on the same task."""
    from core.benchmarks import objective, objectives_of
    from core.study.methods import method_of
    from core.study.targets import solved_share

    runs = require_count("--runs", options.runs)
    evaluations = require_count("--evaluations", options.evaluations)
    names = list(dict.fromkeys(member for each in on for member in objectives_of(each)))
    methods = {name: method_of(name) for name in options.beside or BESIDE}
    objectives = {name: objective(name) for name in names}  # what is missing ends here, before any work
    for name, settings in methods.items():
        for each, where in objectives.items():
            _check(settings, name, where, each)
    own, losses = watched(runs), {}
    for name in (*methods, own.name):
        losses[name] = np.array(
            [_losses(methods.get(name, own), each, evaluations, runs) for each in objectives.values()]
        )
        console.print(f"{name}: {runs} run{'s' if runs > 1 else ''} on each of {len(names)}", soft_wrap=True)
    solved = {name: np.empty_like(values) for name, values in losses.items()}
    for task in range(len(objectives)):
        reached = np.concatenate([values[task].ravel() for values in losses.values()])
        for name, values in losses.items():
            solved[name][task] = solved_share(values[task], reached[np.isfinite(reached)])
    return losses, solved


def _check(settings: MethodSettings, method: str, objective: Objective, name: str) -> None:
    """Raise UserError if a method that needs budgets is to run on an objective that has none."""
    if settings.needs_curves or (settings.needs_budgets and objective.fidelity is None):
        needs = "learning curves" if settings.needs_curves else "budgets"
        raise UserError(f"--beside {method}: it needs {needs}, which {name} does not have; allowed: other methods")


def _losses(method: MethodSettings | WatchedMethod, objective: Objective, evaluations: int, runs: int) -> np.ndarray:
    """The losses of the incumbents by what was spent, (runs, n)."""
    from core.study.spending import losses_by_spending

    optimizers = [_optimizer(method, objective, run, evaluations) for run in range(runs)]
    return np.array(
        [
            losses_by_spending(optimizer, objective, evaluations, np.random.default_rng(run))
            for run, optimizer in enumerate(optimizers)
        ]
    )


def _optimizer(method: MethodSettings | WatchedMethod, objective: Objective, seed: int, evaluations: int) -> Optimizer:
    from core.study.methods.settings import MethodSettings
    from core.study.own import OwnOptimizer

    if not isinstance(method, MethodSettings):
        return OwnOptimizer(objective.space, method.build(objective.space, seed, evaluations))
    fidelity = objective.fidelity
    budgets = (fidelity.minimum, fidelity.maximum) if method.needs_budgets and fidelity is not None else None
    return method.build(objective.space, seed, budgets, evaluations)
