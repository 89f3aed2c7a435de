"""An optimizer of the user's own on a class of tasks: `python -m papers benchmark mine.py:Mine --on profet/svm`.

It runs under the protocol of the searches that were run, your own or the shipped ones, and on the same tasks: those of
a meta-model with the same weights. One that is fitted again elsewhere has other weights, since its chains part after
the first rounding error, and so has other tasks, on which another method is the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from core.experiment.cells import Cell
from core.experiment.context import Context
from core.experiment.finished import PREFERENCE, find_file, has_digest
from core.experiment.paper import Papers
from core.experiment.storage import read_provenance, read_records
from core.foundation.errors import UnknownNameError, UserError
from core.foundation.seeds import derive_seed
from core.report.statistics.comparisons import Runs, first_hits, task_runs
from core.study.own import WatchedMethod
from core.study.task_search import search_tasks
from papers.profet.experiments import needed_model, tasks_of_cell
from papers.profet.search_results import CLASSES, SCENARIOS, experiment_of

TARGETS = "its noise-free values on a grid of 100 points a dimension (Sobol's)"


def compared(
    papers: Papers, name: str, scale: str, method: Callable[[list[str], int], WatchedMethod]
) -> tuple[Runs, Runs]:
    """Losses of the incumbents and shares of the targets reached, of the searches that were run and of the method.

    Args:
        name: Class of tasks.
        method: Function that makes the user's method, given the names of the tasks and the number of runs on each.

    Raises:
        UserError: an unknown class, no searches on it, or searches on other tasks than those of the meta-model here.
    """
    cells = searched_cells(papers, name, scale)
    records = (read_records(find_file(cell, papers.root))[0] for cell in cells)
    frames = [
        rows.assign(benchmark=cell.benchmark, method=cell.method) for rows, cell in zip(records, cells, strict=True)
    ]
    frame = pd.concat(frames, ignore_index=True)
    settings, evaluations = cells[0].settings, int(frame.groupby("method")["evaluation"].max().min())
    methods = [cell.method for cell in cells]
    losses = task_runs(frame, name, methods, "loss", evaluations)
    solved = task_runs(frame, name, methods, "solved", evaluations)
    count, runs, _ = losses[methods[0]].shape
    context = Context(cells[0], range(runs), root=papers.root)
    own = method([f"profet/{name}, task {task}" for task in range(count)], runs)
    if not getattr(settings, "real", False):
        _require_same_weights(cells, needed_model(context, name.partition("_")[0])[1], papers.root)
    search = search_tasks(
        tasks_of_cell(context, count, settings.real),
        own,
        evaluations,
        context.shared_seeds("tasks"),
        [derive_seed("own", own.name, run) for run in range(runs)],
        settings.initial_design,
        settings.noisy,
    )
    return {**losses, own.name: search.loss}, first_hits({**solved, own.name: search.solved})


def searched_cells(papers: Papers, name: str, scale: str) -> list[Cell]:
    """The cells of the searches on a class of tasks that have been run, your own or shipped.

    Raises:
        UserError: an unknown class, or none has been run.
    """
    if name not in (known := (*CLASSES, *SCENARIOS)):
        raise UnknownNameError("class of tasks", name, known)
    cells = [cell for cell in papers.paper("profet").cells(experiment_of(name), scale) if cell.benchmark == name]
    run = [cell for cell in cells if find_file(cell, papers.root) is not None]
    if not run:
        raise UserError(
            f"searches on {name!r} at scale {scale} have not been run; make them with: "
            f"python -m papers run 'profet/{experiment_of(name)}/{name}/*' --scale {scale}"
        )
    return run


def _require_same_weights(cells: Sequence[Cell], ours: str, root: Path) -> None:
    """Check that finished searches ran on tasks of the weights with the digest `ours`.

    Raises:
        UserError: one of them did not, or nothing says on which it ran.
    """
    for cell in cells:
        theirs = _weights_of(cell, root)
        if theirs != ours:
            raise UserError(
                f"{cell.name}: ran on tasks of a meta-model with the weights {theirs or 'of a file that is gone'}; "
                f"those here are {ours}, whose tasks are others; run the searches on these with: python -m papers run "
                f"'{cell.paper}/{cell.experiment}/{cell.benchmark}/*' --scale {cell.scale}"
            )


def _weights_of(cell: Cell, root: Path) -> str | None:
    """The digest of the weights in the records that a finished search read; None if they are not there any more."""
    read = read_provenance(find_file(cell, root)).get("read", {})
    for needed in (needed for needed in cell.needs if needed.name in read):
        for path in (needed.path(root, source) for source in PREFERENCE):
            if path.exists() and has_digest(path, read[needed.name]["digest"]):
                return read_records(path)[0]["weights"].iloc[0]
    return None
