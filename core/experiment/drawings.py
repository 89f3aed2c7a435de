"""Drawings: one artifact drawn at one scale from one source of raw runs, its files, and whether they are up to date.

A drawing's state is a digest of all it depends on: its entry in paper.yaml, the published numbers, the raw runs with
the settings and repetitions that they should have, what its scale cuts, the published runs that it reads, and the code
that draws. The sidecar records it, so that nobody has to trust modification times, and a drawing that is up to date can
be skipped.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell
from core.experiment.claim_marks import modules_about

EXTENSIONS = {"table": ("pdf", "png", "csv", "md", "tex", "json"), "figure": ("pdf", "png", "json")}
OWN = "own/"
"""The folder below figures/ for drawings from your own runs, so that they never replace those of the shipped runs."""
ABLATION = "ablation/"
"""The folder below that for drawings that include ablations."""
SMALL = 100_000  # bytes: a drawing takes time even without records
CODE = ("core.report.draw", "core.experiment.drawings")
PAGE_CODE = ("core.report.comparison",)
PAGE_FILES = ("core/report/page/page.html", "core/report/page/page.css")


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


def cells_of(catalogue: Catalogue, drawing: Drawing) -> list[Cell]:
    """The cells whose records it is drawn from."""
    return catalogue.artifact_cells(drawing.paper, drawing.artifact, drawing.scale, drawing.ablations)


def state_of(catalogue: Catalogue, drawing: Drawing) -> str:
    """The first 16 hex digits of a SHA-256 over all that the drawing depends on."""
    root, folder = catalogue.root, f"{catalogue.package}/{drawing.paper}"
    spec = catalogue.paper(drawing.paper)
    artifact = spec.artifacts[drawing.artifact]
    told = [drawing.scale, drawing.source, artifact.model_dump_json(), spec.documents[artifact.source.document]]
    for cell in cells_of(catalogue, drawing):
        path = cell.path("", drawing.source)
        told.append(f"{path} {cell.settings_hash} {cell.runs} {_digest(root / path)}")
    for name, experiment in catalogue.experiments_of(drawing.paper, drawing.artifact).items():
        told.append(f"{name} {experiment.scales[experiment.resolve_scale(drawing.scale)].cut}")
    numbers = f"{folder}/published/{drawing.artifact}.csv"
    told.append(f"{numbers} {_digest(root / numbers)}")
    modules = _modules(catalogue, drawing)
    for name in catalogue.sources.published_runs(modules, CODE):
        paper, _, file = name.partition("/")
        told.append(f"{name} {_digest(root / catalogue.package / paper / 'published' / f'{file}.csv')}")
    told.append(catalogue.sources.digest(modules, CODE))
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


def recorded_state(root: Path, drawing: Drawing) -> str | None:
    """The state in which its files were drawn; None if one is missing or the sidecar cannot be read."""
    if not all((root / file).is_file() for file in drawing.files):
        return None
    try:
        record = json.loads((root / f"{drawing.stem}.json").read_text(encoding="utf-8"))
        return record.get("state")
    except (OSError, ValueError, AttributeError):
        return None


def is_current(catalogue: Catalogue, drawing: Drawing) -> bool:
    """Whether all its files exist and nothing that they depend on has changed."""
    return recorded_state(catalogue.root, drawing) == state_of(catalogue, drawing)


def size_of(catalogue: Catalogue, drawing: Drawing) -> int:
    """Bytes of the records behind it, plus a constant: roughly proportional to its time."""
    paths = (cell.path(catalogue.root, drawing.source) for cell in cells_of(catalogue, drawing))
    return SMALL + sum(path.stat().st_size for path in paths if path.exists())


def digest_of_page(catalogue: Catalogue) -> str:
    """A digest of what the comparison page is made with: its code, its markup and its style."""
    told = [catalogue.sources.digest(PAGE_CODE)]
    told += [f"{name} {_digest(catalogue.root / name)}" for name in PAGE_FILES]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


def _modules(catalogue: Catalogue, drawing: Drawing) -> list[str]:
    """The modules with the artifact's function and with claims about it, found without importing any."""
    artifacts, claims = (catalogue.folder(drawing.paper, name) for name in ("artifacts", "claims"))
    return [*artifacts.functions.get(drawing.artifact, ()), *modules_about(claims, drawing.artifact)]


def _digest(path: Path) -> str:
    try:
        status = path.stat()
    except FileNotFoundError:
        return "absent"
    return _digest_of(path, status.st_mtime_ns, status.st_size)


@cache
def _digest_of(path: Path, modified: int, size: int) -> str:
    """The digest of a file, read once per process and version of the file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
