"""`python -m papers benchmark mine.py:Mine --on branin tabular/protein bbob`: an optimizer of one's own beside ours.

What it runs on is a list of objectives by their names in `core.objectives`, each of them one task; a family such as
`bbob` stands for its members. A single class of tasks of a paper, such as `profet/svm`, is run on beside the searches
that are shipped, under their protocol: papers/<paper>/benchmark.py says how.

Beside the page, PAGE.html, stand PAGE.csv with the numbers of all tasks together, and PAGE.parquet with the raw runs:
one row an evaluation, with the columns of `core.study.trace` and

    task, method, seed    what was run; the runs of one task and seed are the pairs of the tests
    configuration         as JSON
    incumbent             the loss, on the largest budget, of what the run holds best from this evaluation on; infinite
                          before the first success

On a class of tasks the searches that were run have kept only incumbents: there the columns are task, method, run,
trial, incumbent and solved, and of the user's optimizer also configuration and loss.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import math
import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console

from core.experiment.costs import counted
from core.experiment.paper import Papers
from core.foundation.errors import UserError
from core.foundation.files import cannot_be_written, require_writable
from core.foundation.progress import Progress, within
from core.foundation.validation import require_count, require_number
from papers.commands.own_optimizer import OwnClass, load_optimizer
from papers.commands.running import progress_display

if TYPE_CHECKING:
    import pandas as pd

    from core.objectives.base import Objective
    from core.optimizers.base import Optimizer
    from core.optimizers.settings import MethodSettings
    from core.report.statistics.comparisons import Comparison, Runs
    from core.study.own import WatchedMethod

BESIDE = ("random", "tpe", "gp")
NAMED = 3  # objectives in the name of the page's file; more are counted
MOST_RUNS, MOST_EVALUATIONS = 10_000, 100_000  # each
MOST_KEPT = 10_000_000  # losses of all tasks, methods, runs and evaluations, which are kept in memory
LONGEST = 1e6  # seconds of one call, eleven days
TARGETS = (
    "the losses that the best configurations of all runs of all methods had after each evaluation, so that they depend "
    "on the methods of this page"
)


def benchmark(papers: Papers, options: argparse.Namespace, console: Console) -> int:
    """Run the optimizer and those of ours that are not shipped, print their final numbers and write the page.

    Raises:
        UserError: before any work, an option out of range, a page that cannot be written, an unknown optimizer,
            objective, method or class of tasks, or one whose data are not here; later, an optimizer that does something
            wrong.
    """
    import pandas as pd

    from core.experiment.provenance import commit

    _check_options(options)
    own, on = load_optimizer(options.optimizer), list(dict.fromkeys(options.on))
    beside = list(dict.fromkeys(options.beside or BESIDE))
    short = on if len(on) <= NAMED else [*on[:NAMED], f"{len(on) - NAMED}_more"]
    file = re.sub(r"[^\w.-]", "_", f"{own.name}_on_{'_'.join(short)}")
    asked = {"optimizer": own.place, "on": on, "beside": beside}
    asked |= {name: getattr(options, name) for name in ("runs", "evaluations", "scale")}
    out = options.out or _own_page(papers.root / "figures" / "own" / "benchmarks", file, asked)
    _check_out(out, given=options.out is not None)
    frames: list[pd.DataFrame] = []
    start = time.perf_counter()
    try:
        if len(on) == 1 and _is_of_a_paper(papers, on[0]):
            comparison = _on_tasks(papers, on[0], own, options, frames)
        else:
            comparison = _on_objectives(on, beside, own, options, console, frames)
    finally:  # an interrupted or failing comparison keeps the runs that it has finished
        if frames:
            notes = {"settings": asked, "commit": commit(papers.root), "wall_seconds": time.perf_counter() - start}
            _keep(out.with_suffix(".parquet"), pd.concat(frames, ignore_index=True), notes, console)
    title = f"{own.name} beside {_counted_methods(len(comparison.losses) - 1)} on {', '.join(on)}"
    _show(comparison, title, out, console)
    return 0


def _check_options(options: argparse.Namespace) -> None:
    require_number("--seconds", options.seconds, lambda value: 0 < value <= LONGEST, f"above 0 to {LONGEST:,.0f}")
    require_count("--runs", options.runs, most=MOST_RUNS)
    require_count("--evaluations", options.evaluations, most=MOST_EVALUATIONS)


def _own_page(folder: Path, file: str, asked: dict[str, Any]) -> Path:
    """The page of a name; with a number, where the pages of that name answer another question."""
    from core.experiment.storage import ResultFileError, read_provenance

    for number in itertools.count(1):
        page = folder / (f"{file}.html" if number == 1 else f"{file}_{number}.html")
        if not page.exists():
            return page
        try:
            if read_provenance(page.with_suffix(".parquet"))["settings"] == asked:
                return page
        except (OSError, ResultFileError):
            continue
    raise AssertionError("numbers do not end")


def _check_out(page: Path, given: bool) -> None:
    """Raise UserError unless the page and the files beside it can be written; only our own folder is made."""
    if page.suffix not in (".html", ".htm") or "\0" in str(page):  # .csv and .parquet stand beside it
        raise UserError(f"--out {str(page)!r}; allowed: a file whose name ends in .html")
    if given and not os.path.isdir(page.parent):  # noqa: PTH112 - Path.is_dir raises where a name is too long
        raise UserError(f"--out {page}: there is no folder {page.parent}; allowed: a file in one that exists")
    for file in (page, page.with_suffix(".csv"), page.with_suffix(".parquet")):
        require_writable(file, lambda file, error: f"--out {cannot_be_written(file, error)}")


def _is_of_a_paper(papers: Papers, name: str) -> bool:
    """Whether a name is that of a class of tasks, `paper/tasks`, rather than of objectives."""
    from core.objectives.families import FAMILIES, is_member

    paper, _, tasks = name.partition("/")
    has_classes = (papers.code / papers.package / paper / "benchmark.py").is_file()
    return bool(tasks) and not is_member(name) and (has_classes or paper not in FAMILIES)


def _on_tasks(
    papers: Papers, name: str, own: OwnClass, options: argparse.Namespace, frames: list[pd.DataFrame]
) -> Comparison:
    """The comparison on a paper's class of tasks with the searches that were run; adds the raw runs to the frames."""
    import pandas as pd

    from core.report.statistics.comparisons import Comparison
    from core.study.evaluation import plain
    from core.study.own import WatchedMethod

    paper, _, tasks = name.partition("/")
    folder = papers.code / papers.package
    having = sorted(file.parent.name for file in folder.glob("*/benchmark.py"))
    if paper not in having:
        raise UserError(f"--on {name}: {paper!r} has no classes of tasks; allowed: {', '.join(having)} or an objective")
    of_paper, made = papers.paper(paper).module("benchmark"), []

    def watched(names: list[str], runs: int) -> WatchedMethod:
        made.append(WatchedMethod(own.name, own.make, options.seconds, runs, names))
        return made[-1]

    losses, solved = of_paper.compared(papers, tasks, options.scale, watched)
    (method,), parts = made, []
    for each, values in losses.items():
        task, run, trial = np.indices(values.shape).reshape(3, -1)
        columns = {"task": np.array(method.tasks)[task], "method": each, "run": run, "trial": trial}
        parts.append(pd.DataFrame({**columns, "incumbent": values.ravel(), "solved": solved[each].ravel()}))
    told = pd.DataFrame(method.told).assign(method=own.name)
    told["configuration"] = [json.dumps(plain(each)) for each in told["configuration"]]
    keys = ["task", "method", "run", "trial"]
    frames.append(pd.concat(parts).merge(told, how="left", on=keys).assign(status="ok", message=""))
    return Comparison(own.name, tuple(method.tasks), losses, solved, (None,) * len(method.tasks), of_paper.TARGETS)


