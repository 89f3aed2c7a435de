"""What the Snakefile needs to know of the papers: names, outputs, inputs, and what jobs need. Does not import torch.

Snakemake alone decides what is out of date, by modification times and by the list of inputs. It knows nothing of the
settings and repetitions behind a file of records, nor of the scale behind a drawing. The file `NOW`, which each call
makes new, is therefore among the inputs: as it is where a file is not what is wanted, so that Snakemake makes it again,
and as an ancient file, whose time does not count, where it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from core.experiment import LIST, SCALES, SOURCES
from core.experiment.cells import Cell
from core.experiment.costs import Jobs, announcement
from core.experiment.paper import EXTENSIONS, OWN, Artifact, Papers, folder_of
from core.foundation.errors import UnknownNameError, UserError
from core.foundation.files import cannot_be_written

CONFIG = {"scale": SCALES, "runs": SOURCES}
LIBRARY = ".snakemake/papers/library"
"""An empty file as new as the library: Snakemake looks at each input of a job again for each of its outputs."""
NOW = ".snakemake/papers/now"
"""A file as new as this call of Snakemake; not empty, since of an empty one Snakemake compares the content."""
RULES = ("all", "library", "table", "figure", "short_name", "comparison", "cell", "unknown")
"""The names of the Snakefile's rules, besides those of the papers, which have their names."""
PAGE = "comparison.html"
PAGES = (f"figures/{PAGE}", f"figures/{OWN}{PAGE}")
SHORT = ("pdf", "png", "csv", "md", "tex")
"""Extensions of files with short names: the sidecars have none."""
CELL = ("scale", "paper", "experiment", "benchmark", "method")
"""The parts of the path of a cell's file."""


