"""What a cell takes: computing time, memory and disk, by the files of earlier runs.

A file with today's settings says what its repetitions took. One with fewer repetitions, or of another scale, is scaled
up: in proportion to the repetitions and to the settings in `PROPORTIONAL`, which count how often the same work is done.
Every other setting that differs is named, as nothing says what it costs. A cell without a file has no cost: nothing
is assumed for it. Models that are fitted to all evaluations grow faster than their number; docs/clusters.md says how
far off such estimates were where both scales were run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.experiment.cells import Cell
from core.experiment.devices import on_cpu

PROPORTIONAL = (
    "evaluations",
    "full_evaluations",
    "brackets",
    "tasks",
    "queries",
    "configurations",
    "epochs",
    "sweeps",
    "seconds",
)
"""Settings, of experiments or of methods, that say how often a repetition does the same work, or for how long."""
RUNS = "runs"
READ = "the records that it reads"
DEVICE = "its device"
NEAREST = {"smoke": ("smoke", "quick", "paper"), "quick": ("quick", "paper"), "paper": ("paper", "quick")}
"""The scales whose files say something about a scale, the nearest first; smoke runs are too short to say anything."""
SOURCES = ("run", "reference")
"""Your own runs before the shipped ones: they are of this machine."""


@dataclass(frozen=True)
class Cost:
    """What all repetitions of a cell take.

    Attributes:
        seconds: Seconds of one core.
        memory_mb: Largest resident set of the process, in MiB, that computed the recorded repetitions.
        disk: Bytes of its records.
        cpu: The processors of the recorded runs.
        factors: By which ratio the recorded numbers were multiplied, by setting, or `runs` for the repetitions.
        uncounted: Settings that differ from those of the recorded runs, at a cost that nobody measured; `DEVICE` if the
            runs were on a device, whose seconds are not those of a core.
    """

    seconds: float
    memory_mb: float
    disk: float
    cpu: str
    factors: Mapping[str, float]
    uncounted: tuple[str, ...] = ()

    @property
    def is_recorded(self) -> bool:
        """Whether all of it was measured, and nothing scaled."""
        return not self.factors and not self.uncounted


def cost_of(cell: Cell, root: Path) -> Cost | None:
    """The cost of a cell by the file that is nearest to it; None if no file says anything.

    Files with the fewest settings that cannot be counted come first, then those with the fewest that are scaled, then
    those of the cell's own scale, then your own.
    """
    costs = list(_costs(cell, root))
    return min(costs, key=lambda cost: (len(cost.uncounted), len(cost.factors.keys() - {RUNS})), default=None)


def _costs(cell: Cell, root: Path) -> Iterator[Cost]:
    """The cost by each file, in the order of preference."""
    from core.experiment.storage import ResultFileError, read_provenance  # imports Arrow, which only this needs

    for scale in NEAREST[cell.scale]:
        for source in SOURCES:
            path = replace(cell, scale=scale).path(root, source)
            try:
                yield _scaled(cell, read_provenance(path), path)
            except (FileNotFoundError, ResultFileError):
                continue


def _scaled(cell: Cell, provenance: Mapping[str, Any], path: Path) -> Cost:
    factors, uncounted = _differences(cell, provenance)
    size, beside = path.stat().st_size, _size_beside(cell, path)
    growth = prod(factors.values())
    return Cost(
        seconds=float(provenance["wall_seconds"]) * growth * _threads(provenance),
        memory_mb=float(provenance["peak_memory_mb"]),
        disk=size * growth + beside,
        cpu=str(provenance.get("cpu", "")),
        factors=factors,
        uncounted=uncounted,
    )


def _differences(cell: Cell, provenance: Mapping[str, Any]) -> tuple[dict[str, float], tuple[str, ...]]:
    """The ratios of repetitions and of proportional settings, today's to the recorded; other settings that differ."""
    ratios = {RUNS: cell.runs / max(1, provenance["runs"])}
    uncounted = []
    today, recorded = _by_name(cell.settings.model_dump(mode="json")), _by_name(_recorded(cell, provenance))
    for name in sorted(today.keys() | recorded.keys()):
        now, then = today.get(name), recorded.get(name)
        if now == then:
            continue
        if name.rpartition(".")[2] in PROPORTIONAL and _is_count(now) and _is_count(then):
            ratios[name.rpartition(".")[2]] = now / then
        else:
            uncounted.append(name.removeprefix("method."))
    if not on_cpu(provenance):
        uncounted.append(DEVICE)
    if not uncounted and len(ratios) == 1 and provenance["settings_hash"] != cell.settings_hash:
        uncounted.append(READ)
    return {name: ratio for name, ratio in ratios.items() if ratio != 1}, tuple(uncounted)


def _recorded(cell: Cell, provenance: Mapping[str, Any]) -> Mapping[str, Any]:
    """The recorded settings, with what their runs did where a setting is younger than they are."""
    settings = provenance.get("settings", {})
    try:
        return type(cell.settings).of_record(settings).model_dump(mode="json")
    except ValidationError:
        return settings


def _by_name(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Settings on one level: those of the method by `method.` and their name."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        flat |= _by_name(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {prefix + name: value}
    return flat


def _is_count(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _threads(provenance: Mapping[str, Any]) -> int:
    threads = provenance.get("threads", 1)
    return threads if isinstance(threads, int) else 1


def _size_beside(cell: Cell, path: Path) -> int:
    """Bytes of the file beside the records; 0 where there is none or it is not here."""
    beside = path.with_suffix(f".{cell.attachment}") if cell.attachment else path
    return beside.stat().st_size if beside != path and beside.is_file() else 0
