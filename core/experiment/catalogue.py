"""The papers of the repository by name: their paper.yaml, settings, cells and artifacts, found without importing torch.

Both the Snakefile and the command line ask this one object, so they agree on names, paths and errors.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from core.errors import UnknownNameError
from core.experiment.ablations import find_ablations
from core.experiment.cells import Cell, expand, make_cell
from core.experiment.schema import SCALES, Paper, Settings, load_paper
from core.experiment.selection import select_cells

if TYPE_CHECKING:
    from core.experiment.results import Results


class Catalogue:
    """Every papers/<paper>/ folder with a paper.yaml below `root`; all of them are validated on construction."""

    def __init__(self, root: Path | str = ".", package: str = "papers") -> None:
        self.root = Path(root).resolve()
        self.package = package
        files = sorted((self.root / package).glob("*/paper.yaml"))
        self.papers: dict[str, Paper] = {file.parent.name: load_paper(file) for file in files}
        for paper in self.papers:
            for experiment in self.papers[paper].experiments:
                for scale in SCALES:
                    list(self.cells(paper, experiment, scale))

    def paper(self, name: str) -> Paper:
        if name not in self.papers:
            raise UnknownNameError("paper", name, self.papers)
        return self.papers[name]

    def module(self, paper: str, name: str) -> ModuleType:
        """papers.<paper>.<name>; experiments and artifacts are imported only when something is run or drawn."""
        return importlib.import_module(f"{self.package}.{paper}.{name}")

    def function(self, cell: Cell) -> Callable[..., Any]:
        """The experiment function of a cell, from papers/<paper>/experiments.py.

        Raises:
            UnknownNameError: paper.yaml names a function that is not there.
        """
        module = self.module(cell.paper, "experiments")
        if not hasattr(module, cell.function):
            kind = f"function in {self._file(cell.paper)}: experiments.{cell.experiment}.function:"
            raise UnknownNameError(kind, cell.function, [name for name in vars(module) if not name.startswith("_")])
        return getattr(module, cell.function)

    def cells(self, paper: str, experiment: str, scale: str) -> Iterator[Cell]:
        """All cells of an experiment at a scale."""
        return expand(self.paper(paper), experiment, scale, self._models(paper), self._file(paper))

    def find_cells(
        self, name: str, scale: str, runs: int | None = None, overrides: dict[str, Any] | None = None
    ) -> list[Cell]:
        """Cells by name or pattern, with other repetitions or settings if asked for; raises as `select_cells`."""
        found = select_cells(self, name, scale)
        if runs is None and not overrides:
            return found
        return [self.cell(cell, scale, runs, overrides) for cell in found]

    def cell(self, like: Cell, scale: str, runs: int | None = None, overrides: dict[str, Any] | None = None) -> Cell:
        """The cell of the same name at a scale, with other repetitions or settings; raises as `make_cell`."""
        names = (like.experiment, like.benchmark, like.method)
        models, file = self._models(like.paper), self._file(like.paper)
        return make_cell(self.paper(like.paper), *names, scale, models, runs, overrides, file)

    def artifact(self, name: str) -> tuple[str, str]:
        """(paper, artifact) of `paper/artifact` or of a short name (see `short_names`)."""
        name = name.strip("/")
        if "/" not in name:
            if name not in self.short_names:
                raise UnknownNameError("artifact", name, [*self.artifacts, *self.short_names])
            return self.short_names[name], name
        paper, _, artifact = name.partition("/")
        if artifact not in self.paper(paper).artifacts:
            raise UnknownNameError(f"artifact of {paper}", artifact, self.paper(paper).artifacts)
        return paper, artifact

    @cached_property
    def artifacts(self) -> list[str]:
        """`paper/artifact` of every artifact."""
        return [f"{paper}/{artifact}" for paper, spec in self.papers.items() for artifact in spec.artifacts]

    @cached_property
    def short_names(self) -> dict[str, str]:
        """Artifact ids that are unique over the papers, and `table1`, which is bohamiann's."""
        owners: dict[str, list[str]] = {}
        for name in self.artifacts:
            paper, _, artifact = name.partition("/")
            owners.setdefault(artifact, []).append(paper)
        short = {artifact: papers[0] for artifact, papers in owners.items() if len(papers) == 1}
        if "bohamiann" in owners.get("table1", ()):
            short["table1"] = "bohamiann"
        return short

    def results(self, paper: str, artifact: str, scale: str, source: str, ablations: bool = False) -> Results:
        """What an artifact draws from; if asked for, with all ablations of its cells that were run."""
        from core.experiment.results import Results  # reads files with pandas, which the Snakefile does without

        spec = self.paper(paper)
        names = spec.artifacts[artifact].experiments
        cells = [cell for name in names for cell in self.cells(paper, name, scale)]
        if ablations:
            cells += find_ablations(self, cells, scale)
        scales = {name: spec.experiments[name].resolve_scale(scale) for name in names}
        return Results(cells, self.root, source, scales)

    def _models(self, paper: str) -> dict[str, type[Settings]]:
        module = self.module(paper, "settings")
        return {
            name: value
            for name, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, Settings) and value is not Settings
        }

    def _file(self, paper: str) -> str:
        return str(Path(self.package) / paper / "paper.yaml")
