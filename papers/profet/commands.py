"""Commands of this paper: generated tasks to work with, and an optimizer of one's own beside all of ours.

python -m papers profet sample svm --tasks 3 --points 5
python -m papers profet benchmark mine.py:Mine --on svm
python -m papers profet benchmark optuna.samplers:TPESampler --on svm_noisy
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import UserError, nearest

if TYPE_CHECKING:
    import pandas as pd
    from ConfigSpace import ConfigurationSpace
    from rich.console import Console

    from core.experiment.catalogue import Catalogue
    from core.experiment.cells import Cell

CLASSES = (
    "svm",
    "svm_noisy",
    "fcnet",
    "fcnet_noisy",
    "xgboost",
    "xgboost_noisy",
    "forrester_real",
    "forrester_generated",
)


def parser() -> argparse.ArgumentParser:
    """The commands' arguments."""
    top = argparse.ArgumentParser(prog="python -m papers profet", description=__doc__.splitlines()[0])
    commands = top.add_subparsers(required=True, metavar="command")
    sample = commands.add_parser("sample", help="evaluate generated tasks on a Sobol grid, as a CSV file")
    sample.add_argument("name", choices=CLASSES, help="class of tasks")
    sample.add_argument("--tasks", type=int, default=10)
    sample.add_argument("--points", type=int, default=100, help="number of points of the grid (default: 100)")
    sample.add_argument("--scale", default="quick", choices=("smoke", "quick", "paper"))
    sample.add_argument("--out", type=Path, default=Path("tasks.csv"))
    sample.set_defaults(command=("papers.profet.commands", "sample"))
    benchmark = commands.add_parser("benchmark", help="run an optimizer of your own and compare it with all of ours")
    benchmark.add_argument(
        "optimizer",
        help="file.py:Name or module:Name of a class, made with (space, seed), with ask and tell; or an Optuna sampler",
    )
    benchmark.add_argument("--on", choices=CLASSES, default="svm", help="class of tasks (default: svm)")
    benchmark.add_argument("--seconds", type=float, default=60.0, help="limit of one call of ask or tell (default: 60)")
    benchmark.add_argument("--scale", default="quick", choices=("smoke", "quick", "paper"))
    benchmark.add_argument("--out", type=Path, help="page (default: figures/own/profet/<name>_on_<class>.html)")
    benchmark.set_defaults(command=("papers.profet.commands", "benchmark"))
    return top


