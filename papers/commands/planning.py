"""`python -m papers plan`: what experiments take at a scale, by recorded runs, and what was never recorded.

One row an experiment; a job is a cell. Nothing is assumed for jobs without a record: they are counted as unknown, and
the numbers that lack them are marked. Below the table stands how what was not recorded was scaled up.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Column
from rich.table import Table as RichTable

from core.experiment.cells import Cell
from core.experiment.costs import Cost, cost_of
from core.experiment.finished import find_file, is_finished
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.experiment.storage import ResultFileError

LACKING, ROUGH = "≥", "~"
"""What stands before a number without jobs that are unknown, and before one that some settings make uncertain."""
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Demand:
    """What some cells take together: the cost of each, None for one of which nothing is recorded."""

    costs: Sequence[Cost | None]

    @property
    def known(self) -> list[Cost]:
        return [cost for cost in self.costs if cost is not None]

    @property
    def unknown(self) -> int:
        return len(self.costs) - len(self.known)

    @property
    def is_recorded(self) -> bool:
        """Whether everything was measured, and nothing scaled up."""
        return not self.unknown and all(cost.is_recorded for cost in self.known)

    @property
    def mark(self) -> str:
        """`≥`, `~`, both or nothing."""
        return LACKING * bool(self.unknown) + ROUGH * any(cost.uncounted for cost in self.known)

    def hours(self) -> str:
        """Core-hours."""
        return self._marked(_hours(sum(cost.seconds for cost in self.known)))

    def longest(self) -> str:
        """Hours that the longest job takes."""
        return self._marked(_hours(max((cost.seconds for cost in self.known), default=0.0)))

    def memory(self) -> str:
        """The largest memory of a job, in MiB. More repetitions are computed ten at a time, in the same memory."""
        others = any(cost.factors.keys() - {"runs"} for cost in self.known)
        mark = self.mark if ROUGH in self.mark else self.mark + ROUGH * others
        return self._marked(f"{max((cost.memory_mb for cost in self.known), default=0.0):,.0f}", mark)

    def disk(self) -> str:
        """Space of the records, in MiB."""
        return self._marked(f"{sum(cost.disk for cost in self.known) / 2**20:,.1f}")

    def known_from(self) -> str:
        """Where the numbers come from: `4 recorded; 16 by runs ×5, evaluations ×4, without record; 2 unknown`."""
        parts = []
        if recorded := sum(cost.is_recorded for cost in self.known):
            parts.append(f"{recorded} recorded")
        if scaled := [cost for cost in self.known if not cost.is_recorded]:
            ratios = [f"{name} ×{_range(name, scaled)}" for name in _names(cost.factors for cost in scaled)]
            text = f"{len(scaled)} by {', '.join(ratios) or 'runs ×1'}"
            without = _names(cost.uncounted for cost in scaled)
            parts.append(f"{text}, without {', '.join(without)}" if without else text)
        if self.unknown:
            parts.append(f"{self.unknown} {UNKNOWN}")
        return "; ".join(parts)

    def _marked(self, text: str, mark: str | None = None) -> str:
        mark = self.mark if mark is None else mark
        return UNKNOWN if not self.known else f"{mark} {text}" if mark else text


def plan(papers: Papers, options: argparse.Namespace, console: Console) -> int:
    """Print what the cells that names or patterns match take, an experiment a row, then how to read it."""
    names = options.name or list(papers.valid)
    named = [cell for name in names for cell in find_cells(papers, name, options.scale)]
    cells = list({cell.path(""): cell for cell in named}.values())
    costs = {cell.path(""): cost_of(cell, papers.root) for cell in cells}
    numbers = ("jobs", "core-hours", "longest, h", "memory, MiB", "disk, MiB")
    columns = [Column("experiment", no_wrap=True), *(Column(name, justify="right", no_wrap=True) for name in numbers)]
    table, scaled = RichTable(*columns, box=None, padding=(0, 1)), []
    for paper, of_paper in groupby(cells, key=lambda cell: cell.paper):
        below = list(of_paper)
        _add_row(table, f"[bold]{escape(paper)}[/]", Demand([costs[cell.path("")] for cell in below]))
        for experiment, some in groupby(below, key=lambda cell: cell.experiment):
            demand = Demand([costs[cell.path("")] for cell in some])
            _add_row(table, f"  {escape(experiment)}", demand)
            if not demand.is_recorded:
                scaled.append(f"{paper}/{experiment}: {demand.known_from()}")
    demand = Demand(list(costs.values()))
    _add_row(table, "[bold]all[/]", demand)
    console.print(table)
    for line in (
        "",
        *scaled,
        *_reading(demand),
        *_of_own_runs(cells, demand, papers.root),
        *_lacking(cells, papers.root),
    ):
        console.print(line, markup=False, soft_wrap=True)
    if not options.name:
        papers.require_all()
    return 0


def _add_row(table: RichTable, name: str, demand: Demand) -> None:
    table.add_row(name, str(len(demand.costs)), demand.hours(), demand.longest(), demand.memory(), demand.disk())


def _reading(demand: Demand) -> Iterator[str]:
    """How the numbers were made, as far as there are such numbers."""
    recorded = sum(cost.is_recorded for cost in demand.known)
    scaled = len(demand.known) - recorded
    rough = sum(bool(cost.uncounted) for cost in demand.known)
    processors = _names([cost.cpu for cost in demand.known if cost.cpu])
    yield f"{_jobs(len(demand.costs))}: {recorded} recorded, {scaled} scaled up, {demand.unknown} {UNKNOWN}" + (
        f"; recorded on {', '.join(processors)}" if processors else ""
    )
    if scaled:
        yield "scaled up: recorded seconds and bytes times the ratios above; memory stays that of the recorded runs"
    if rough:
        yield (
            f"{ROUGH}: {rough} of these differ from the recorded runs also in settings whose cost nobody recorded; "
            "they are named after `without`, and nothing is added or taken off for them"
        )
    if demand.unknown:
        yield f"{LACKING}: without the {demand.unknown} {UNKNOWN}, never run at a scale that says anything of them"


def _of_own_runs(cells: Sequence[Cell], demand: Demand, root: Path) -> Iterator[str]:
    """What of it is done already."""
    finished = [is_finished(cell, root) for cell in cells]
    if any(finished):
        left = Demand([cost for cost, done in zip(demand.costs, finished, strict=True) if not done])
        hours = left.hours() if left.costs else "0"
        yield f"{sum(finished)} of them are finished in results/run; {len(left.costs)} are left: {hours} core-hours"


def _lacking(cells: Sequence[Cell], root: Path) -> Iterator[str]:
    """Records that cells read and that are neither here nor in the plan; then files that have no size yet."""
    planned = {cell.path("") for cell in cells}
    needed = {each.path(""): each for cell in cells for each in cell.needs if each.path("") not in planned}
    absent = [each for each in needed.values() if not _is_here(each, root)]
    if absent:
        names = ", ".join(_names(f"{each.paper}/{each.experiment}" for each in absent))
        yield f"they read records of {_jobs(len(absent))} neither here nor in this plan: {names}"
    beside = [cell for cell in cells if cell.attachment and not _has_file_beside(cell, root)]
    if beside:
        yield f"disk is without the files beside the records of {_jobs(len(beside))}, which are not here"


def _is_here(cell: Cell, root: Path) -> bool:
    try:
        return find_file(cell, root) is not None
    except ResultFileError:  # your own is damaged
        return False


def _has_file_beside(cell: Cell, root: Path) -> bool:
    paths = (cell.attachment_path(root, source) for source in ("run", "reference"))
    return any(path is not None and path.is_file() for path in paths)


def _jobs(count: int) -> str:
    return f"{count} job{'' if count == 1 else 's'}"


def _names(groups: Iterable[Iterable[str]] | Iterable[str]) -> list[str]:
    """Every name once, in the order of their first occurrence."""
    return list(dict.fromkeys(name for group in groups for name in ([group] if isinstance(group, str) else group)))


def _range(factor: str, costs: Iterable[Cost]) -> str:
    """`5`, or `0.5 to 4` where cells differ."""
    ratios = [cost.factors.get(factor, 1.0) for cost in costs]
    low, high = f"{min(ratios):.3g}", f"{max(ratios):.3g}"
    return high if low == high else f"{low} to {high}"


def _hours(seconds: float) -> str:
    hours = seconds / 3600
    return f"{hours:,.0f}" if hours >= 100 else f"{hours:.1f}" if hours >= 1 else f"{max(hours, 0.01):.2f}"
