"""What an experiment function receives: the repetitions to run, their settings and seeds, and the device."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from core.experiment.cells import Cell
from core.experiment.settings import Settings
from core.foundation.errors import UserError
from core.foundation.progress import Progress, silent, within
from core.foundation.seeds import derive_seed

if TYPE_CHECKING:
    import pandas as pd

S = TypeVar("S", bound=Settings)


@dataclass(frozen=True)
class Context(Generic[S]):
    """One shard of a cell. An experiment function maps it to a data frame with a `run` column.

    It declares its settings: `def regression(context: Context[Regression]) -> pd.DataFrame`.

    Attributes:
        cell: Names and validated settings.
        runs: The repetition indices to compute in lockstep.
        device: A torch device name.
        progress: Callback that receives the fraction of the shard that is done.
        root: Root of the repository, below which the records of needed experiments are found.
        commits: Commits of the code, as in the provenance; empty if nothing is to be kept on the disk.
        handed_out: Every seed handed out so far, by `shared/stream` or `method/stream` and repetition, for the
            provenance; ask `shared_seeds` and `method_seeds` for them.
        resumed: What earlier processes spent on this shard, see `core.study.lockstep`; empty if nothing.
        read: Files that `records` read, by cell, each with the commit that made it; also for the provenance.
    """

    cell: Cell
    runs: range
    device: str = "cpu"
    progress: Progress = silent
    root: Path = Path()
    commits: str = ""
    handed_out: dict[str, dict[str, int]] = field(default_factory=dict)
    read: dict[str, dict[str, str]] = field(default_factory=dict)
    resumed: dict[str, Any] = field(default_factory=dict)

    @property
    def settings(self) -> S:
        return cast("S", self.cell.settings)

    @property
    def benchmark(self) -> str:
        return self.cell.benchmark

    @property
    def method(self) -> str:
        return self.cell.method

    @property
    def attachment(self) -> Path:
        """The file to write beside the records, for an experiment that declares one.

        Raises:
            UserError: it declares none.
        """
        path = self.cell.attachment_path(self.root)
        if path is None:
            raise UserError(
                f"{self.cell.name}: writes a file beside its records, but has no `attachment` in paper.yaml"
            )
        return path

    def progress_of(self, number: int) -> Progress:
        """The progress callback of one repetition, from 0 on, for a shard that computes them one after the other."""
        return within(self.progress, number / len(self.runs), (number + 1) / len(self.runs))

    def records(self, experiment: str) -> pd.DataFrame:
        """Records of a needed experiment on this benchmark, or on all, with the columns `benchmark` and `method`.

        Raises:
            UserError: the experiment is not among this one's `needs`, or a cell of it has not been run.
        """
        from core.experiment.finished import read_needed

        return read_needed(self.cell, experiment, self.root, self.read)

    def shared_seeds(self, stream: str) -> list[int]:
        """A seed for each repetition that every method of the experiment shares: splits, initial designs, targets."""
        return self._hand_out("shared", stream, self.cell.paper, self.cell.experiment, self.cell.benchmark)

    def method_seeds(self, stream: str) -> list[int]:
        """A seed for each repetition that belongs to this method alone."""
        cell = self.cell
        return self._hand_out("method", stream, cell.paper, cell.experiment, cell.benchmark, cell.method)

    def _hand_out(self, kind: str, stream: str, *names: str) -> list[int]:
        seeds = [derive_seed(*names, stream, run) for run in self.runs]
        by_run = self.handed_out.setdefault(f"{kind}/{stream}", {})
        by_run.update({str(run): seed for run, seed in zip(self.runs, seeds, strict=True)})
        return seeds
