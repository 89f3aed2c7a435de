"""The papers of the repository: each is loaded once, by name, into a frozen value that answers everything about it.

`load("bohamiann")` reads paper.yaml and settings.py, expands and checks every cell at every scale, and returns a
`Paper` with its cells, artifacts, functions and claims. `Papers` are all of a repository; one is read when it is first
asked for, and a broken one stops its own commands and no others. Both the Snakefile and the command line use them, so
they agree on names, paths and errors. Does not import torch.

An `Artifact` is one of its tables and figures at a scale, from a source of raw runs: all that drawing needs to know.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial, update_wrapper
from pathlib import Path
from types import ModuleType
from typing import Any

from core.experiment import LIST, SCALES
from core.experiment.cells import Cell, expand, make_cell
from core.experiment.modules import Functions, import_module
from core.experiment.schema import ArtifactSpec, Experiment, PaperSpec, load_spec, split_reference
from core.experiment.settings import Settings
from core.foundation.errors import UnknownNameError, UserError, brief, nearest
from core.foundation.files import read_mapping

EXTENSIONS = {"table": ("pdf", "png", "csv", "md", "tex", "rst", "json"), "figure": ("pdf", "png", "rst", "json")}
"""The files of a drawing: an rst file has its whole caption, for Snakemake's report."""
OWN = "own/"
"""The folder below figures/ for drawings from your own runs, so that they never replace those of the shipped runs."""
ABLATION = "ablation/"
"""The folder below that for drawings that include ablations."""
CODE = ("*.py", "*.yaml", "*.csv", "*.html", "*.css", "*.js")
"""What drawings are made with, below core/, the commands and a paper's folder."""


@dataclass(frozen=True, eq=False)
class Paper:
    """One paper's folder, read and checked.

    Attributes:
        spec: Its paper.yaml.
        models: The settings models of its settings.py by name.
        among: The papers of the repository, of which it may read others' records.
    """

    spec: PaperSpec
    models: Mapping[str, type[Settings]]
    among: Papers
    _cells: dict[tuple[str, str], tuple[Cell, ...]] = field(default_factory=dict, init=False, repr=False)
    _functions: dict[str, Functions] = field(default_factory=dict, init=False, repr=False)

    @property
    def id(self) -> str:
        """The name of its folder; pages call it by `spec.name`."""
        return self.spec.paper

    @property
    def experiments(self) -> dict[str, Experiment]:
        return self.spec.experiments

    @property
    def artifacts(self) -> dict[str, ArtifactSpec]:
        return self.spec.artifacts

    @property
    def folder(self) -> Path:
        return self.among.folder / self.id

    @property
    def place(self) -> str:
        """Its paper.yaml, as errors name it."""
        return self.among.place(self.id)

    @property
    def files(self) -> list[Path]:
        """The files of its folder that drawings are made with."""
        return files_below(self.folder)

    def other(self, owner: str) -> Paper:
        """The paper of that name, itself where it is its own or none."""
        return self if owner in ("", self.id) else self.among.paper(owner)

    def cells(self, experiment: str, scale: str) -> tuple[Cell, ...]:
        """All cells of an experiment at a scale; raises as `core.experiment.cells.expand`."""
        if (experiment, scale) not in self._cells:
            self._cells[experiment, scale] = tuple(expand(self, experiment, scale))
        return self._cells[experiment, scale]

    def cell(self, like: Cell, scale: str, runs: int | None = None, overrides: dict[str, Any] | None = None) -> Cell:
        """Its cell of the same name at a scale, with other repetitions or settings; raises as `make_cell`."""
        return make_cell(self, like.experiment, like.benchmark, like.method, scale, runs, overrides)

    def artifact(self, name: str, scale: str = "quick", source: str = "reference") -> Artifact:
        """One of its tables and figures, at a scale and from a source of runs.

        Raises:
            UnknownNameError: there is none of that name; the message has the nearest ones.
        """
        if name not in self.artifacts:
            raise UnknownNameError(f"artifact of {self.id}", name, self.artifacts, f"{LIST} {self.id}")
        return Artifact(self, name, scale, source)

    def drawings(self, scale: str, source: str) -> list[Artifact]:
        """All of them."""
        return [Artifact(self, name, scale, source) for name in self.artifacts]

    @cached_property
    def claims(self) -> list[tuple[str, dict[str, Any]]]:
        """Its tables of claims as they are written, each after the name of its file; core.report judges them.

        Raises:
            UserError: a file is not valid YAML.
        """
        files = sorted([*self.folder.glob("claims.yaml"), *self.folder.glob("claims/*.yaml")])
        root = self.among.code
        return [(str(file.relative_to(root)), read_mapping(file, "artifacts and their claims")) for file in files]

    def functions(self, role: str) -> Functions:
        """Its experiments, artifacts or checks of claims; each file is read once."""
        if role not in self._functions:
            self._functions[role] = Functions(self.among.code, self.among.package, self.id, role)
        return self._functions[role]

    def function(self, cell: Cell) -> Callable[..., Any]:
        """The experiment function of one of its cells.

        Raises:
            UnknownNameError: paper.yaml names a function that does not exist.
            UserError: its module cannot be imported.
        """
        functions = self.functions("experiments")
        try:
            return functions[cell.function]
        except KeyError:
            kind = f"function in {self.place}: experiments.{cell.experiment}.function:"
            raise UnknownNameError(kind, cell.function, functions.by_name) from None

    def module(self, name: str) -> ModuleType:
        """One of its modules, imported; raises as `import_module`."""
        return import_module(self.among.code, self.among.package, self.id, name)

    def check(self) -> None:
        """Expand all cells, and make sure that what artifacts draw of other papers is there; raises UserError."""
        for experiment in self.experiments:
            for scale in SCALES:
                self.cells(experiment, scale)
        for artifact, spec in self.artifacts.items():
            for owner, experiment in (split_reference(reference, self.id) for reference in spec.experiments):
                if experiment not in (theirs := self.other(owner).experiments):
                    key = f"experiment of {owner} in {self.place}: artifacts.{artifact}.experiments:"
                    raise UnknownNameError(key, experiment, theirs, f"{LIST} {owner}")