def _on_objectives(
    on: list[str],
    beside: list[str],
    own: OwnClass,
    options: argparse.Namespace,
    console: Console,
    frames: list[pd.DataFrame],
) -> Comparison:
    """The comparison on objectives; adds the raw runs to the frames.

    The user's optimizer runs first, so that what it does wrong costs no other runs.
    """
    from core.objectives import objective, objectives_of
    from core.report.statistics.comparisons import Comparison
    from core.study.methods import method_of
    from core.study.own import WatchedMethod

    names = list(dict.fromkeys(member for each in on for member in objectives_of(each)))
    ours = {name: method_of(name) for name in beside}
    shape = (len(names), options.runs, options.evaluations)
    if (kept := math.prod(shape) * (1 + len(ours))) > MOST_KEPT:
        counts = f"{len(names)} objectives, {1 + len(ours)} methods, {options.runs:,} --runs, {options.evaluations:,}"
        raise UserError(f"{counts} --evaluations: {kept:,} in all; allowed: {MOST_KEPT:,}")
    objectives = {name: objective(name) for name in names}  # what is missing ends here, before any work
    for name, settings in ours.items():
        for each, where in objectives.items():
            _check(settings, name, where, each, options.evaluations)
    watched = WatchedMethod(own.name, own.make, options.seconds, options.runs, names)
    searches = list(itertools.product({own.name: watched, **ours}.items(), enumerate(objectives.items())))
    losses = {method: np.full(shape, np.inf) for method in (*ours, own.name)}
    with progress_display(console, [None] * len(searches), unit="searches") as display:
        for (name, method), (task, (on_name, on_objective)) in searches:
            display.begin(f"{name} on {on_name} ({counted(options.runs)})")
            for run in range(options.runs):
                progress = within(display.update, run / options.runs, (run + 1) / options.runs)
                try:
                    frame, reached = _search(method, on_objective, run, options.evaluations, progress)
                except UserError as error:  # of the user's optimizer it says where
                    raise error if method is watched else UserError(f"{name}, {on_name}, run {run}: {error}") from error
                frames.append(frame.assign(task=on_name, method=name))
                losses[name][task, run] = reached
            display.end()
    optima = tuple(each.optimum for each in objectives.values())
    return Comparison(own.name, tuple(names), losses, _solved(losses), optima, TARGETS)