class Workflow:
    """The papers under a Snakemake configuration: `scale` (default quick) and `runs` (default reference).

    Args:
        config: The Snakemake configuration.
        root: Root of the repository.
        say: Callback that receives what a user should read before the work starts.
        ancient: Snakemake's mark of an input whose time does not count.
        main: Whether this is the process that plans, rather than one that runs a job of a plan.

    Raises:
        UserError: an unknown configuration key or value.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        root: Path | str = ".",
        say: Callable[[str], None] = lambda text: None,
        ancient: Callable[[str], str] = lambda file: file,
        main: bool = True,
    ) -> None:
        for key, value in config.items():
            if key not in CONFIG:
                raise UnknownNameError("configuration key (--config)", key, CONFIG)
            if value not in CONFIG[key]:
                raise UnknownNameError(f"value of --config {key}", str(value), CONFIG[key])
        self.scale: str = config.get("scale", "quick")
        self.source: str = config.get("runs", "reference")
        self.folder = folder_of(self.source)
        self.papers = Papers(root)
        self.root = self.papers.root
        self._jobs = Jobs(self.root)
        self._say, self._said, self._ancient = say if main else lambda text: None, set[str](), ancient
        self._wanted: dict[Path, Cell] = {}
        self._finished: dict[Path, bool] = {}
        self._files: dict[Path, Path] = {}
        if main or not (self.root / NOW).exists():
            try:
                (self.root / NOW).parent.mkdir(parents=True, exist_ok=True)
                (self.root / NOW).write_text("now\n")
            except OSError as error:
                raise UserError(cannot_be_written(self.root / NOW, error)) from error
        for error in self.papers.broken.values():
            self._say_once(f"left out: {error}")

    # what there is

    def artifacts(self, kind: str) -> list[str]:
        """`paper/artifact` of every table or figure."""
        return [name for name in self.papers.artifacts if self.papers.artifact(name).spec.kind == kind]

    def require_all(self) -> list[str]:
        """No files; raises UserError if a paper cannot be used, since then not everything can be drawn."""
        self.papers.require_all()
        return []

    def drawings(self, paper: str) -> list[str]:
        """All files of all drawings of a paper, in the configured folder."""
        return [file for each in self._drawings(paper, self.source) for file in each.files]

    @cached_property
    def cells(self) -> Mapping[str, Cell]:
        """The cells by their files below results/run, at all scales."""
        return {
            str(cell.path("")): cell
            for paper in self.papers.valid.values()
            for experiment in paper.experiments
            for scale in SCALES
            for cell in paper.cells(experiment, scale)
        }

    @cached_property
    def cell_endings(self) -> Mapping[tuple[str, ...], set[str]]:
        """The extensions of a cell's files, and the experiments whose cells have these."""
        endings: dict[tuple[str, ...], set[str]] = {}
        for cell in self.cells.values():
            endings.setdefault(tuple(filter(None, ["parquet", cell.attachment])), set()).add(cell.experiment)
        return endings

    def cell_names(self, part: str) -> set[str]:
        """Every paper, experiment, benchmark, method or scale that occurs in a cell."""
        return {getattr(cell, part) for cell in self.cells.values()}

    @cached_property
    def drawn(self) -> Mapping[str, Artifact]:
        """The artifacts by the files of their drawings, short names included."""
        files = {}
        for source in SOURCES:
            for name in self.papers.artifacts:
                artifact = self.papers.artifact(name, self.scale, source)
                files |= dict.fromkeys(artifact.files, artifact)
                if self.papers.short_names.get(artifact.id) == artifact.paper.id:
                    ends = [end for end in EXTENSIONS[artifact.spec.kind] if end in SHORT]
                    files |= {f"figures/{folder_of(source)}{artifact.id}.{end}": artifact for end in ends}
        return files

    def in_report(self, file: str) -> dict[str, Any]:
        """Caption, category and labels of an image in Snakemake's report; empty for files that it leaves out."""
        if not file.endswith(".png"):
            return {}
        artifact = self.drawn[file]
        labels = {"place": artifact.spec.source.place, "title": artifact.spec.title}
        return {"caption": f"{artifact.stem}.rst", "category": artifact.paper.spec.name, "labels": labels}

    def unknown(self) -> str:
        """A constraint that matches what looks like a target and is neither a rule nor the output of one."""
        drawn = [rf"(?:{one_of(self.artifacts(kind))})\.(?:{one_of(ends)})" for kind, ends in EXTENSIONS.items()]
        short = rf"(?:{one_of(self.papers.short_names)})\.(?:{one_of(SHORT)})"
        cell = "/".join(f"(?:{one_of(self.cell_names(part))})" for part in CELL)
        endings = one_of({ending for each in self.cell_endings for ending in each})
        figures = rf"figures/(?:{OWN})?(?:{'|'.join([*drawn, short, re.escape(PAGE)])})"
        return rf"(?!(?:{figures}|results/run/{cell}\.(?:{endings}))$)(?:figures/.+|results/run/.+|[\w-]+)"

    def check(self, target: str) -> None:
        """Raise a UserError if no rule makes a target that looks like a drawing, a cell's file or a name.

        If the target belongs to a paper that cannot be used, the error is that of the paper.
        """
        names = ["all", *self.papers.names]
        for name, error in self.papers.broken.items():
            if name in Path(target).parts:
                raise error
        if target in self.drawn or target in self.cells or target in PAGES or target in names:
            return
        if "/" not in target:
            raise UnknownNameError("target", target, names)
        short = target.removeprefix("figures/").removeprefix(OWN).rpartition(".")[0]
        if any(short in paper.artifacts for paper in self.papers.valid.values()):
            self.papers.artifact(short)  # says which papers have it
        raise UnknownNameError("file", target, sorted({*self.drawn, *self.cells, *PAGES}), f"{LIST} PAPER")

    # what it is made from

    def library_files(self) -> list[str]:
        """What every drawing is made with."""
        return self._relative(self.papers.library_files())

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
        artifact = self.papers.artifact(name, self.scale, "run" if folder == OWN else "reference")
        if self.source == "run" and not folder:
            own = self.papers.artifact(name, self.scale, self.source)
            raise UserError(f"{artifact.stem} is drawn from the shipped runs; from your own it is {own.stem}")
        paper = artifact.paper.id
        return self._inputs(paper, [artifact] if folder else self._drawings(paper, artifact.source))

    def _inputs(self, paper: str, drawn: list[Artifact]) -> list[str]:
        if drawn[0].source == "run":
            cells = {cell.path(self.root): cell for each in drawn for cell in each.cells}
            runs = [path for path, cell in cells.items() if cell.can_run]
            missing = self.missing([cells[path] for path in runs])
            self._say_once(f"{paper}: {announcement(missing, self.root)}" if missing else "")
        else:
            runs = [path for path in dict.fromkeys(run for each in drawn for run in each.runs) if path.exists()]
        files = self._relative([*self.papers.paper(paper).files, *runs])
        return [LIBRARY, *files, self._now(all(each.drawn_at in (None, self.scale) for each in drawn))]

    def cell_inputs(self, wildcards: Any) -> list[str]:
        """What a cell's file is made from: the files of the cells that it reads, with their attachments."""
        cell = self.cell(wildcards)
        files = []
        for needed in cell.needs:
            file = self._file(needed)
            files += [file] if needed.attachment is None else [file, file.with_suffix(f".{needed.attachment}")]
        return [*map(str, files), self._now(self.is_finished(cell))]

    def is_finished(self, cell: Cell) -> bool:
        """Whether `python -m papers run` would leave the cell's own file as it is."""
        from core.experiment.finished import is_finished  # imports Arrow, which a plan without own runs does without

        path = cell.path("")
        if path not in self._finished:
            self._finished[path] = (self.root / path).exists() and is_finished(cell, self.root)
        return self._finished[path]

    def missing(self, wanted: Iterable[Cell]) -> list[Cell]:
        """The cells to run, among the wanted ones and those that they read.

        From now on, cells that read a wanted one wait for your own, even if it is shipped.
        """
        self._wanted |= {cell.path(""): cell for cell in wanted}
        cells, waiting = {}, list(self._wanted.values())
        while waiting:
            cell = waiting.pop(0)
            if cells.setdefault(cell.path(""), cell) is cell:
                waiting += [needed for needed in cell.needs if self._file(needed) == needed.path("")]
        return [cell for cell in cells.values() if not self.is_finished(cell)]

    def _file(self, needed: Cell) -> Path:
        """The file of a cell that another reads: your own if it is wanted, otherwise the one that a run would read."""
        from core.experiment.finished import find_file
        from core.experiment.storage import ResultFileError

        own = needed.path("")
        if own in self._wanted:
            return own
        if own not in self._files:
            try:
                file = find_file(needed, self.root)
            except ResultFileError:  # your own is damaged
                file = None
            self._files[own] = own if file is None else file.relative_to(self.root)
        return self._files[own]

    def _now(self, is_wanted: bool) -> str:
        """`NOW`, whose time does not count for a file that is what is wanted."""
        return self._ancient(NOW) if is_wanted else NOW

    def _drawings(self, paper: str, source: str) -> list[Artifact]:
        return self.papers.paper(paper).drawings(self.scale, source)

    def _relative(self, paths: Iterable[Path]) -> list[str]:
        return [str(path.relative_to(self.root)) for path in paths]

    def _say_once(self, text: str) -> None:
        """Snakemake calls input functions more than once."""
        if text and text not in self._said:
            self._said.add(text)
            self._say(text)

    # what jobs need

    def cell(self, wildcards: Any) -> Cell:
        """The cell behind a path below results/run.

        Raises:
            UserError: there is none.
        """
        names = (wildcards.paper, wildcards.experiment, wildcards.benchmark, wildcards.method)
        path = f"results/run/{wildcards.scale}/{'/'.join(names)}.parquet"
        if path not in self.cells:
            raise UserError(f"{path}: no such cell; see python -m papers list {'/'.join(names[:2])}")
        return self.cells[path]

    def job(self, wildcards: Any) -> str | None:
        """The kind of job that a cell shares with others on a cluster; None for one that has its own."""
        return self._jobs.shared(self.cell(wildcards))

    def minutes(self, wildcards: Any, attempt: int) -> int:
        """The time limit of a cell on a cluster."""
        return self._jobs.minutes(self.cell(wildcards), attempt)

    def memory_mb(self, wildcards: Any, attempt: int) -> int:
        """The memory of a cell on a cluster, in MiB."""
        return self._jobs.memory_mb(self.cell(wildcards), attempt)


def one_of(names: Iterable[str]) -> str:
    """A wildcard constraint that matches only these names."""
    return "|".join(sorted(map(re.escape, names))) or "(?!)"


def in_one_line(function: Callable[[Any], list[str]]) -> Callable[[Any], list[str]]:
    """An input function whose UserError ends Snakemake with its message alone."""

    def call(wildcards: Any) -> list[str]:
        try:
            return function(wildcards)
        except UserError as error:
            raise SystemExit(str(error)) from None

    return call
