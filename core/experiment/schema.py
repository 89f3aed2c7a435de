"""The schema of paper.yaml: what a paper ran, at which scales, and what it drew from the results.

Everything here is read by the Snakefile on each invocation, so it imports neither torch nor pandas. Settings are
layered, later layers winning: the experiment's `settings`, the benchmark's, the method's, the scale's `settings` (a
cut applies to every cell), and last those a user gives by hand. Unknown keys and impossible values stop with the
file, the key, the value and what is allowed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)

from core.experiment import SCALES
from core.foundation.errors import UserError
from core.foundation.files import read_mapping
from core.foundation.strict import Strict, explain
from core.study.methods import METHODS

_NAME = r"[A-Za-z0-9][A-Za-z0-9_.+-]*"

Name = Annotated[str, Field(pattern=f"^{_NAME}$")]
"""A name that can be part of a file's path, a command's argument and a Snakemake wildcard."""

Reference = Annotated[str, Field(pattern=f"^({_NAME}/)?{_NAME}$")]
"""An experiment of the same paper by its name, or another paper's as `paper/experiment`."""

ALL_BENCHMARKS = "/*"
Need = Annotated[str, Field(pattern=rf"^({_NAME}/)?{_NAME}(/\*)?$")]
"""A reference to an experiment whose records are read, with `/*` after it if those of all its benchmarks are."""


def split_reference(reference: str, home: str = "") -> tuple[str, str]:
    """The paper of an experiment that is referred to in the paper `home`, and its name there."""
    paper, _, name = reference.removesuffix(ALL_BENCHMARKS).rpartition("/")
    return paper or home, name


