"""Cells: one (benchmark, method) pair of an experiment with its settings, its paths and the hash that identifies them.

A cell is one Snakemake job, one file and the unit of rerunning. Its hash covers only the settings that determine a
repetition's result: the cell's own and those of the cells that it reads. It covers neither the number of repetitions
(more can be added) nor any other cell's settings.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from pydantic_core import to_jsonable_python

from core.experiment import LIST, SCALES
from core.experiment.schema import ALL_BENCHMARKS, Experiment, PaperSpec, Scale, split_reference
from core.experiment.settings import METHOD, Layer, Settings, by_hand, method_named, nested, resolve, value_of
from core.foundation.errors import UnknownNameError, UserError

SHARD_RUNS = 10
"""Repetitions computed in lockstep between two writes: a kill costs at most this many. The same at every scale."""
DEVICE_RUNS = 50
"""The same on another device than the CPU, where fifty in lockstep take hardly longer than ten."""
MOST_RUNS = 1_000_000
"""Repetitions that a cell may have: the blocks of more would fill the memory before the first is computed."""


class Household(Protocol):
    """What cells are made from: a `core.experiment.paper.Paper`.

    Attributes:
        spec: Its paper.yaml.
        models: The settings models of its settings.py by name.
        place: Its paper.yaml, as errors name it.
    """

    @property
    def spec(self) -> PaperSpec: ...
    @property
    def models(self) -> Mapping[str, type[Settings]]: ...
    @property
    def place(self) -> str: ...
    def other(self, owner: str) -> Household:
        """The paper of that name, itself where the name is empty."""

    def cells(self, experiment: str, scale: str) -> Sequence[Cell]:
        """All cells of an experiment at a scale."""


@dataclass(frozen=True)
class Cell:
    """One (benchmark, method) pair at a scale. `scale` is the resolved one: `quick: paper` gives paper.

    `needs` are the cells whose records it reads: those of its benchmark, or of all, at the requested scale.
    """

    paper: str
    experiment: str
    benchmark: str
    method: str
    scale: str
    runs: int
    settings: Settings
    function: str
    overrides: tuple[str, ...] = ()
    needs: tuple[Cell, ...] = ()
    collection: bool = False
    extra: str | None = None
    attachment: str | None = None

    @property
    def name(self) -> str:
        return f"{self.paper}/{self.experiment}/{self.benchmark}/{self.method}"

    def reference(self, home: str) -> str:
        """The experiment as the paper `home` refers to it."""
        return self.experiment if self.paper == home else f"{self.paper}/{self.experiment}"

    @property
    def can_run(self) -> bool:
        """Whether the optional package that the method needs, if it needs one, is installed."""
        return self.extra is None or find_spec(self.extra) is not None

    @property
    def variant(self) -> str:
        """The method's name in drawings, in an ablation with what was changed: `sghmc, step_sizes=[0.02]`."""
        return ", ".join((self.method, *self.overrides))

    @cached_property
    def settings_hash(self) -> str:
        """First 16 hex digits of the SHA-256 of the canonical JSON of what determines one repetition."""
        return self.hash_with(self.settings.model_dump(mode="json"))

    def hash_with(self, settings: Mapping[str, Any]) -> str:
        """The hash that the cell would have with these settings, given as by `model_dump`."""
        identity = {"cell": self.name, "function": self.function, "settings": settings}
        if self.needs:
            identity["needs"] = [(needed.settings_hash, needed.runs) for needed in self.needs]
        return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]

    def path(self, root: Path | str, source: str = "run") -> Path:
        """The cell's file below the repository's root; source: `run` or `reference`; an ablation has its own folder."""
        if self.overrides:
            source = f"ablation/{_folder_name(','.join(self.overrides))}"
        return Path(root, f"results/{source}/{self.scale}/{self.name}.parquet")

    def attachment_path(self, root: Path | str, source: str = "run") -> Path | None:
        """The file that the cell writes beside its records, None if it writes none; arguments as of `path`."""
        return None if self.attachment is None else self.path(root, source).with_suffix(f".{self.attachment}")

    def shards(self, device: str = "cpu") -> list[range]:
        """Repetition indices in blocks, of SHARD_RUNS on the CPU and DEVICE_RUNS elsewhere."""
        size = SHARD_RUNS if device == "cpu" else DEVICE_RUNS
        return [range(i, min(i + size, self.runs)) for i in range(0, self.runs, size)]


def expand(paper: Household, experiment_name: str, scale_name: str) -> Iterator[Cell]:
    """All cells of an experiment of a paper at a scale, settings resolved and validated.

    Raises:
        UserError: an unknown name, or settings the model refuses (file, key, value, what is allowed).
    """
    experiment, scale = _scale_of(paper, experiment_name, scale_name)
    for benchmark in scale.benchmarks or experiment.benchmarks:
        for method in scale.methods or experiment.methods:
            yield make_cell(paper, experiment_name, benchmark, method, scale_name)


