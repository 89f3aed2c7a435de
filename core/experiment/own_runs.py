"""Your own runs in a Snakemake plan: which are finished, which must be made first, and what each reads.

Snakemake compares modification times, and a file that a command by hand made from other settings, or with fewer
repetitions, is as new as any. Each cell therefore has a state file as an input, which changes if the cell's file is
not finished, and is older than one that is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.experiment.cells import Cell

STATES = Path(".snakemake/cells")


class OwnRuns:
    """The cells that a plan asks for, and those that they read.

    Args:
        root: the repository's root.
        wanted: the cells that are to be in results/run when all is done.
    """

    def __init__(self, root: Path, wanted: Iterable[Cell]) -> None:
        self._root = root
        self._wanted = {cell.path(""): cell for cell in wanted}
        self._finished: dict[Path, bool] = {}
        self._files: dict[Path, Path] = {}

    def is_finished(self, cell: Cell) -> bool:
        """Whether `python -m papers run` would leave the cell's file as it is."""
        from core.experiment.finished import is_finished  # imports Arrow, which a plan without own runs does without

        path = cell.path("")
        if path not in self._finished:
            self._finished[path] = (self._root / path).exists() and is_finished(cell, self._root)
        return self._finished[path]

    def missing(self) -> list[Cell]:
        """The cells that are to be run: those wanted, and those that they read, as far as they are not finished."""
        return [cell for cell in self._planned() if not self.is_finished(cell)]

    def inputs(self, cell: Cell) -> list[str]:
        """The cell's state file, and the files of the cells that it reads."""
        return [self._state_file(cell), *(str(self._file(needed)) for needed in cell.needs)]

    def write_states(self) -> None:
        """Write the state files; before Snakemake looks at their folders, since it remembers which files they have."""
        for cell in self._planned():
            self._state_file(cell)

    def _planned(self) -> list[Cell]:
        """The cells wanted and your own that they read, each once."""
        found, waiting = {}, list(self._wanted.values())
        while waiting:
            cell = waiting.pop(0)
            if found.setdefault(cell.path(""), cell) is cell:
                waiting += [needed for needed in cell.needs if self._file(needed) == needed.path("")]
        return list(found.values())

    def _file(self, needed: Cell) -> Path:
        """The file of a cell that another reads: your own where that is wanted, else the one that a run would read."""
        from core.experiment.needs import find_file
        from core.experiment.storage import ResultFileError

        own = needed.path("")
        if own in self._wanted:
            return own
        if own not in self._files:
            try:
                found = find_file(needed, self._root)
            except ResultFileError:  # your own is damaged
                found = None
            self._files[own] = own if found is None else found.relative_to(self._root)
        return self._files[own]

    def _state_file(self, cell: Cell) -> str:
        path = cell.path("")
        name = STATES / path.relative_to("results/run").with_suffix("")
        state, output = self._root / name, self._root / path
        state.parent.mkdir(parents=True, exist_ok=True)
        if not state.is_file():
            state.touch()
        if self.is_finished(cell):
            make_older(state, [output])
        elif output.exists():
            status = output.stat()
            text = f"not finished: written {status.st_mtime_ns}, {status.st_size} bytes"
            if state.read_text() != text or state.stat().st_mtime <= status.st_mtime:
                state.write_text(text)  # Snakemake takes a newer file of the same text for unchanged
        return str(name)


def make_older(state: Path, outputs: Sequence[Path]) -> None:
    """Make a state file older than the outputs."""
    oldest = min(output.stat().st_mtime for output in outputs)
    if state.stat().st_mtime >= oldest:
        os.utime(state, (oldest - 1, oldest - 1))
