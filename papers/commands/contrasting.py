"""`python -m papers compare CELL --against reference`: your own runs and ablations beside the shipped ones."""

from __future__ import annotations

import math

from rich.console import Console
from rich.markup import escape
from rich.table import Column
from rich.table import Table as RichTable

from core.experiment.ablations import find_ablations
from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell
from core.experiment.selection import find_cells
from core.foundation.errors import UserError

FILE_WIDTH = 120  # characters per line, where no terminal sets a width
NOTES = (
    "Means over the runs compared (failed ones are left out), own minus shipped, with its 95% interval: Student's of "
    "pairs, which are runs of the same number, or else Welch's.",
    "What is measured depends on the speed of the machine and gets no verdict.",
)


def compare_runs(catalogue: Catalogue, names: list[str], scale: str, console: Console) -> int:
    """Print, for each own run and ablation of the named cells, how its numbers differ from the shipped ones.

    Raises:
        UserError: none of the cells has both an own run or ablation and a shipped one.
    """
    from core.experiment.agreement import differences
    from core.experiment.storage import read_records
    from core.report.statistics.intervals import Interval

    if not console.is_terminal:
        console.width = FILE_WIDTH
    names = names or ["*"]
    pairs = [pair for name in names for pair in _pairs(catalogue, name, scale)]
    if not pairs:
        raise UserError(_what_is_missing(catalogue, names, scale))
    for own, shipped in pairs:
        ours = read_records(own.path(catalogue.root))[0]
        theirs = read_records(shipped.path(catalogue.root, "reference"))[0]
        measured = catalogue.paper(own.paper).experiments[own.experiment].measured
        console.print(f"[bold]{escape(own.name)}[/]  {escape(_what(own))}", soft_wrap=True)
        columns = (Column("metric", no_wrap=True), "own", "shipped", "runs", "difference", "")
        table = RichTable(*columns, box=None, padding=(0, 1))
        for comparison in differences(ours, theirs, measured):
            means = (f"{comparison.ours:.4g}", f"{comparison.theirs:.4g}")
            change = Interval(comparison.difference, comparison.low, comparison.high)
            words = (
                change.text("+.3g") if math.isfinite(comparison.high - comparison.low) else f"{change.estimate:+.3g}"
            )
            table.add_row(escape(comparison.metric), *means, comparison.compared, escape(words), comparison.verdict)
        console.print(table)
    for note in NOTES:
        console.print(note, soft_wrap=True)
    return 0


def _pairs(catalogue: Catalogue, name: str, scale: str) -> list[tuple[Cell, Cell]]:
    pairs = []
    for cell in find_cells(catalogue, name, scale):
        if cell.path(catalogue.root, "reference").exists():
            own = [cell] if cell.path(catalogue.root).exists() else []
            pairs += [(run, cell) for run in (*own, *find_ablations(catalogue, [cell], scale))]
    return pairs


def _what_is_missing(catalogue: Catalogue, names: list[str], scale: str) -> str:
    """Why there is no pair: nothing is shipped, nothing was run, or both exist but for different cells."""
    cells = [cell for name in names for cell in find_cells(catalogue, name, scale)]
    named = ", ".join(names)
    if not any(cell.path(catalogue.root, "reference").exists() for cell in cells):
        return f"{named}: nothing is shipped at scale {scale}; see python -m papers list {names[0]}, or --scale"
    missing = "no own run or ablation"
    if any(cell.path(catalogue.root).exists() for cell in cells) or find_ablations(catalogue, cells, scale):
        missing = "own runs and ablations, but none"
    return (
        f"{named}: {missing} at scale {scale} of a cell that is shipped; make one: "
        f"python -m papers run {names[0]} --scale {scale} [--set KEY=VALUE]"
    )


def _what(own: Cell) -> str:
    return f"with {', '.join(own.overrides)}, against shipped" if own.overrides else "own run against shipped"
