"""Commands of this paper: generated tasks to work with.

python -m papers profet sample svm --tasks 3 --points 5
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from core.experiment.paper import Papers

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
MOST = 1_000_000  # values, which are kept in memory


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
    return top


def sample(papers: Papers, options: argparse.Namespace, console: Console) -> int:
    """Write task, coordinates of the unit cube, value and observed value of every task at every point."""
    from core.experiment.context import Context
    from core.foundation.errors import UserError
    from core.foundation.files import require_writable
    from core.foundation.validation import require_count
    from core.report.figures.files import write_file
    from core.spaces.points import sobol_points
    from papers.profet.benchmark import searched_cells
    from papers.profet.experiments import tasks_of_cell, values_on

    points, count = (require_count(f"--{name}", getattr(options, name), most=MOST) for name in ("points", "tasks"))
    if points * count > MOST:
        raise UserError(f"--tasks {count:,} at --points {points:,}: {points * count:,} values; allowed: {MOST:,}")
    require_writable(options.out)
    (cell, *_) = searched_cells(papers, options.name, options.scale)
    context = Context(cell, range(1), root=papers.root)
    tasks = tasks_of_cell(context, count, cell.settings.real)
    grid = sobol_points(tasks.dimension, 0, points)
    frame = values_on(grid, tasks, seed=0)
    console.print(
        f"wrote {write_file(options.out, frame.to_csv(index=False))}: {len(tasks)} tasks at {len(grid)} points"
    )
    return 0
