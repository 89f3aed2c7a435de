"""How long cells take, from the provenance of earlier runs: your own if there are any, otherwise the shipped ones."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from core.experiment.cells import Cell


def recorded_seconds(cell: Cell, root: Path) -> float | None:
    """Seconds of computing that all repetitions of a cell took, according to its files; None if there are none.

    A file with another number of repetitions counts in proportion. An ablation not yet run is assumed to take as long
    as its cell. On another machine, or with settings other than today's, this is a rough estimate.
    """
    from core.experiment.storage import ResultFileError, read_provenance  # imports Arrow, which only this needs

    own = cell.path(root)
    below = own.relative_to(root / "results").parts[1 + bool(cell.overrides) :]
    for path in (own, root.joinpath("results", "run", *below), root.joinpath("results", "reference", *below)):
        if path.exists():
            try:
                provenance = read_provenance(path)
            except ResultFileError:
                continue
            return float(provenance["wall_seconds"]) * cell.runs / max(1, provenance["runs"])
    return None


def announcement(cells: Collection[Cell], root: Path, finished: int = 0) -> str:
    """`12 cells to run (3 finished already), about 14 min of computing by earlier runs; 2 were never timed`."""
    recorded = [recorded_seconds(cell, root) for cell in cells]
    known = [seconds for seconds in recorded if seconds is not None]
    text = f"{len(cells)} cell{'' if len(cells) == 1 else 's'} to run"
    text += f" ({finished} finished already)" if finished else ""
    text += f", about {in_words(sum(known))} of computing by earlier runs" if known else ""
    unknown = len(cells) - len(known)
    return text + (f"; {unknown} {'was' if unknown == 1 else 'were'} never timed" if unknown else "")


def counted(runs: int) -> str:
    """`1 run`, `25 runs`."""
    return f"{runs} run{'' if runs == 1 else 's'}"


def in_words(seconds: float) -> str:
    """`0.4 s`, `41 s`, `2 min 10 s`, `14 min`, `2 h 5 min`: about two digits, since none of it is exact."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if whole < 60:
        return f"{whole} s"
    if minutes < 10:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    minutes = round(seconds / 60)
    hours, rest = divmod(minutes, 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{hours} h {rest} min" if rest else f"{hours} h"