def _check(settings: MethodSettings, method: str, objective: Objective, name: str, evaluations: int) -> None:
    """Raise UserError if a method needs something that an objective does not have, or a package that is not here."""
    if settings.needs_curves or (settings.needs_budgets and objective.fidelity is None):
        needs = "learning curves" if settings.needs_curves else "budgets"
        raise UserError(f"--beside {method}: it needs {needs}, which {name} does not have; allowed: other methods")
    try:
        _optimizer(settings, objective, 0, evaluations)
    except UserError as error:
        raise UserError(f"--beside {method}, on {name}: {error}") from error


def _search(
    method: MethodSettings | WatchedMethod, objective: Objective, run: int, evaluations: int, progress: Progress
) -> tuple[pd.DataFrame, np.ndarray]:
    """The evaluations of one run, and the losses of its incumbents by what was spent, (n,)."""
    from core.study.evaluation import plain
    from core.study.simulated import by_spending, search_by_spending
    from core.study.trace import Trace

    optimizer, generator = _optimizer(method, objective, run, evaluations), np.random.default_rng(run)
    records, held = search_by_spending(optimizer, objective, evaluations, generator, progress)
    frame = Trace.of([records], [run]).frame.assign(seed=run, incumbent=held)
    frame["configuration"] = [json.dumps(plain(each)) for each in frame["configuration"]]
    return frame, by_spending(records, held, evaluations)


def _optimizer(method: MethodSettings | WatchedMethod, objective: Objective, seed: int, evaluations: int) -> Optimizer:
    from core.optimizers.settings import MethodSettings
    from core.study.own import OwnOptimizer

    if not isinstance(method, MethodSettings):
        return OwnOptimizer(objective.space, method.build(objective.space, seed, evaluations))
    fidelity = objective.fidelity
    budgets = (fidelity.minimum, fidelity.maximum) if method.needs_budgets and fidelity is not None else None
    return method.build(objective.space, seed, budgets, evaluations)


def _solved(losses: Runs) -> Runs:
    """Shares of the targets reached: of each task, the losses of all incumbents; none where no run has a success."""
    from core.study.curves import solved_share

    solved = {name: np.zeros_like(values) for name, values in losses.items()}
    for task in range(len(next(iter(losses.values())))):
        reached = np.concatenate([values[task].ravel() for values in losses.values()])
        if (targets := reached[np.isfinite(reached)]).size:
            for name, values in losses.items():
                solved[name][task] = solved_share(values[task], targets)
    return solved


def _keep(path: Path, frame: pd.DataFrame, notes: dict[str, Any], console: Console) -> None:
    """Write the raw runs as Parquet, with what was asked, and by which code, in the file's metadata."""
    from core.experiment.provenance import machine, peak_memory_mb
    from core.experiment.storage import write_records

    first = [name for name in ("task", "method", "run", "seed", "trial") if name in frame]
    digest = hashlib.sha256(json.dumps(notes["settings"], sort_keys=True).encode()).hexdigest()[:16]
    runs = int(frame["run"].max()) + 1
    notes |= {"settings_hash": digest, "runs": runs, "seeds": list(range(runs)), "peak_memory_mb": peak_memory_mb()}
    write_records(path, frame[[*first, *frame.columns.drop(first)]], {**notes, **machine()})
    text = f"raw runs: {path}, one row for each of {len(frame):,} evaluations; pandas.read_parquet reads it"
    console.print(text, markup=False, soft_wrap=True)


def _show(comparison: Comparison, title: str, page: Path, console: Console) -> None:
    """Print the numbers of all tasks and the tests, and write the page."""
    from core.report.page.task_page import against_others, final_numbers, write_task_page

    for table in (final_numbers(comparison), against_others(comparison)):
        console.print(table.to_string(float_format="{:.3g}".format), markup=False, soft_wrap=True)
    write_task_page(page, title, comparison, page.with_suffix(".parquet"))
    console.print(f"wrote {page}", markup=False, soft_wrap=True)


def _counted_methods(count: int) -> str:
    return f"{count} method{'' if count == 1 else 's'}"
