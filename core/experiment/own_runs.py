"""Your own runs in a Snakemake plan: which are finished, which must be made first, and what each is made from.

Snakemake compares modification times and knows nothing of the settings and repetitions behind a file. Each cell
therefore has a small file that states both. It is written again when they change, or when the cell's file lacks them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from core.experiment.cells import Cell
from core.foundation.errors import WriteError
from core.foundation.files import cannot_be_written

SETTINGS = Path(".snakemake/settings")


class OwnRuns:
    """The cells below results/run of a repository, as they are now.

    Args:
        root: The repository's root.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._wanted: dict[Path, Cell] = {}
        self._finished: dict[Path, bool] = {}
        self._files: dict[Path, Path] = {}
        self._settings: dict[Path, list[str]] = {}

    def is_finished(self, cell: Cell) -> bool:
        """Whether `python -m papers run` would leave the cell's file as it is."""
        from core.experiment.finished import is_finished  # imports Arrow, which a plan without own runs does without

        path = cell.path("")
        if path not in self._finished:
            self._finished[path] = (self._root / path).exists() and is_finished(cell, self._root)
        return self._finished[path]

    def missing(self, wanted: Iterable[Cell]) -> list[Cell]:
        """The cells to run, among the wanted ones and those that they read.

        From now on, cells that read a wanted one wait for your own, even if it is shipped. All settings files are
        written: Snakemake remembers which files a folder had when it first looked.
        """
        self._wanted |= {cell.path(""): cell for cell in wanted}
        cells, waiting = {}, list(self._wanted.values())
        while waiting:
            cell = waiting.pop(0)
            if cells.setdefault(cell.path(""), cell) is cell:
                waiting += [needed for needed in cell.needs if self._file(needed) == needed.path("")]
        for cell in cells.values():
            self._settings_file(cell)
        return [cell for cell in cells.values() if not self.is_finished(cell)]

    def inputs(self, cell: Cell, beside: Iterable[Cell] = ()) -> list[str]:
        """The file with the cell's settings, and the files of the cells that it reads, with their attachments.

        Args:
            beside: Cells whose files are in the same folder, and whose settings are written as well.
        """
        for other in beside:
            self._settings_file(other)
        files = [file for needed in cell.needs for file in self._files_of(needed)]
        return [*self._settings_file(cell), *map(str, files)]

    def _files_of(self, needed: Cell) -> list[Path]:
        """The file of a cell that another reads, and its attachment."""
        file = self._file(needed)
        return [file] if needed.attachment is None else [file, file.with_suffix(f".{needed.attachment}")]

    def _file(self, needed: Cell) -> Path:
        """The file of a cell that another reads: your own if it is wanted, otherwise the one that a run would read."""
        from core.experiment.needs import find_file
        from core.experiment.storage import ResultFileError

        own = needed.path("")
        if own in self._wanted:
            return own
        if own not in self._files:
            try:
                file = find_file(needed, self._root)
            except ResultFileError:  # your own is damaged
                file = None
            self._files[own] = own if file is None else file.relative_to(self._root)
        return self._files[own]

    def _settings_file(self, cell: Cell) -> list[str]:
        """The file with the cell's settings, newer than the cell's own file unless that is finished.

        A finished cell that was run by hand has none. Each is looked at once: Snakemake asks for every cell, and again
        for what its file is beside.
        """
        path = cell.path("")
        if path not in self._settings:
            self._settings[path] = self._written_settings(cell, path)
        return self._settings[path]

    def _written_settings(self, cell: Cell, path: Path) -> list[str]:
        name = SETTINGS / path.relative_to("results/run").with_suffix("")
        file, wanted = self._root / name, f"{cell.settings_hash}, runs: {cell.runs}\n"
        written = file.read_text(errors="replace") if file.is_file() else ""
        if self.is_finished(cell):
            if not written:
                return []
        elif (self._root / path).exists():
            wanted += f"unfinished as of {(self._root / path).stat().st_mtime_ns}\n"
        if written != wanted and not (self.is_finished(cell) and written.startswith(wanted)):
            _replace(file, wanted)
        return [str(name)]


def _replace(file: Path, text: str) -> None:
    """Write a small file that may be lost: waiting for the disk takes longer than all the rest of a plan."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text)
        temporary.replace(file)
    except OSError as error:
        raise WriteError(cannot_be_written(file, error)) from error