def sample(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Write task, coordinates of the unit cube, value and observed value of every task at every point."""
    import numpy as np
    import pandas as pd
    import torch

    from core.experiment.context import Context
    from core.report.figures.files import write_file
    from core.spaces.sobol import sobol_points
    from core.validation import require_count
    from papers.profet.experiments.searches import tasks_of_cell

    require_count("--points", options.points)
    (cell, *_) = _cells(catalogue, options.name, options.scale)
    context, count = Context(cell, range(1), root=catalogue.root), require_count("--tasks", options.tasks)
    tasks = tasks_of_cell(context, count, cell.settings.real)
    grid = sobol_points(tasks.dimension, 0, options.points)
    normals = np.random.default_rng(0).standard_normal((len(tasks), len(grid)))
    with torch.no_grad():
        X = torch.from_numpy(grid).expand(len(tasks), -1, -1)
        values, observed = tasks.observe(X, torch.from_numpy(normals))
    frame = pd.DataFrame(np.tile(grid, (len(tasks), 1)), columns=[f"x{place}" for place in range(tasks.dimension)])
    frame.insert(0, "task", np.repeat(np.arange(len(tasks)), len(grid)))
    frame = frame.assign(value=values.numpy().ravel(), observed=observed.numpy().ravel())
    console.print(
        f"wrote {write_file(options.out, frame.to_csv(index=False))}: {len(tasks)} tasks at {len(grid)} points"
    )
    return 0


def benchmark(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Run the optimizer on the tasks of the searches that were run, under their protocol, and write the page.

    Raises:
        UserError: those searches ran on other tasks than those of the meta-model that is here.
    """
    import pandas as pd

    from core.experiment.context import Context
    from core.report.page.task_page import final_numbers, write_task_page
    from core.report.runs.task_runs import first_hits, task_runs
    from core.seeds import derive_seed
    from core.study.task_search import search_tasks
    from core.study.watched import WatchedMethod
    from papers.profet.experiments.meta_models import needed_model
    from papers.profet.experiments.searches import tasks_of_cell
    from papers.profet.task_weights import require_same_weights

    name, make = _optimizer(options.optimizer)
    cells = _cells(catalogue, options.on, options.scale)
    frame = pd.concat([_records(cell, catalogue.root) for cell in cells], ignore_index=True)
    settings, evaluations = cells[0].settings, int(frame.groupby("method")["evaluation"].max().min())
    methods = [cell.method for cell in cells]
    losses = task_runs(frame, options.on, methods, "loss", evaluations)
    solved = task_runs(frame, options.on, methods, "solved", evaluations)
    count, runs, _ = losses[methods[0]].shape
    context = Context(cells[0], range(runs), root=catalogue.root)
    if not getattr(settings, "real", False):
        require_same_weights(cells, needed_model(context, options.on.partition("_")[0])[1], catalogue.root)
    found = search_tasks(
        tasks_of_cell(context, count, settings.real),
        WatchedMethod(name, make, options.seconds, runs),
        evaluations,
        context.shared_seeds("tasks"),
        [derive_seed("own", name, run) for run in range(runs)],
        settings.initial_design,
        settings.noisy,
    )
    losses, solved = {**losses, name: found.loss}, first_hits({**solved, name: found.solved})
    out = options.out or catalogue.root / "figures" / "own" / "profet" / f"{name}_on_{options.on}.html"
    path = write_task_page(out, f"{name} beside {len(methods)} methods on tasks of {options.on}", losses, solved)
    console.print(final_numbers(losses, solved).to_string(float_format="{:.3g}".format))
    console.print(f"wrote {path}")
    return 0


def _cells(catalogue: Catalogue, name: str, scale: str) -> list[Cell]:
    """The cells of the searches on a class of tasks that have been run, your own or shipped.

    Raises:
        UserError: none has.
    """
    from core.experiment.needs import find_file
    from papers.profet.task_results import experiment_of

    cells = [cell for cell in catalogue.cells("profet", experiment_of(name), scale) if cell.benchmark == name]
    run = [cell for cell in cells if find_file(cell, catalogue.root) is not None]
    if not run:
        raise UserError(
            f"searches on {name!r} at scale {scale} have not been run; make them with: "
            f"python -m papers run 'profet/{experiment_of(name)}/{name}/*' --scale {scale}"
        )
    return run


def _records(cell: Cell, root: Path) -> pd.DataFrame:
    from core.experiment.needs import find_file
    from core.experiment.storage import read_records

    return read_records(find_file(cell, root))[0].assign(benchmark=cell.benchmark, method=cell.method)


def _optimizer(text: str) -> tuple[str, Any]:
    """The name of an optimizer and what makes one from a space and a seed.

    Raises:
        UserError: no such file, module or name, or something that is not callable.
    """
    place, _, name = text.rpartition(":")
    if not place:
        raise UserError(f"optimizer {text!r}: allowed: file.py:Name, or module:Name")
    try:
        module = _from_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except (ImportError, OSError, SyntaxError) as error:
        raise UserError(f"optimizer {text!r}: {place} cannot be imported: {error}") from error
    found = getattr(module, name, None)
    if not callable(found):
        classes = [each for each in dir(module) if inspect.isclass(getattr(module, each))]
        raise UserError(f"optimizer {text!r}: no class {name!r} in {place}; {nearest(name, classes)}")
    if inspect.isclass(found) and any(base.__module__.startswith("optuna.samplers") for base in found.__mro__):
        return name, lambda space, seed: _of_sampler(found, space, seed)
    return name, found


def _of_sampler(sampler: type, space: ConfigurationSpace, seed: int) -> Any:
    """An optimizer by a class of Optuna's samplers, some of which draw nothing and take no seed."""
    import numpy as np

    from core.optimizers.tpe import OptunaSearch

    seeded = "seed" in inspect.signature(sampler).parameters
    make = (lambda number: sampler(seed=number)) if seeded else (lambda number: sampler())
    return OptunaSearch(space, np.random.default_rng(seed), make)


def _from_file(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
