"""The papers of the repository by name: their paper.yaml, settings, cells and artifacts, without importing torch.

Both the Snakefile and the command line use this one object, so they agree on names, paths and errors. A paper is read
and validated when it is first requested; a broken one stops its own commands and no others.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from core.experiment import LIST, SCALES
from core.experiment.cells import Cell, Expanded, expand, make_cell
from core.experiment.modules import Functions, import_module
from core.experiment.schema import Experiment, Paper, load_paper, split_reference
from core.experiment.settings import Settings
from core.foundation.errors import UnknownNameError, UserError


class Catalogue:
    """Every papers/<paper>/ folder with a paper.yaml.

    Args:
        root: Folder of results and figures.
        package: Name of the folder, and package, with the papers.
        code: Folder with the papers and `core`, if that is not the root: where a wheel is installed.

    Attributes:
        names: The papers' folders, in alphabetical order.
    """

    def __init__(self, root: Path | str = ".", package: str = "papers", code: Path | str | None = None) -> None:
        self.root = Path(root).resolve()
        self.code = self.root if code is None else Path(code).resolve()
        self.package = package
        self.names = [file.parent.name for file in sorted((self.code / package).glob("*/paper.yaml"))]
        self._specs: dict[str, Paper] = {}
        self._loaded: dict[str, Paper | UserError] = {}
        self._cells: dict[tuple[str, str, str], tuple[Cell, ...]] = {}
        self._functions: dict[tuple[str, str], Functions] = {}

    def paper(self, name: str) -> Paper:
        """A paper, validated with all its cells at all scales.

        Raises:
            UnknownNameError: there is no such folder.
            UserError: its paper.yaml or its settings are invalid, or settings.py is missing or cannot be imported, or
                it reads records of a paper that reads its own.
        """
        if name not in self.names:
            raise UnknownNameError("paper", name, self.names)
        if name not in self._loaded:
            self._loaded[name] = UserError(f"{self._file(name)}: is needed by a paper that it needs; allowed: one way")
            try:
                self._loaded[name] = self._load(name)
            except UserError as error:
                self._loaded[name] = error
        loaded = self._loaded[name]
        if isinstance(loaded, UserError):
            raise loaded
        return loaded

    @cached_property
    def papers(self) -> dict[str, Paper]:
        """Every paper that is valid; `broken` has the others."""
        return {name: self.paper(name) for name in self.names if name not in self.broken}

    @cached_property
    def broken(self) -> dict[str, UserError]:
        """What is wrong with each paper that cannot be used."""
        errors = {}
        for name in self.names:
            try:
                self.paper(name)
            except UserError as error:
                errors[name] = error
        return errors

    def require_all(self) -> None:
        """Raise what is wrong with papers that cannot be used, one line each; for commands about all papers."""
        if self.broken:
            raise UserError("\n".join(map(str, self.broken.values())))

    def module(self, paper: str, name: str) -> ModuleType:
        """papers.<paper>.<name>, imported; raises as `import_module`."""
        return import_module(self.code, self.package, paper, name)

    def functions(self, paper: str, role: str) -> Functions:
        """A paper's experiments, artifacts or checks of claims; each file is read once."""
        key = (paper, role)
        if key not in self._functions:
            self._functions[key] = Functions(self.code, self.package, paper, role)
        return self._functions[key]

    def function(self, cell: Cell) -> Callable[..., Any]:
        """The experiment function of a cell.

        Raises:
            UnknownNameError: paper.yaml names a function that does not exist.
            UserError: its module cannot be imported.
        """
        functions = self.functions(cell.paper, "experiments")
        try:
            return functions[cell.function]
        except KeyError:
            kind = f"function in {self._file(cell.paper)}: experiments.{cell.experiment}.function:"
            raise UnknownNameError(kind, cell.function, functions.by_name) from None

    def artifact_function(self, paper: str, artifact: str) -> Callable[..., Any]:
        """The function of an artifact's name: (results, published or None) -> ReportTable or Figure.

        Raises:
            UserError: there is none, or its module cannot be imported.
        """
        functions = self.functions(paper, "artifacts")
        try:
            return functions[artifact]
        except KeyError:
            raise UserError(f"artifact {artifact!r}: {functions.place}: no function of that name") from None

    def cells(self, paper: str, experiment: str, scale: str) -> tuple[Cell, ...]:
        """All cells of an experiment at a scale."""
        return self._expand(self.paper(paper), experiment, scale)

    def cell(self, like: Cell, scale: str, runs: int | None = None, overrides: dict[str, Any] | None = None) -> Cell:
        """The cell of the same name at a scale, with other repetitions or settings; raises as `make_cell`."""
        names = (like.experiment, like.benchmark, like.method)
        paper = self.paper(like.paper)
        models, file = self._models(like.paper), self._file(like.paper)
        return make_cell(paper, *names, scale, models, self._expanded(paper), runs, overrides, file)

    def artifact(self, name: str) -> tuple[str, str]:
        """(paper, artifact) of `paper/artifact` or of a short name (see `short_names`).

        Raises:
            UnknownNameError: there is none of that name; the message has the nearest ones.
            UserError: several papers have one, and none owns the short name.
        """
        name = name.strip("/")
        if "/" in name:
            paper, _, artifact = name.partition("/")
            if artifact not in self.paper(paper).artifacts:
                artifacts = self.paper(paper).artifacts
                raise UnknownNameError(f"artifact of {paper}", artifact, artifacts, f"{LIST} {paper}")
            return paper, artifact
        if name in self.short_names:
            return self.short_names[name], name
        if owners := [paper for paper, spec in self._readable.items() if name in spec.artifacts]:
            choices = " or ".join(f"{owner}/{name}" for owner in owners)
            raise UserError(f"{len(owners)} papers have an artifact {name!r}; allowed: {choices}")
        shortened = {f"{paper}/{artifact}" for artifact, paper in self.short_names.items()}
        full = [each for each in self.artifacts if each not in shortened]
        raise UnknownNameError("artifact", name, [*self.short_names, *full], f"{LIST} PAPER")

    @cached_property
    def artifacts(self) -> list[str]:
        """`paper/artifact` of every artifact."""
        return [f"{paper}/{artifact}" for paper, spec in self.papers.items() for artifact in spec.artifacts]

    @cached_property
    def short_names(self) -> dict[str, str]:
        """Papers by artifact: ids that are unique among the papers, and those whose `short_name` one paper sets.

        Each paper.yaml is read, and no more: expanding the cells of all papers takes half a second.

        Raises:
            UserError: two papers claim the same short name.
        """
        owners: dict[str, list[str]] = {}
        claimed: dict[str, str] = {}
        for paper, spec in self._readable.items():
            for artifact, shown in spec.artifacts.items():
                owners.setdefault(artifact, []).append(paper)
                if shown.short_name and claimed.setdefault(artifact, paper) != paper:
                    where = f"{self._file(paper)}: artifacts.{artifact}.short_name"
                    raise UserError(f"{where}: {self._file(claimed[artifact])} claims {artifact!r} already")
        return {artifact: papers[0] for artifact, papers in owners.items() if len(papers) == 1} | claimed

    def experiments_of(self, paper: str, artifact: str) -> dict[str, Experiment]:
        """The experiments that an artifact is drawn from, as it refers to them."""
        experiments = {}
        for reference in self.paper(paper).artifacts[artifact].experiments:
            owner, name = split_reference(reference, paper)
            experiments[reference] = self.paper(owner).experiments[name]
        return experiments

    @cached_property
    def _readable(self) -> dict[str, Paper]:
        """Every paper.yaml that can be read, whatever is wrong with the paper's cells."""
        specs = {}
        for name in self.names:
            with suppress(UserError):
                specs[name] = self._read(name)
        return specs

    def _read(self, name: str) -> Paper:
        if name not in self._specs:
            self._specs[name] = load_paper(self.code / self.package / name / "paper.yaml")
        return self._specs[name]

    def _load(self, name: str) -> Paper:
        paper = self._read(name)
        for experiment in paper.experiments:
            for scale in SCALES:
                self._expand(paper, experiment, scale)
        for artifact, spec in paper.artifacts.items():
            for reference in spec.experiments:
                owner, experiment = split_reference(reference, name)
                if owner != name and experiment not in self.paper(owner).experiments:
                    key = f"experiment of {owner} in {self._file(name)}: artifacts.{artifact}.experiments:"
                    raise UnknownNameError(key, experiment, self.paper(owner).experiments, f"{LIST} {owner}")
        return paper

    def _expand(self, paper: Paper, experiment: str, scale: str) -> tuple[Cell, ...]:
        key = (paper.paper, experiment, scale)
        if key not in self._cells:
            models, file = self._models(paper.paper), self._file(paper.paper)
            self._cells[key] = tuple(expand(paper, experiment, scale, models, self._expanded(paper), file))
        return self._cells[key]

    def _expanded(self, paper: Paper) -> Expanded:
        return lambda owner, experiment, scale: self._expand(self.paper(owner) if owner else paper, experiment, scale)

    def _models(self, paper: str) -> dict[str, type[Settings]]:
        module = self.module(paper, "settings")
        return {
            name: value
            for name, value in vars(module).items()
            if isinstance(value, type) and issubclass(value, Settings) and value is not Settings
        }

    def _file(self, paper: str) -> str:
        return f"{self.package}/{paper}/paper.yaml"
