"""Drawings: one artifact drawn at one scale from one source of raw runs, its files, and what it is made from.

A drawing is up to date if nothing that it is made from is newer: the library and the harness, the paper's folder and
the raw runs of the paper's artifacts. Snakemake receives the same files and comes to the same result.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from core.experiment.ablations import find_ablations
from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell
from core.experiment.schema import split_reference

EXTENSIONS = {"table": ("pdf", "png", "csv", "md", "tex", "rst", "json"), "figure": ("pdf", "png", "rst", "json")}
"""The files of a drawing: an rst file has its whole caption, for Snakemake's report."""
OWN = "own/"
"""The folder below figures/ for drawings from your own runs, so that they never replace those of the shipped runs."""
ABLATION = "ablation/"
"""The folder below that for drawings that include ablations."""
CODE = ("*.py", "*.yaml", "*.csv", "*.html", "*.css", "*.js")
"""What drawings are made with, below core/, the commands and a paper's folder."""


@dataclass(frozen=True)
class Drawing:
    """An artifact at a scale from a source, `reference` (shipped) or `run` (your own), with or without ablations."""

    paper: str
    artifact: str
    kind: str
    scale: str
    source: str = "reference"
    ablations: bool = False

    @property
    def name(self) -> str:
        return f"{self.paper}/{self.artifact}"

    @property
    def stem(self) -> str:
        """The path of its files from the repository's root, without the extension."""
        return f"figures/{folder_of(self.source)}{ABLATION if self.ablations else ''}{self.name}"

    @property
    def files(self) -> list[str]:
        return [f"{self.stem}.{extension}" for extension in EXTENSIONS[self.kind]]


def folder_of(source: str) -> str:
    """The folder between `figures/` and the paper: empty, or `own/`."""
    return OWN if source == "run" else ""


def drawing(catalogue: Catalogue, name: str, scale: str, source: str) -> Drawing:
    """The drawing of `paper/artifact` or of a short name; raises as `Catalogue.artifact`."""
    paper, artifact = catalogue.artifact(name)
    return Drawing(paper, artifact, catalogue.paper(paper).artifacts[artifact].kind, scale, source)


def drawings_of(catalogue: Catalogue, paper: str, scale: str, source: str) -> list[Drawing]:
    """The drawings of all artifacts of a paper."""
    return [drawing(catalogue, f"{paper}/{name}", scale, source) for name in catalogue.paper(paper).artifacts]


def cells_of(catalogue: Catalogue, drawing: Drawing) -> list[Cell]:
    """The cells whose records it is drawn from; on request with all their ablations that were run."""
    names = catalogue.paper(drawing.paper).artifacts[drawing.artifact].experiments
    homes = [split_reference(name, drawing.paper) for name in names]
    cells = [cell for home in homes for cell in catalogue.cells(*home, drawing.scale)]
    return cells + (find_ablations(catalogue, cells, drawing.scale) if drawing.ablations else [])


def library_files(catalogue: Catalogue) -> list[Path]:
    """The library, the harness and the published numbers of all papers, whichever of them a drawing uses."""
    papers = catalogue.code / catalogue.package
    return [*_files_below(catalogue.code / "core", papers / "commands"), *sorted(papers.glob("*/published/*.csv"))]


def paper_files(catalogue: Catalogue, paper: str) -> list[Path]:
    """A paper's own files."""
    return _files_below(catalogue.code / catalogue.package / paper)


def _files_below(*folders: Path) -> list[Path]:
    return [path for folder in folders for pattern in CODE for path in sorted(folder.rglob(pattern))]


def runs_behind(catalogue: Catalogue, drawings: Iterable[Drawing]) -> list[Path]:
    """The files with the raw runs of drawings, each once, whether or not they exist."""
    paths = (cell.path(catalogue.root, each.source) for each in drawings for cell in cells_of(catalogue, each))
    return list(dict.fromkeys(paths))


def drawn_at(root: Path, drawing: Drawing) -> str | None:
    """The scale at which the files of a drawing were drawn; None if there is no readable sidecar."""
    try:
        return json.loads((root / f"{drawing.stem}.json").read_text(encoding="utf-8")).get("drawn_at")
    except (OSError, ValueError, AttributeError):
        return None


class Currency:
    """Which drawings are up to date. Every file that they are made from is checked once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._written: dict[Path, float] = {}
        self._code: dict[str, float] = {}

    def __call__(self, drawing: Drawing) -> bool:
        """Whether all files of a drawing exist and none is older than what it is made from."""
        files = [self._catalogue.root / file for file in drawing.files]
        if not all(map(Path.is_file, files)) or drawn_at(self._catalogue.root, drawing) != drawing.scale:
            return False
        if drawing.paper not in self._code:
            self._code[drawing.paper] = max(map(self._time, paper_files(self._catalogue, drawing.paper)))
        runs = (self._time(path) for path in runs_behind(self._catalogue, [drawing]) if path.exists())
        return min(map(self._time, files)) >= max([self._library, self._code[drawing.paper], *runs])

    @cached_property
    def _library(self) -> float:
        return max(map(self._time, library_files(self._catalogue)), default=0.0)  # the library may lie elsewhere

    def _time(self, path: Path) -> float:
        if path not in self._written:
            self._written[path] = path.stat().st_mtime
        return self._written[path]