def make_cell(
    paper: Household,
    experiment_name: str,
    benchmark: str,
    method: str,
    scale_name: str,
    runs: int | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Cell:
    """One cell by name; `runs` and `overrides` replace the scale's number of repetitions and single settings."""
    experiment, scale = _scale_of(paper, experiment_name, scale_name)
    benchmarks, methods = scale.benchmarks or list(experiment.benchmarks), scale.methods or list(experiment.methods)
    name = f"{paper.spec.paper}/{experiment_name}"
    where = f"{name} at scale {scale_name}"
    listing = f"{LIST} {name} --scale {scale_name}"
    if benchmark not in benchmarks:
        raise UnknownNameError(f"benchmark of {where}", benchmark, benchmarks, listing)
    if method not in methods:
        raise UnknownNameError(f"method of {where}", method, methods, listing)
    resolved = experiment.scale_of(scale_name, benchmark, method)
    if resolved != experiment.resolve_scale(scale_name):
        scale_name, scale = resolved, _scale_of(paper, experiment_name, resolved)[1]
    count = scale.runs if runs is None else runs
    if not 1 <= count <= MOST_RUNS:
        limit = "at least 1" if count < 1 else f"at most {MOST_RUNS:,}"
        raise UserError(f"runs = {count}: must be {limit}")
    prefix = f"{paper.place}: experiments.{experiment_name}"
    if experiment.settings_model not in paper.models:
        kind = f"settings model in {prefix}.settings_model:"
        raise UnknownNameError(kind, experiment.settings_model, paper.models)
    model = paper.models[experiment.settings_model]
    layers = _layers(prefix, experiment, resolved, benchmark, method)
    if (named := method_named(layers)) is not None:
        layers = [Layer(f"{paper.place}: methods.{named}: ", {METHOD: paper.spec.methods.get(named, {})}), *layers]
    by_short_name = by_hand(overrides or {}, model, named, name)
    layers.append(Layer("--set ", nested(by_short_name, model)))
    whole = f"{prefix} (benchmark {benchmark}, method {method}{', with --set' if overrides else ''})"
    settings = resolve(model, layers, f"{prefix}.settings.", whole)
    return Cell(
        paper=paper.spec.paper,
        experiment=experiment_name,
        benchmark=benchmark,
        method=method,
        scale=resolved,
        runs=count,
        settings=settings,
        function=experiment.function,
        collection=experiment.collection,
        extra=experiment.extras.get(method),
        attachment=experiment.attachment,
        overrides=tuple(
            f"{key}={_short(to_jsonable_python(value_of(settings, key)))}" for key in sorted(by_short_name)
        ),
        needs=tuple(
            cell
            for needed in experiment.needs
            for cell in _needed(paper, f"{prefix}.needs", needed, benchmark, scale_name)
        ),
    )


def _layers(prefix: str, experiment: Experiment, scale_name: str, benchmark: str, method: str) -> list[Layer]:
    """The layers of a cell's settings that its experiment states, from the first to the last."""
    scale, at_scale = experiment.scales[scale_name], f"{prefix}.scales.{scale_name}"
    return [
        Layer(f"{prefix}.settings.", experiment.settings),
        Layer(f"{prefix}.benchmarks.{benchmark}.", experiment.benchmarks.get(benchmark, {})),
        Layer(f"{prefix}.methods.{method}.", experiment.methods[method]),
        Layer(f"{at_scale}.settings.", scale.settings),
        Layer(f"{at_scale}.benchmarks.{benchmark}.", (scale.benchmarks or {}).get(benchmark, {})),
        Layer(f"{at_scale}.methods.{method}.", (scale.methods or {}).get(method, {})),
    ]


def _needed(paper: Household, key: str, reference: str, benchmark: str, scale: str) -> Sequence[Cell]:
    """The cells of a needed experiment with this benchmark, or with all; `key` is where it is needed."""
    try:
        owner, name = split_reference(reference)
        cells = paper.other(owner).cells(name, scale)
    except UserError as error:
        raise UserError(f"{key}: {reference!r}: {error}") from error
    if not reference.endswith(ALL_BENCHMARKS):
        cells = [cell for cell in cells if cell.benchmark == benchmark]
    if not cells:
        raise UserError(f"{key}: {reference!r} has no benchmark {benchmark!r} at scale {scale}")
    return cells


def _short(value: Any) -> Any:
    """A validated value for an ablation's name, however it was written: whole numbers without a decimal point."""
    if isinstance(value, list):
        return [_short(part) for part in value]
    if isinstance(value, dict):
        return {key: _short(part) for key, part in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value


def _folder_name(text: str) -> str:
    """Any text as one folder's name; if characters are lost, a digest keeps different texts apart."""
    name = re.sub(r"[^A-Za-z0-9_.,=+-]+", "_", text)[:100]
    return name if name == text else f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _scale_of(paper: Household, experiment_name: str, scale_name: str) -> tuple[Experiment, Scale]:
    if scale_name not in SCALES:
        raise UnknownNameError("scale", scale_name, SCALES)
    spec = paper.spec
    if experiment_name not in spec.experiments:
        raise UnknownNameError(f"experiment of {spec.paper}", experiment_name, spec.experiments, f"{LIST} {spec.paper}")
    experiment = spec.experiments[experiment_name]
    return experiment, experiment.protocol(scale_name)