@dataclass(frozen=True)
class Artifact:
    """A table or figure at a scale from a source, `reference` (shipped) or `run` (your own).

    On request it has ablations beside the cells of paper.yaml.
    """

    paper: Paper
    id: str
    scale: str = "quick"
    source: str = "reference"
    ablations: bool = False

    @property
    def name(self) -> str:
        return f"{self.paper.id}/{self.id}"

    @property
    def spec(self) -> ArtifactSpec:
        """Its entry of paper.yaml."""
        return self.paper.artifacts[self.id]

    @property
    def stem(self) -> str:
        """The path of its files from the repository's root, without the extension."""
        return f"figures/{folder_of(self.source)}{ABLATION if self.ablations else ''}{self.name}"

    @property
    def files(self) -> list[str]:
        return [f"{self.stem}.{extension}" for extension in EXTENSIONS[self.spec.kind]]

    @property
    def experiments(self) -> dict[str, Experiment]:
        """The experiments that it is drawn from, as it refers to them."""
        homes = {reference: split_reference(reference) for reference in self.spec.experiments}
        return {each: self.paper.other(owner).experiments[name] for each, (owner, name) in homes.items()}

    @property
    def function(self) -> Callable[..., Any]:
        """The function of its name, or that of its `draw`: (results, published or None) -> ReportTable or Figure.

        Raises:
            UserError: there is none, it takes other values, or its module cannot be imported.
        """
        functions = self.paper.functions("artifacts")
        ((name, values),) = (self.spec.draw or {self.id: {}}).items()
        where = f"{self.paper.place}: artifacts.{self.id}.draw"
        try:
            function = functions[name]
        except KeyError:
            if self.spec.draw is None:
                raise UserError(f"artifact {self.id!r}: {functions.place}: no function of that name") from None
            raise UnknownNameError(f"function in {where}:", name, functions.by_name) from None
        if self.spec.draw is None:
            return function
        taken = dict(list(inspect.signature(function).parameters.items())[2:])  # after results and published
        for each, value in values.items():
            if each not in taken:
                raise UserError(f"{where}.{name}: {each} = {brief(value)}: unknown value; {nearest(each, taken)}")
        for each, parameter in taken.items():
            if parameter.default is parameter.empty and each not in values:
                raise UserError(f"{where}.{name}: {each}: missing; allowed: {', '.join(taken)}")
        return update_wrapper(partial(function, **values), function)

    @property
    def published(self) -> Path:
        """The file with its published numbers, which need not exist."""
        return self.paper.folder / "published" / f"{self.id}.csv"

    @property
    def cells(self) -> list[Cell]:
        """The cells whose records it is drawn from, ablations aside."""
        return self.cells_at(self.scale)

    def cells_at(self, scale: str) -> list[Cell]:
        """The same at another scale."""
        homes = map(split_reference, self.spec.experiments)
        return [cell for owner, name in homes for cell in self.paper.other(owner).cells(name, scale)]

    @property
    def runs(self) -> list[Path]:
        """The files with its raw runs, whether or not they exist."""
        return [cell.path(self.paper.among.root, self.source) for cell in self.cells]

    @property
    def has_runs(self) -> bool:
        """Whether any of them exists."""
        return any(map(Path.exists, self.runs))

    @property
    def is_drawn(self) -> bool:
        """Whether all its files exist and were drawn at its scale; Snakemake knows whether they are up to date."""
        files = [self.paper.among.root / file for file in self.files]
        return all(map(Path.is_file, files)) and self.drawn_at == self.scale

    @property
    def drawn_at(self) -> str | None:
        """The scale at which its files were drawn; None if there is no readable sidecar."""
        try:
            sidecar = json.loads((self.paper.among.root / f"{self.stem}.json").read_text(encoding="utf-8"))
            return sidecar.get("drawn_at")
        except (OSError, ValueError, AttributeError):
            return None


