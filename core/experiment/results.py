"""Results: what an artifact function draws from, with the state of every cell behind it.

Absent cells are not an error: their rows are missing and their `CellInfo` says so. A file whose settings hash is not
today's is used and marked stale; one that cannot be read raises an error with its name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.experiment.cells import Cell
from core.experiment.paper import Artifact
from core.experiment.schema import split_reference
from core.experiment.selection import find_ablations
from core.experiment.storage import read_provenance, read_records
from core.foundation.errors import UnknownNameError, UserError

if TYPE_CHECKING:
    import pandas as pd

Version = tuple[str, str, Path, tuple[int, int]]  # benchmark, method, file, and its `_version`
FRAMES = 6  # experiments that a process keeps: the claims of an artifact and its neighbours need the same ones again


@dataclass(frozen=True)
class CellInfo:
    """State of one cell: whether its file is present, whether its settings are today's, and what its metadata say."""

    experiment: str
    benchmark: str
    method: str
    scale: str
    path: str
    configured_runs: int
    present: bool
    stale: bool = False
    runs: int = 0
    commit: str = ""
    wall_seconds: float = 0.0
    peak_memory_mb: float = 0.0
    ablation: bool = False
    collection: bool = False

    @property
    def name(self) -> str:
        return f"{self.experiment}/{self.benchmark}/{self.method}"

    @property
    def whole(self) -> bool:
        """Whether it was run by the paper's protocol, with all repetitions."""
        return self.present and self.scale == "paper" and self.runs >= self.configured_runs


def inspect_cell(cell: Cell, root: Path, source: str) -> CellInfo:
    """State of a cell from its file's metadata alone.

    Raises:
        ResultFileError: the file is truncated or not a raw-run file.
    """
    path = cell.path(root, source)
    known: dict[str, Any] = {
        "experiment": cell.experiment,
        "benchmark": cell.benchmark,
        "method": cell.variant,
        "ablation": bool(cell.overrides),
        "scale": cell.scale,
        "path": str(path.relative_to(root)),
        "configured_runs": cell.runs,
        "collection": cell.collection,
    }
    try:
        provenance = read_provenance(path)
    except FileNotFoundError:
        return CellInfo(**known, present=False)
    return CellInfo(
        **known,
        present=True,
        stale=provenance["settings_hash"] != cell.settings_hash,
        runs=provenance["runs"],
        commit=str(provenance["commit"]),
        wall_seconds=provenance["wall_seconds"],
        peak_memory_mb=provenance["peak_memory_mb"],
    )


class Results:
    """Raw runs of the experiments an artifact needs, at one scale and from one source.

    Args:
        cells: Every cell of those experiments at the scale; ablations of them become further methods, named after what
            was changed.
        root: The repository root.
        source: `reference` (shipped) or `run` (your own).
        scales: The resolved scale of each experiment.

    Attributes:
        cells: The state of each cell.
        experiments: The names of the experiments.
        lacking: Experiments without any run whose frame was requested, one entry per request.
    """

    def __init__(self, cells: Iterable[Cell], root: Path, source: str, scales: dict[str, str]) -> None:
        self._cells = list(cells)
        self._root, self._source, self._scales = root, source, scales
        self.cells = [inspect_cell(cell, root, source) for cell in self._cells]
        self.experiments = tuple(scales)
        self.lacking: list[str] = []
        self._frames: dict[tuple[Version, ...], pd.DataFrame] = {}

    def frame(self, experiment: str) -> pd.DataFrame:
        """Rows of all present cells of an experiment: benchmark, method, run, status, message, and its own columns.

        Read once per process as long as the files do not change. All that ask these results for it share one frame,
        with which `core.report.runs.frames` remembers what they derive from it, so they may not modify it; if one does,
        other artifacts are not affected.

        Raises:
            UnknownNameError: the artifact does not draw from an experiment of that name.
        """
        import pandas as pd  # finding finished cells does not need it

        name = self._known(experiment)
        files = [
            (cell.benchmark, cell.variant, cell.path(self._root, self._source))
            for cell, info in zip(self._cells, self.cells, strict=True)
            if cell.experiment == name and info.present
        ]
        if not files:
            self.lacking.append(name)
            return pd.DataFrame(columns=["benchmark", "method", "run", "status", "message"])
        known = tuple((*file, _version(file[2])) for file in files)
        if known not in self._frames:
            self._frames[known] = _read_cells(known).copy(deep=False)
        return self._frames[known]

    def without_ablations(self) -> Results:
        """The same without runs with changed settings; claims are judged by these."""
        return self._of([cell for cell in self._cells if not cell.overrides])

    def whole_cells(self) -> Results:
        """The same with nothing but the cells that were run by the paper's protocol."""
        return self._of([cell for cell, info in zip(self._cells, self.cells, strict=True) if info.whole])

    def _of(self, cells: list[Cell]) -> Results:
        return self if len(cells) == len(self._cells) else Results(cells, self._root, self._source, self._scales)

    def scale(self, experiment: str) -> str:
        """The scale the experiment's results come from (an alias resolved); raises as `frame`."""
        return self._scales[self._known(experiment)]

    @property
    def reduced(self) -> bool:
        """Whether anything, ablations aside, is below the paper's protocol: a smaller scale, or fewer repetitions."""
        present = [info for info in self.cells if info.present and not info.ablation]
        return any(scale != "paper" for scale in self._scales.values()) or any(not info.whole for info in present)

    def _known(self, experiment: str) -> str:
        """The experiment's own name."""
        name = split_reference(experiment)[1]
        if name not in self._scales:
            raise UnknownNameError("experiment of this artifact", experiment, self._scales)
        return name


def results_of(artifact: Artifact) -> Results:
    """What an artifact is made of, with all ablations of its cells that were run if it is to have them.

    Raises:
        UserError: ablations are requested, but there are none.
    """
    scale, papers = artifact.scale, artifact.paper.among
    scales = {split_reference(name)[1]: each.resolve_scale(scale) for name, each in artifact.experiments.items()}
    ablations = find_ablations(papers, artifact.cells, scale) if artifact.ablations else []
    if artifact.ablations and not ablations:
        again = f"python -m papers run CELL --scale {scale} --set KEY=VALUE"
        raise UserError(f"none of its cells was run with changed settings at scale {scale}; run one: {again}")
    return Results([*artifact.cells, *ablations], papers.root, artifact.source, scales)


@lru_cache(maxsize=FRAMES)
def _read_cells(files: tuple[Version, ...]) -> pd.DataFrame:
    """Rows of files of (benchmark, method, path, version), one below the other."""
    import pandas as pd

    frames = [read_records(path)[0].assign(benchmark=benchmark, method=method) for benchmark, method, path, _ in files]
    return pd.concat(frames, ignore_index=True)


def _version(path: Path) -> tuple[int, int]:
    """The file's time in nanoseconds and size in bytes, which change whenever it is written."""
    status = path.stat()
    return status.st_mtime_ns, status.st_size
