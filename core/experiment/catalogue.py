"""The papers of the repository by name: their paper.yaml, settings, cells and artifacts, found without importing torch.

Both the Snakefile and the command line ask this one object, so they agree on names, paths and errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from core.errors import UnknownNameError, UserError
from core.experiment.cells import Cell, expand, make_cell
from core.experiment.modules import import_module
from core.experiment.schema import SCALES, Paper, Settings, load_paper

if TYPE_CHECKING:
    from core.experiment.results import Results


class Catalogue:
    """Every papers/<paper>/ folder with a paper.yaml below `root`; all of them are validated on construction.

    Attributes:
        papers: by name, those that can be used.
        broken: by name, what is wrong with each of the others; raised as soon as one of them is asked for.
    """

    def __init__(self, root: Path | str = ".", package: str = "papers") -> None:
        self.root = Path(root).resolve()
        self.package = package
        files = sorted((self.root / package).glob("*/paper.yaml"))
        self.papers: dict[str, Paper] = {}
        self.broken: dict[str, UserError] = {}
        for file in files:
            try:
                self._read(file)
            except UserError as error:
                self.papers.pop(file.parent.name, None)
                self.broken[file.parent.name] = error

    def paper(self, name: str) -> Paper:
        if name in self.broken:
            raise self.broken[name]
        if name not in self.papers:
            raise UnknownNameError("paper", name, self.papers)
        return self.papers[name]

    def require_all(self) -> None:
        """Raise what is wrong with papers that cannot be used, a line each; for commands that are about all of them."""
        if self.broken:
            raise UserError("\n".join(map(str, self.broken.values())))

    def module(self, paper: str, name: str) -> ModuleType:
        """papers.<paper>.<name>; experiments and artifacts are imported only when something is run or drawn.

        Raises:
            UserError: it is missing or cannot be imported, naming the file and the line.
        """
        return import_module(self.root, self.package, paper, name)

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
        """Cells that `paper[/experiment[/benchmark[/method]]]` names; a shorter name means everything below it.

        Raises:
            UnknownNameError: with the nearest existing names.
        """
        parts = name.strip("/").split("/")
        if len(parts) > 4:
            raise UserError(f"{name!r}: a cell is named paper/experiment/benchmark/method")
        paper = self.paper(parts[0])
        experiments = [parts[1]] if len(parts) > 1 else list(paper.experiments)
        found = [cell for experiment in experiments for cell in self.cells(parts[0], experiment, scale)]
        if len(parts) > 2:
            _check_name("benchmark", parts[2], parts[:2], scale, {cell.benchmark for cell in found})
            found = [cell for cell in found if cell.benchmark == parts[2]]
        if len(parts) > 3:
            _check_name("method", parts[3], parts[:2], scale, {cell.method for cell in found})
            found = [cell for cell in found if cell.method == parts[3]]
        if runs is None and not overrides:
            return found
        models, file = self._models(parts[0]), self._file(parts[0])
        return [
            make_cell(paper, c.experiment, c.benchmark, c.method, scale, models, runs, overrides, file) for c in found
        ]

    def artifact(self, name: str) -> tuple[str, str]:
        """(paper, artifact) of `paper/artifact` or of a short name (see `short_names`).

        Raises:
            UserError: there is none, or several papers have one: with the nearest names, or theirs.
        """
        name = name.strip("/")
        if "/" not in name:
            if name not in self.short_names and len(owners := self._owners.get(name, [])) > 1:
                raise UserError(f"{len(owners)} papers have a {name}: {', '.join(f'{each}/{name}' for each in owners)}")
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
        short = {artifact: papers[0] for artifact, papers in self._owners.items() if len(papers) == 1}
        if "bohamiann" in self._owners.get("table1", ()):
            short["table1"] = "bohamiann"
        return short

    @cached_property
    def _owners(self) -> dict[str, list[str]]:
        """The papers that have an artifact of each id."""
        owners: dict[str, list[str]] = {}
        for name in self.artifacts:
            paper, _, artifact = name.partition("/")
            owners.setdefault(artifact, []).append(paper)
        return owners

    def results(self, paper: str, artifact: str, scale: str, source: str) -> Results:
        """What an artifact draws from."""
        from core.experiment.results import Results  # reads files with pandas, which the Snakefile does without

        spec = self.paper(paper)
        names = spec.artifacts[artifact].experiments
        cells = [cell for name in names for cell in self.cells(paper, name, scale)]
        scales = {name: spec.experiments[name].resolve_scale(scale) for name in names}
        return Results(cells, self.root, source, scales)

    def _read(self, file: Path) -> None:
        """Read one paper.yaml and check the settings of all its cells."""
        name = file.parent.name
        self.papers[name] = load_paper(file)
        for experiment in self.papers[name].experiments:
            for scale in SCALES:
                list(self.cells(name, experiment, scale))

    def _models(self, paper: str) -> dict[str, type[Settings]]:
        module = self.module(paper, "settings")
        return {
            name: value
            for name, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, Settings) and value is not Settings
        }

    def _file(self, paper: str) -> str:
        return str(Path(self.package) / paper / "paper.yaml")


def _check_name(kind: str, name: str, where: list[str], scale: str, existing: set[str]) -> None:
    if name not in existing:
        raise UnknownNameError(f"{kind} of {'/'.join(where)} at scale {scale}", name, sorted(existing))
