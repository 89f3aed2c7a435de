"""What a cell takes by the files of earlier runs, in words and in numbers, and what it asks of a cluster.

A file with today's settings says what its repetitions took. One with fewer repetitions, or of another scale, is scaled
up: in proportion to the repetitions and to the settings in `PROPORTIONAL`, which count how often the same work is done.
Every other setting that differs is named, as nothing says what it costs. A cell without a file has no cost: nothing
is assumed for it. Models that are fitted to all evaluations grow faster than their number; docs/clusters.md says how
far off such estimates were where both scales were run.

A job of a cluster that starts Snakemake and Python anew takes longer for that than many cells for their work, and
clusters dislike thousands of tiny jobs. So cells whose time is known to be short share jobs, as many as the profile
says (`group-components`). Snakemake refuses a job that waits for another that waits for the first, as when three cells
read each other's records in a row and the first and last share one; so cells share jobs only with those of the same
depth. A cell whose time nobody recorded has a job of its own, with room for a day.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, prod
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.experiment.cells import Cell
from core.experiment.provenance import on_cpu


def recorded_seconds(cell: Cell, root: Path) -> float | None:
    """Seconds of computing that all repetitions of a cell took, according to its files; None if there are none.

    A file with another number of repetitions counts in proportion. An ablation not yet run is assumed to take as long
    as its cell. On another machine, or with settings other than today's, this is a rough estimate.
    """
    from core.experiment.storage import ResultFileError, read_provenance  # imports Arrow, which only this needs

    own = cell.path(root)
    below = own.relative_to(root / "results").parts[1 + bool(cell.overrides) :]
    for path in (own, root.joinpath("results", "run", *below), root.joinpath("results", "reference", *below)):
        if path.exists():
            try:
                provenance = read_provenance(path)
            except ResultFileError:
                continue
            return float(provenance["wall_seconds"]) * cell.runs / max(1, provenance["runs"])
    return None


def announcement(cells: Collection[Cell], root: Path, finished: int = 0) -> str:
    """`12 cells to run (3 finished already), about 14 min of computing by earlier runs; 2 were never timed`."""
    recorded = [recorded_seconds(cell, root) for cell in cells]
    known = [seconds for seconds in recorded if seconds is not None]
    text = f"{len(cells)} cell{'' if len(cells) == 1 else 's'} to run"
    text += f" ({finished} finished already)" if finished else ""
    text += f", about {in_words(sum(known))} of computing by earlier runs" if known else ""
    unknown = len(cells) - len(known)
    return text + (f"; {unknown} {'was' if unknown == 1 else 'were'} never timed" if unknown else "")


def counted(runs: int) -> str:
    """`1 run`, `25 runs`."""
    return f"{runs} run{'' if runs == 1 else 's'}"


def in_words(seconds: float) -> str:
    """`0.4 s`, `41 s`, `2 min 10 s`, `14 min`, `2 h 5 min`: about two digits, since none of it is exact."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if whole < 60:
        return f"{whole} s"
    if minutes < 10:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    minutes = round(seconds / 60)
    hours, rest = divmod(minutes, 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{hours} h {rest} min" if rest else f"{hours} h"


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


SHORT = "short_"
"""What the kinds of jobs that cells share begin with; the depth of their cells follows."""
SHORT_MINUTES = 30
"""A cell that asks for more time has a job of its own."""
START_MINUTES = 5
"""Time for starting a cell and compiling its code, beside its own."""
TIMES = 3.0
"""How many times the recorded seconds a cell may take: docs/clusters.md says how far off these are."""
MEMORY_TIMES, MEMORY_MORE = 1.5, 500.0
"""How many times the recorded memory, and how many MiB more for the Snakemake that starts it, a cell may have."""
UNKNOWN_MINUTES, UNKNOWN_MEMORY = 24 * 60, 4000
"""What a cell asks for that was never recorded: minutes and MiB."""
SMOKE_MINUTES = 1
"""What a cell at scale smoke takes that was never recorded: all of them take seconds."""


class Jobs:
    """What cells ask for, by the files of a repository as they are when each cell is first asked about.

    Args:
        root: Root of the repository.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._costs: dict[tuple[str, str, tuple[str, ...]], Cost | None] = {}

    def minutes(self, cell: Cell, attempt: int = 1) -> int:
        """The time limit of a cell in minutes; each attempt after the first doubles it."""
        if (cost := self._cost(cell)) is not None:
            known = TIMES * cost.seconds / 60
        elif cell.scale == "smoke":
            known = TIMES * SMOKE_MINUTES
        else:
            return UNKNOWN_MINUTES * 2 ** (attempt - 1)
        return ceil(START_MINUTES + known) * 2 ** (attempt - 1)

    def memory_mb(self, cell: Cell, attempt: int = 1) -> int:
        """The memory of a cell in MiB; each attempt after the first doubles it."""
        cost = self._cost(cell)
        known = UNKNOWN_MEMORY if cost is None else MEMORY_TIMES * cost.memory_mb + MEMORY_MORE
        return ceil(known) * 2 ** (attempt - 1)

    def shared(self, cell: Cell) -> str | None:
        """The kind of job that a cell shares with others; None for a cell that has a job of its own."""
        return f"{SHORT}{depth(cell)}" if self.minutes(cell) <= SHORT_MINUTES else None

    def _cost(self, cell: Cell) -> Cost | None:
        key = (cell.name, cell.scale, cell.overrides)
        if key not in self._costs:
            self._costs[key] = cost_of(cell, self._root)
        return self._costs[key]


def depth(cell: Cell) -> int:
    """How many cells stand behind one another whose records a cell reads: 0 if it reads none."""
    return max((1 + depth(needed) for needed in cell.needs), default=0)
