"""What the Snakefile needs to know, computed from the catalogue: names, outputs and inputs. Does not import torch.

Snakemake alone decides what is out of date, from what is declared here: see `core.experiment.drawings`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from core.experiment import SCALES, SOURCES
from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell
from core.experiment.drawings import (
    Drawing,
    cells_of,
    drawings_of,
    drawn_at,
    folder_of,
    library_files,
    paper_files,
    runs_behind,
)
from core.experiment.durations import announcement
from core.experiment.jobs import Jobs
from core.experiment.outputs import Outputs
from core.experiment.own_runs import OwnRuns
from core.foundation.errors import UnknownNameError, UserError
from core.foundation.files import write_whole

CONFIG = {"scale": SCALES, "runs": SOURCES}
LIBRARY = ".snakemake/settings/library"
"""An empty file as new as the library: Snakemake looks at each input of a job again for each of its outputs."""


class Workflow:
    """The catalogue under a Snakemake configuration: `scale` (default quick) and `runs` (default reference).

    Args:
        config: The Snakemake configuration.
        root: Root of the repository.
        say: Callback that receives what a user should read before the work starts.

    Raises:
        UserError: an unknown configuration key or value.
    """

    def __init__(
        self, config: Mapping[str, Any], root: Path | str = ".", say: Callable[[str], None] = lambda text: None
    ) -> None:
        for key, value in config.items():
            if key not in CONFIG:
                raise UnknownNameError("configuration key (--config)", key, CONFIG)
            if value not in CONFIG[key]:
                raise UnknownNameError(f"value of --config {key}", str(value), CONFIG[key])
        self.scale: str = config.get("scale", "quick")
        self.source: str = config.get("runs", "reference")
        self.folder = folder_of(self.source)
        self.catalogue = Catalogue(root)
        self.outputs = Outputs(self.catalogue, self.scale)
        self._own_runs = OwnRuns(self.catalogue.root)
        self._jobs = Jobs(self.catalogue.root)
        self._beside: dict[tuple[str, str, str], dict[str, list[Cell]]] = {}
        self._say, self._said = say, set[str]()
        self._scale_files = {  # all of them now: Snakemake remembers which files a folder had when it first looked
            (paper, source): self._scale_file(paper, self._drawings(paper, source))
            for paper in self.papers
            for source in SOURCES
        }
        for error in self.catalogue.broken.values():
            self._say_once(f"left out: {error}")

    @property
    def papers(self) -> list[str]:
        """The papers that can be used."""
        return list(self.catalogue.papers)

    def artifacts(self, kind: str) -> list[str]:
        """`paper/artifact` of every table or figure."""
        return [name for name in self.catalogue.artifacts if self.outputs.drawing(name, "").kind == kind]

    def require_all(self) -> list[str]:
        """No files; raises UserError if a paper cannot be used, since then not everything can be drawn."""
        self.catalogue.require_all()
        return []

    def drawings(self, paper: str) -> list[str]:
        """All files of all drawings of a paper, in the configured folder."""
        return [file for drawn in self._drawings(paper, self.source) for file in drawn.files]

    def in_report(self, file: str) -> dict[str, Any]:
        """Caption, category and labels of an image in Snakemake's report; empty for files that it leaves out."""
        if not file.endswith(".png"):
            return {}
        drawn = self.outputs.drawn[file]
        paper = self.catalogue.paper(drawn.paper)
        spec = paper.artifacts[drawn.artifact]
        labels = {"place": spec.source.place, "title": spec.title}
        return {"caption": f"{drawn.stem}.rst", "category": paper.name, "labels": labels}

    def library_files(self) -> list[str]:
        """What every drawing is made with."""
        return self._relative(library_files(self.catalogue))

    def inputs_of_paper(self, paper: str) -> list[str]:
        """What all drawings of a paper in the configured folder are made from."""
        return self._inputs(paper, self._drawings(paper, self.source))

    def inputs(self, name: str, folder: str) -> list[str]:
        """What the drawing of `paper/artifact`, or of a short name, in a folder is made from.

        For shipped runs these include the runs of the whole paper, so that the inputs are the same whichever rule draws
        it. Your own runs may have to be made first, so only those of the drawing itself count.

        Raises:
            UserError: a drawing of shipped runs, where your own are configured.
        """
        drawn = self.outputs.drawing(name, folder)
        if self.source == "run" and not folder:
            own = self.outputs.drawing(name, self.folder)
            raise UserError(f"{drawn.stem} is drawn from the shipped runs; from your own it is {own.stem}")
        return self._inputs(drawn.paper, [drawn] if folder else self._drawings(drawn.paper, drawn.source))

    def cell(self, wildcards: Any) -> Cell:
        """The cell behind a path below results/run.

        Raises:
            UserError: there is none.
        """
        names = (wildcards.paper, wildcards.experiment, wildcards.benchmark, wildcards.method)
        path = f"results/run/{wildcards.scale}/{'/'.join(names)}.parquet"
        if path not in self.outputs.cells:
            raise UserError(f"{path}: no such cell; see python -m papers list {'/'.join(names[:2])}")
        return self.outputs.cells[path]

    def cell_inputs(self, wildcards: Any) -> list[str]:
        """What a cell's file is made from: its settings, and the files of the cells that it reads."""
        cell = self.cell(wildcards)
        return self._own_runs.inputs(cell, self._not_asked_beside(cell))

    def job(self, wildcards: Any) -> str | None:
        """The kind of job that a cell shares with others on a cluster; None for one that has its own."""
        return self._jobs.shared(self.cell(wildcards))

    def minutes(self, wildcards: Any, attempt: int) -> int:
        """The time limit of a cell on a cluster."""
        return self._jobs.minutes(self.cell(wildcards), attempt)

    def memory_mb(self, wildcards: Any, attempt: int) -> int:
        """The memory of a cell on a cluster, in MiB."""
        return self._jobs.memory_mb(self.cell(wildcards), attempt)

    def _not_asked_beside(self, cell: Cell) -> list[Cell]:
        """The cells whose files are in the folder of the cell's, the first time that one of them is asked for."""
        experiment = (cell.paper, cell.experiment, cell.scale)
        if experiment not in self._beside:
            self._beside[experiment] = {}
            for other in self.catalogue.cells(*experiment):
                self._beside[experiment].setdefault(other.benchmark, []).append(other)
        return self._beside[experiment].pop(cell.benchmark, [])

    def _drawings(self, paper: str, source: str) -> list[Drawing]:
        return drawings_of(self.catalogue, paper, self.scale, source)

    def _inputs(self, paper: str, drawn: list[Drawing]) -> list[str]:
        if drawn[0].source == "run":
            cells = {cell.path(self.catalogue.root): cell for each in drawn for cell in cells_of(self.catalogue, each)}
            runs = [path for path, cell in cells.items() if cell.can_run]
            missing = self._own_runs.missing([cells[path] for path in runs])
            self._say_once(f"{paper}: {announcement(missing, self.catalogue.root)}" if missing else "")
        else:
            runs = [path for path in runs_behind(self.catalogue, drawn) if path.exists()]
        files = self._relative([*paper_files(self.catalogue, paper), *runs])
        return [LIBRARY, *files, self._scale_files[paper, drawn[0].source]]

    def _relative(self, paths: Iterable[Path]) -> list[str]:
        return [str(path.relative_to(self.catalogue.root)) for path in paths]

    def _scale_file(self, paper: str, drawn: list[Drawing]) -> str:
        """A file that is written if there are drawings that were made by hand at another scale."""
        name = f".snakemake/settings/{folder_of(drawn[0].source)}{paper}"
        scales = {each.name: drawn_at(self.catalogue.root, each) for each in drawn}
        others = [f"{each} drawn at {scale}" for each, scale in scales.items() if scale not in (None, self.scale)]
        if others or not (self.catalogue.root / name).is_file():
            write_whole(self.catalogue.root / name, lambda stream: stream.write("\n".join(others).encode()))
        return name

    def _say_once(self, text: str) -> None:
        """Snakemake calls input functions more than once."""
        if text and text not in self._said:
            self._said.add(text)
            self._say(text)


def in_one_line(function: Callable[[Any], list[str]]) -> Callable[[Any], list[str]]:
    """An input function whose UserError ends Snakemake with its message alone."""

    def call(wildcards: Any) -> list[str]:
        try:
            return function(wildcards)
        except UserError as error:
            raise SystemExit(str(error)) from None

    return call
