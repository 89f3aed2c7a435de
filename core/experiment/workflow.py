"""What the Snakefile needs to know, computed from the catalogue: targets, inputs and names. Imports no torch.

The Snakefile holds the rules; every function that a rule calls stands here, in one place.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from core.errors import UnknownNameError, UserError
from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell
from core.experiment.schema import SCALES, Artifact

SOURCES = ("reference", "run")
CONFIG = {"scale": SCALES, "runs": SOURCES}
EXTENSIONS = {"table": ("pdf", "png", "csv", "md", "tex", "json"), "figure": ("pdf", "png", "json")}
TARGET = re.compile(r"figures/.+\.(pdf|png|csv|md|tex|json)|results/run/.+\.parquet")


class Workflow:
    """The catalogue under a Snakemake configuration: `scale` (default quick) and `runs` (default reference).

    Raises:
        UserError: an unknown configuration key or value, or an invalid paper.yaml.
    """

    def __init__(self, config: Mapping[str, Any], root: Path | str = ".") -> None:
        for key, value in config.items():
            if key not in CONFIG:
                raise UnknownNameError("configuration key (--config)", key, CONFIG)
            if value not in CONFIG[key]:
                raise UnknownNameError(f"value of --config {key}", str(value), CONFIG[key])
        self.scale: str = config.get("scale", "quick")
        self.source: str = config.get("runs", "reference")
        self.catalogue = Catalogue(root)
        self._cells = {
            str(cell.path("")): cell
            for paper, spec in self.catalogue.papers.items()
            for experiment in spec.experiments
            for scale in SCALES
            for cell in self.catalogue.cells(paper, experiment, scale)
        }

    @property
    def papers(self) -> list[str]:
        return list(self.catalogue.papers)

    def artifacts(self, kind: str) -> list[str]:
        """`paper/artifact` of every table or figure."""
        return [name for name in self.catalogue.artifacts if self._artifact(name).kind == kind]

    def targets(self, paper: str) -> list[str]:
        """The drawings of a paper."""
        return [f"figures/{paper}/{artifact}.pdf" for artifact in self.catalogue.papers[paper].artifacts]

    def sidecars(self) -> list[str]:
        """What the comparison page is made from."""
        return [f"figures/{name}.json" for name in self.catalogue.artifacts]

    def artifact_inputs(self, name: str) -> list[str]:
        """Raw runs, published numbers and code of `paper/artifact`: shipped runs where present, or all of one's own."""
        paper, artifact = self.catalogue.artifact(name)
        root, folder = self.catalogue.root, Path("papers") / paper
        code = {file.relative_to(root) for file in (root / folder).glob("*.py")}
        code -= {folder / f"{name}.py" for name in ("__init__", "settings", "experiments")}
        published = [folder / "published" / f"{artifact}.csv", folder / "published" / "claims.yaml"]
        inputs = [str(path) for path in (*sorted(code), *published) if (root / path).exists()]
        for cell in self._artifact_cells(name):
            path = cell.path("", self.source)
            if self.source == "run" or (root / path).exists():
                inputs.append(str(path))
        return inputs

    def cell_inputs(self, cell: Cell) -> list[str]:
        """The files of the cells that a cell reads: shipped ones where present, or all of one's own."""
        return [str(self._needed_path(needed)) for needed in cell.needs]

    def _needed_path(self, needed: Cell) -> Path:
        shipped = needed.path("", "reference")
        return shipped if self.source == "reference" and (self.catalogue.root / shipped).exists() else needed.path("")

    def artifact_state(self, name: str) -> str:
        """A digest of what a drawing says beside its inputs: changed, it is drawn anew.

        paper.yaml's words about the artifact, and the settings that its raw runs should have.
        """
        cells = [f"{cell.settings_hash} {cell.runs}" for cell in self._artifact_cells(name)]
        told = [self._artifact(name).model_dump_json(), *cells]
        return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]

    def check_targets(self, words: Iterable[str]) -> None:
        """Raise an UnknownNameError if a word names a drawing or a cell's file that no rule makes.

        Args:
            words: of the command line; those that name no file below figures/ or results/run/ pass.

        Raises:
            UserError: what is wrong with the paper that a word names.
        """
        words = list(words)
        for paper, error in self.catalogue.broken.items():
            if any(paper in Path(word).parts for word in words):
                raise error
        kinds = {name: self._artifact(name).kind for name in self.catalogue.artifacts}
        short = {name: kinds[f"{paper}/{name}"] for name, paper in self.catalogue.short_names.items()}
        drawings = [f"figures/{name}.{end}" for name, kind in (kinds | short).items() for end in EXTENSIONS[kind]]
        known = {*drawings, *self._cells} - {f"figures/{name}.json" for name in short}
        for word in words:
            path = os.path.normpath(word)
            if TARGET.fullmatch(path) and path not in known:
                raise UnknownNameError("file", path, sorted(known))

    def cell(self, paper: str, experiment: str, benchmark: str, method: str, scale: str) -> Cell:
        """The cell behind a results/run path."""
        path = f"results/run/{scale}/{paper}/{experiment}/{benchmark}/{method}.parquet"
        if path not in self._cells:
            raise UserError(f"{path}: no such cell; see python -m papers list {paper}/{experiment}")
        return self._cells[path]

    def cell_names(self, part: str) -> Iterable[str]:
        """Every paper, experiment, benchmark, method or scale that occurs in a cell."""
        return {getattr(cell, part) for cell in self._cells.values()}

    def _artifact_cells(self, name: str) -> list[Cell]:
        paper, _, _ = name.partition("/")
        names = self._artifact(name).experiments
        return [cell for experiment in names for cell in self.catalogue.cells(paper, experiment, self.scale)]

    def _artifact(self, name: str) -> Artifact:
        paper, _, artifact = name.partition("/")
        return self.catalogue.papers[paper].artifacts[artifact]


def one_of(names: Iterable[str]) -> str:
    """A wildcard constraint that matches these names alone."""
    return "|".join(sorted(map(re.escape, names))) or "(?!)"