def _names_without_settings(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return {name: {} for name in value}
    if isinstance(value, dict):
        return {name: {} if settings is None else settings for name, settings in value.items()}
    raise ValueError("Input should be a list of names or a mapping from names to settings")


SettingsByName = Annotated[dict[Name, dict[str, Any]], Field(min_length=1), BeforeValidator(_names_without_settings)]
"""A mapping from names to the settings that are each name's own; a list gives names without any."""


class Scale(Strict):
    """How much of the paper's protocol a scale runs. `cut` says in words what is less than the paper's.

    `benchmarks` and `methods` choose some of the experiment's; what they set for one overrides the scale's `settings`.
    `looks` says how often the outcomes of claims were looked at as runs were added, where neither the paper's protocol
    nor a power stated beforehand set their number: intervals are corrected for that. `whole` names the benchmarks,
    the methods or single cells as `benchmark/method` that run the paper's protocol at this scale as well.
    """

    runs: int = Field(gt=0)
    looks: int = Field(default=1, gt=0)
    cut: str = ""
    benchmarks: SettingsByName | None = None
    methods: SettingsByName | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    whole: list[Reference] = Field(default_factory=list)

    def is_whole(self, benchmark: str, method: str) -> bool:
        """Whether a cell runs the paper's protocol at this scale."""
        return not {benchmark, method, f"{benchmark}/{method}"}.isdisjoint(self.whole)


def _scale_or_alias(value: Any) -> str:
    return "<alias>" if isinstance(value, str) else "<scale>"


ScaleOrAlias = Annotated[
    Annotated[Scale, Tag("<scale>")] | Annotated[Literal["paper", "quick"], Tag("<alias>")],
    Discriminator(_scale_or_alias),
]


class Experiment(Strict):
    """One experiment: a function of papers/<paper>/experiments/ and the grid of benchmarks x methods it fills.

    A cell of an experiment that `needs` others reads their records of its own benchmark and scale, or with `name/*` of
    all benchmarks; the others may be another paper's, as data: no paper imports another's code. `measured` are the
    columns of its records that are times measured on the machine, "all" if everything depends on them: no rerun
    reproduces these. Runs are repetitions or, in a `collection`, its parts, such as blocks of configurations. `extras`
    maps methods to the optional packages that they need, each with an envs/requirements-<extra>.txt. `attachment` is
    the extension of a file that each cell writes beside its records, such as a model too large to be shipped; cells
    that need the experiment read it as well.
    """

    description: str
    function: Name
    settings_model: Name
    benchmarks: SettingsByName
    methods: SettingsByName
    settings: dict[str, Any] = Field(default_factory=dict)
    needs: list[Need] = Field(default_factory=list)
    measured: list[Name] | Literal["all"] = Field(default_factory=list)
    collection: bool = False
    extras: dict[Name, Name] = Field(default_factory=dict)
    attachment: Name | None = None
    scales: dict[Literal["smoke", "quick", "paper"], ScaleOrAlias]

    @model_validator(mode="after")
    def _scales_and_extras_are_complete(self) -> Experiment:
        if unknown := sorted(set(self.extras) - set(self.methods)):
            raise ValueError(f"extras: unknown methods {unknown}, allowed {sorted(self.methods)}")
        for name in SCALES:
            if name not in self.scales:
                raise ValueError(f"scales must state all of {', '.join(SCALES)}; {name!r} is missing")
            scale = self.scales[name]
            if isinstance(scale, str):
                if not isinstance(self.scales.get(scale), Scale):
                    raise ValueError(f"scales.{name} points to {scale!r}, which is not spelled out")
                continue
            if name != "paper" and not scale.cut:
                raise ValueError(f"scales.{name} must say in `cut` what is less than the paper's protocol")
            if name == "paper" and scale.cut:
                raise ValueError("scales.paper is the paper's protocol and cannot have a `cut`")
            for part, allowed in (("benchmarks", self.benchmarks), ("methods", self.methods)):
                unknown = sorted(set(getattr(scale, part) or ()) - set(allowed))
                if unknown and (name, part) != ("smoke", "benchmarks"):
                    raise ValueError(f"scales.{name}.{part}: unknown {unknown}, allowed {sorted(allowed)}")
            cells = [f"{benchmark}/{method}" for benchmark in self.benchmarks for method in self.methods]
            if unknown := sorted(set(scale.whole) - {*cells, *self.benchmarks, *self.methods}):
                raise ValueError(
                    f"scales.{name}.whole: unknown {unknown}, allowed: a benchmark, a method, or benchmark/method"
                )
        return self

    def resolve_scale(self, name: str) -> str:
        """The scale that `name` stands for: `quick: paper` makes quick an alias of paper."""
        scale = self.scales[name]
        return scale if isinstance(scale, str) else name

    def protocol(self, name: str) -> Scale:
        """What is run at a scale, or at the one that it stands for."""
        scale = self.scales[self.resolve_scale(name)]
        assert isinstance(scale, Scale)
        return scale

    def scale_of(self, name: str, benchmark: str, method: str) -> str:
        """The scale of a single cell at the scale `name`: paper for one that is `whole`."""
        scale = self.scales[name]
        return "paper" if isinstance(scale, Scale) and scale.is_whole(benchmark, method) else self.resolve_scale(name)


class Source(Strict):
    """Where an artifact was published."""

    document: str
    place: str


class ArtifactSpec(Strict):
    """One table or figure: a function of the paper's figures.py or tables.py over the results of some experiments.

    The function is named like the artifact. Artifacts that share one name it, with the values that it takes beside the
    results and published numbers: `draw: {importance: {dataset: naval}}`. Experiments may be another paper's, if their
    names differ from those of its own.
    """

    kind: Literal["table", "figure"]
    comparison: Literal["cells", "claims", "shape", "spec"]
    title: str
    source: Source
    draw: Annotated[dict[Name, dict[str, Any]], Field(min_length=1, max_length=1)] | None = None
    experiments: list[Reference] = Field(default_factory=list)
    repeats: Name | None = None
    """Another artifact of the paper, which prints the same numbers: verdicts are counted there."""


class PaperSpec(Strict):
    """A whole paper.yaml.

    `methods` are settings of the optimization methods of `core.study.methods`, by their names there, wherever the paper
    uses them. A paper states all settings of its methods, here or in its experiments: the library's defaults are for
    other uses and may change. `short_names` are the artifacts that go by their id alone; no other paper may declare the
    same. `name` is what the paper is called in figures and on pages, by default its folder's name.
    """

    paper: Name
    name: str = Field(default_factory=lambda given: given["paper"])
    title: str
    citation: str
    documents: dict[str, str]
    quickstart: Name
    short_names: list[Name] = Field(default_factory=list)
    methods: dict[str, dict[str, Any]] = Field(default_factory=dict)
    experiments: dict[Name, Experiment]
    artifacts: dict[Name, ArtifactSpec]

    @model_validator(mode="after")
    def _references_exist(self) -> PaperSpec:
        if self.quickstart not in self.experiments:
            allowed = sorted(self.experiments)
            raise ValueError(f"quickstart: {self.quickstart!r} is not an experiment; allowed {allowed}")
        if unknown := sorted(set(self.short_names) - set(self.artifacts)):
            raise ValueError(f"short_names: {unknown} are not artifacts; allowed {sorted(self.artifacts)}")
        if unknown := sorted(set(self.methods) - set(METHODS)):
            raise ValueError(f"methods: unknown {unknown}, allowed {sorted(METHODS)}")
        above: list[str] = []
        for name, experiment in self.experiments.items():
            _check_names_differ(f"experiments.{name}.needs", experiment.needs)
            own = [needed for paper, needed in map(split_reference, experiment.needs) if not paper]
            if unknown := [needed for needed in own if needed not in above]:
                raise ValueError(f"experiments.{name}.needs: {unknown} must be experiments above it, {above}")
            above.append(name)
        for name, artifact in self.artifacts.items():
            _check_names_differ(f"artifacts.{name}.experiments", artifact.experiments)
            own = {each for each in artifact.experiments if "/" not in each}
            if unknown := own - set(self.experiments):
                raise ValueError(
                    f"artifacts.{name}.experiments: unknown {sorted(unknown)}, allowed {sorted(self.experiments)}"
                )
            if artifact.repeats is not None and artifact.repeats not in set(self.artifacts) - {name}:
                allowed = sorted(set(self.artifacts) - {name})
                raise ValueError(f"artifacts.{name}.repeats: unknown {artifact.repeats!r}, allowed {allowed}")
            if artifact.source.document not in self.documents:
                key, document = f"artifacts.{name}.source.document", artifact.source.document
                raise ValueError(f"{key}: {document!r} is not one of {sorted(self.documents)}")
        return self


def _check_names_differ(key: str, references: list[str]) -> None:
    """Records are found by the name of the experiment alone."""
    names = [split_reference(reference)[1] for reference in references]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{key}: {twice[0]!r} occurs twice, allowed: experiments of different names")


def load_spec(path: Path) -> PaperSpec:
    """Read and validate a paper.yaml.

    Raises:
        UserError: naming the file, the key, the value and what is allowed.
    """
    raw = read_mapping(path, f"the keys {', '.join(PaperSpec.model_fields)}")
    try:
        paper = PaperSpec.model_validate(raw)
    except ValidationError as error:
        raise UserError(f"{path}: {explain(error)}") from error
    if paper.paper != path.parent.name:
        raise UserError(f"{path}: paper: {paper.paper!r} must be the folder's name {path.parent.name!r}")
    return paper
