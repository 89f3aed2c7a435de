"""What the Snakefile needs to know, computed from the catalogue: targets, inputs and names. Does not import torch.

The Snakefile holds the rules; every function that a rule calls is here, in one place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from core.errors import UnknownNameError, UserError
from core.experiment import LIST, SCALES, SOURCES
from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell
from core.experiment.drawings import (
    EXTENSIONS,
    OWN,
    Drawing,
    cells_of,
    digest_of_page,
    drawing,
    folder_of,
    recorded_state,
    state_of,
)
from core.experiment.durations import announcement
from core.experiment.own_runs import OwnRuns, make_older
from core.experiment.targets import FILE, files_and_names, unknown_names
from core.files import write_whole

CONFIG = {"scale": SCALES, "runs": SOURCES}
PAGE = "comparison.html"
STATES = Path(".snakemake/drawings")
WARM = 3
"""From this many drawings on, they are one job: most of the time for one drawing goes into starting Python."""


class Workflow:
    """The catalogue under a Snakemake configuration: `scale` (default quick) and `runs` (default reference).

    Args:
        config: the Snakemake configuration.
        root: root of the repository.
        words: of the command line; those that are not targets are ignored, and without a target all is meant.

    Raises:
        UserError: an unknown configuration key or value, an unknown target, or an invalid paper that the targets need;
            a broken paper that they do not need is only named in `warnings`.
    """

    def __init__(self, config: Mapping[str, Any], root: Path | str = ".", words: Iterable[str] = ()) -> None:
        for key, value in config.items():
            if key not in CONFIG:
                raise UnknownNameError("configuration key (--config)", key, CONFIG)
            if value not in CONFIG[key]:
                raise UnknownNameError(f"value of --config {key}", str(value), CONFIG[key])
        self.scale: str = config.get("scale", "quick")
        self.source: str = config.get("runs", "reference")
        self.catalogue = Catalogue(root)
        self._forced = not {"-F", "--forceall"}.isdisjoint(words)
        self._states: dict[Drawing, str] = {}
        names = ["all", *self.catalogue.names]
        if unknown := unknown_names(words, [*names, "drawings"]):
            raise UnknownNameError("target", unknown[0], names)
        self._targets = files_and_names(words, names) or ["all"]
        self.warnings = [f"left out: {error}" for error in self.catalogue.broken.values()]
        self._check_papers()
        self._check_targets()

    @property
    def papers(self) -> list[str]:
        return list(self.catalogue.papers)

    @cached_property
    def everything(self) -> list[Drawing]:
        """All artifacts, drawn from the configured source."""
        return [self.drawing(name, folder_of(self.source)) for name in self.catalogue.artifacts]

    def drawing(self, name: str, folder: str) -> Drawing:
        """The drawing of `paper/artifact` below figures/`folder`: empty for shipped runs, `own/` for your own."""
        return drawing(self.catalogue, name, self.scale, "run" if folder == OWN else "reference")

    def artifacts(self, kind: str) -> list[str]:
        """`paper/artifact` of every table or figure."""
        return [drawn.name for drawn in self.everything if drawn.kind == kind]

    def targets(self, paper: str) -> list[str]:
        """The drawings of a paper."""
        return [file for drawn in self.everything if drawn.paper == paper for file in drawn.files]

    def all_targets(self) -> list[str]:
        """Every drawing and the page that compares them."""
        page = f"figures/{folder_of(self.source)}{PAGE}"
        return [page, *(file for drawn in self.everything for file in drawn.files)]

    def sidecars(self, folder: str) -> list[str]:
        """What the comparison page in a folder is made from."""
        return [f"{self.drawing(name, folder).stem}.json" for name in self.catalogue.artifacts]

    def page_sources(self) -> str:
        """A digest of what the comparison page is made with."""
        return digest_of_page(self.catalogue)

    def inputs(self, drawn: Drawing) -> list[str]:
        """A file that stands for all that a drawing depends on, and your own runs if it is drawn from them."""
        return [self._state_file(drawn), *(str(cell.path("")) for cell in self._own_cells(drawn))]

    def write_states(self) -> None:
        """Write the state files of all requested drawings and of the cells that these and the targets ask for.

        Call this before Snakemake looks at the first of them: it remembers which files a folder has.
        """
        for drawn in self._requested():
            self._state_file(drawn)
        self._own_runs.write_states()

    def outdated(self) -> list[Drawing]:
        """Requested drawings that are out of date; none if they are so few that each is a job of its own.

        Drawings whose own runs have yet to be made are left out: each is drawn when its runs are there.
        """
        waiting = [drawn for drawn in self._requested() if self._can_be_drawn(drawn)]
        if not self._forced:
            waiting = [drawn for drawn in waiting if recorded_state(self.catalogue.root, drawn) != self._state(drawn)]
        return waiting if len(waiting) >= WARM else []

    def cell_inputs(self, cell: Cell) -> list[str]:
        """A file that stands for the cell's state, and the files of the cells that it reads."""
        return self._own_runs.inputs(cell)

    def announcement(self) -> str:
        """How many of your own runs the targets still need, and how long they will take; empty if none."""
        missing = self._own_runs.missing()
        return announcement(missing, self.catalogue.root) if missing else ""

    def cell(self, paper: str, experiment: str, benchmark: str, method: str, scale: str) -> Cell:
        """The cell behind a results/run path."""
        path = f"results/run/{scale}/{paper}/{experiment}/{benchmark}/{method}.parquet"
        if path not in self._cells:
            raise UserError(f"{path}: no such cell; see python -m papers list {paper}/{experiment}")
        return self._cells[path]

    def cell_names(self, part: str) -> Iterable[str]:
        """Every paper, experiment, benchmark, method or scale that occurs in a cell."""
        return {getattr(cell, part) for cell in self._cells.values()}

    @cached_property
    def _own_runs(self) -> OwnRuns:
        targets = [self._cells[target] for target in self._targets if target in self._cells]
        drawn = [cell for drawing in self._requested() for cell in self._own_cells(drawing)]
        return OwnRuns(self.catalogue.root, [*targets, *drawn])

    @cached_property
    def _cells(self) -> dict[str, Cell]:
        return {
            str(cell.path("")): cell
            for paper, spec in self.catalogue.papers.items()
            for experiment in spec.experiments
            for scale in SCALES
            for cell in self.catalogue.cells(paper, experiment, scale)
        }

    @cached_property
    def _drawn_files(self) -> dict[str, Drawing]:
        """Every file that a rule draws, short names included."""
        files = {}
        for folder in ("", OWN):
            for name in self.catalogue.artifacts:
                drawn = self.drawing(name, folder)
                files |= dict.fromkeys(drawn.files, drawn)
                if self.catalogue.short_names.get(drawn.artifact) == drawn.paper:
                    short = [f"figures/{folder}{drawn.artifact}.{end}" for end in EXTENSIONS[drawn.kind]]
                    files |= {file: drawn for file in short if not file.endswith(".json")}
        return files

    def _requested(self) -> list[Drawing]:
        """The drawings behind the targets, each once."""
        found: dict[Drawing, None] = {}
        for target in self._targets:
            if target == "all":
                found |= dict.fromkeys(self.everything)
            elif target in self.catalogue.papers:
                found |= dict.fromkeys(drawn for drawn in self.everything if drawn.paper == target)
            elif target in self._drawn_files:
                found[self._drawn_files[target]] = None
            elif Path(target).name == PAGE:
                folder = OWN if Path(target).parent.name == Path(OWN).name else ""
                found |= dict.fromkeys(self.drawing(name, folder) for name in self.catalogue.artifacts)
        return list(found)

    def _own_cells(self, drawn: Drawing) -> list[Cell]:
        """The cells that must be run before a drawing is made: none for shipped runs, nor where an extra is missing."""
        return [cell for cell in cells_of(self.catalogue, drawn) if cell.can_run] if drawn.source == "run" else []

    def _can_be_drawn(self, drawn: Drawing) -> bool:
        return all(map(self._own_runs.is_finished, self._own_cells(drawn)))

    def _state(self, drawn: Drawing) -> str:
        """The state of a drawing when first requested: one plan is made from one state of the repository."""
        if drawn not in self._states:
            self._states[drawn] = state_of(self.catalogue, drawn)
        return self._states[drawn]

    def _state_file(self, drawn: Drawing) -> str:
        """A file that changes when, and only when, anything that the drawing depends on does.

        It is older than a drawing that is up to date, however that was drawn.
        """
        name, root = STATES / Path(drawn.stem).relative_to("figures"), self.catalogue.root
        state = self._state(drawn)
        path = root / name
        if not path.is_file() or path.read_text() != state:
            write_whole(path, lambda stream: stream.write(state.encode()))
            if recorded_state(root, drawn) == state:
                make_older(path, [root / file for file in drawn.files])
        return str(name)

    def _check_papers(self) -> None:
        """Raise the error of the first broken paper that a target is about; a target of everything is about all."""
        for name, error in self.catalogue.broken.items():
            if any(target == "all" or name in Path(target).parts for target in self._targets):
                raise error

    def _check_short_name(self, target: str) -> None:
        """Raise a UserError if the target is an artifact's file under a name that several papers have."""
        name = target.removeprefix("figures/").removeprefix(OWN).rpartition(".")[0]
        if any(name in spec.artifacts for spec in self.catalogue.papers.values()):
            self.catalogue.artifact(name)

    def _check_targets(self) -> None:
        """Raise an UnknownNameError if a target is a drawing or a cell's file that no rule makes."""
        pages = {f"figures/{PAGE}", f"figures/{OWN}{PAGE}"}
        for target in filter(FILE.fullmatch, self._targets):
            if target not in self._drawn_files and target not in self._cells and target not in pages:
                self._check_short_name(target)
                raise UnknownNameError(
                    "file", target, sorted({*self._drawn_files, *self._cells, *pages}), f"{LIST} PAPER"
                )
            if self.source == "run" and target in self._drawn_files and self._drawn_files[target].source != "run":
                own = f"figures/{OWN}{target.removeprefix('figures/')}"
                raise UserError(f"{target} is drawn from the shipped runs; from your own it is {own}")


def one_of(names: Iterable[str]) -> str:
    """A wildcard constraint that matches only these names."""
    return "|".join(sorted(map(re.escape, names))) or "(?!)"