class Papers:
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
        self.package, self.folder = package, self.code / package
        self.names = [file.parent.name for file in sorted(self.folder.glob("*/paper.yaml"))]
        self._specs: dict[str, PaperSpec] = {}
        self._loaded: dict[str, Paper | UserError] = {}

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
            self._loaded[name] = UserError(f"{self.place(name)}: is needed by a paper that it needs; allowed: one way")
            try:
                settings = vars(import_module(self.code, self.package, name, "settings"))
                loaded = Paper(self._spec(name), {key: each for key, each in settings.items() if _is_model(each)}, self)
                loaded.check()
                self._loaded[name] = loaded
            except UserError as error:
                self._loaded[name] = error
        loaded = self._loaded[name]
        if isinstance(loaded, UserError):
            raise loaded
        return loaded

    @cached_property
    def valid(self) -> dict[str, Paper]:
        """Every paper that can be used; `broken` has the others."""
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

    def function(self, cell: Cell) -> Callable[..., Any]:
        """The experiment function of a cell; raises as `Paper.function`."""
        return self.paper(cell.paper).function(cell)

    def artifact(self, name: str, scale: str = "quick", source: str = "reference") -> Artifact:
        """The artifact `paper/artifact`, or of a short name (see `short_names`), at a scale and from a source of runs.

        Raises:
            UnknownNameError: there is none of that name; the message has the nearest ones.
            UserError: papers have one, and none declares it as a short name.
        """
        paper, _, artifact = name.strip("/").rpartition("/")
        if paper or artifact in self.short_names:
            return self.paper(paper or self.short_names[artifact]).artifact(artifact, scale, source)
        if owners := [owner for owner, spec in self._readable.items() if artifact in spec.artifacts]:
            choices = " or ".join(f"{owner}/{artifact}" for owner in owners)
            raise UserError(f"artifact {artifact!r}: no short name; allowed: {choices}")
        shortened = {f"{paper}/{short}" for short, paper in self.short_names.items()}
        full = [each for each in self.artifacts if each not in shortened]
        raise UnknownNameError("artifact", artifact, [*self.short_names, *full], f"{LIST} PAPER")

    @cached_property
    def artifacts(self) -> list[str]:
        """`paper/artifact` of every artifact."""
        return [f"{paper}/{artifact}" for paper, each in self.valid.items() for artifact in each.artifacts]

    @cached_property
    def short_names(self) -> dict[str, str]:
        """Papers by artifact: the ids that a paper declares as short names, so that no other paper's can break them.

        Each paper.yaml is read, and no more: expanding the cells of all papers takes half a second.

        Raises:
            UserError: two papers claim the same short name.
        """
        owners: dict[str, str] = {}
        for paper, spec in self._readable.items():
            for artifact in spec.short_names:
                if owners.setdefault(artifact, paper) != paper:
                    claims = f"{self.place(owners[artifact])} claims {artifact!r} already"
                    raise UserError(f"{self.place(paper)}: short_names: {claims}")
        return owners

    def library_files(self) -> list[Path]:
        """The library, the harness and the published numbers of all papers, whichever of them a drawing uses."""
        published = sorted(self.folder.glob("*/published/*.csv"))
        return [*files_below(self.code / "core", self.folder / "commands"), *published]

    def place(self, name: str) -> str:
        """A paper.yaml, as errors name it."""
        return f"{self.package}/{name}/paper.yaml"

    @cached_property
    def _readable(self) -> dict[str, PaperSpec]:
        """Every paper.yaml that can be read, whatever is wrong with the paper's cells."""
        specs = {}
        for name in self.names:
            with suppress(UserError):
                specs[name] = self._spec(name)
        return specs

    def _spec(self, name: str) -> PaperSpec:
        if name not in self._specs:
            self._specs[name] = load_spec(self.folder / name / "paper.yaml")
        return self._specs[name]


def load(name: str, root: Path | str = ".") -> Paper:
    """A paper of a repository; raises as `Papers.paper`."""
    return Papers(root).paper(name)


def folder_of(source: str) -> str:
    """The folder between `figures/` and the paper: empty, or `own/`."""
    return OWN if source == "run" else ""


def files_below(*folders: Path) -> list[Path]:
    """The files below folders that drawings are made with."""
    return [path for folder in folders for pattern in CODE for path in sorted(folder.rglob(pattern))]


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Settings) and value is not Settings
