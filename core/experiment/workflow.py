"""What the Snakefile needs to know, computed from the catalogue: targets, inputs and names. Does not import torch.

The Snakefile holds the rules; every function that a rule calls is here, in one place. Snakemake has not read its
targets when it reads the Snakefile, so whatever depends on them is computed when it first calls an input function.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from core.errors import UserError
from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell
from core.experiment.drawings import (
    OWN,
    Drawing,
    cells_of,
    digest_of_page,
    folder_of,
    recorded_state,
    state_of,
)
from core.experiment.durations import announcement
from core.experiment.outputs import PAGE, PAGES, Outputs, drawn_together
from core.experiment.own_runs import OwnRuns, make_older
from core.experiment.targets import Asked, check_config
from core.files import write_whole

STATES = Path(".snakemake/drawings")
WARM = 3
"""From this many drawings on, they are one job: most of the time for one drawing goes into starting Python."""

InputFunction = Callable[[Any], list[str]]


class Workflow:
    """The catalogue under a Snakemake configuration: `scale` (default quick) and `runs` (default reference).

    Args:
        config: the Snakemake configuration.
        root: root of the repository.
        asked: called with the first input function: what Snakemake was asked for.
        say: called with what a user is to read before the work.

    Raises:
        UserError: an unknown configuration key or value.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        root: Path | str = ".",
        asked: Callable[[], Asked] = lambda: Asked(("all",)),
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        check_config(config)
        self.scale: str = config.get("scale", "quick")
        self.source: str = config.get("runs", "reference")
        self.catalogue = Catalogue(root)
        self.outputs = Outputs(self.catalogue, self.scale)
        self._read_asked, self._say = asked, say
        self._states: dict[Drawing, str] = {}
        self._begun = False

    def input(self, function: InputFunction) -> InputFunction:
        """The input function of a rule, before the first of which the plan begins.

        A UserError ends Snakemake, which would wrap any other exception in a traceback.
        """

        def found(wildcards: Any) -> list[str]:
            try:
                self.begin()
                return function(wildcards)
            except UserError as error:
                sys.exit(str(error))

        return found

    def begin(self) -> None:
        """Check what is asked for, write the files that Snakemake looks at, and say what will take long; once.

        Raises:
            UserError: an unknown target, or an invalid paper that the targets need; a broken paper that they do not
                need is only named.
        """
        if self._begun:
            return
        self._begun = True
        self._check_targets()
        self.write_states()
        warnings = [f"left out: {error}" for error in self.catalogue.broken.values()]
        for text in filter(None, [*warnings, self.announcement()]):
            self._say(text)

    @property
    def papers(self) -> list[str]:
        return list(self.catalogue.papers)

    @cached_property
    def everything(self) -> list[Drawing]:
        """All artifacts, drawn from the configured source."""
        return self._all_in(folder_of(self.source))

    def artifacts(self, kind: str) -> list[str]:
        """`paper/artifact` of every table or figure."""
        return [drawn.name for drawn in self.everything if drawn.kind == kind]

    def targets(self, paper: str) -> list[str]:
        """What the drawings of a paper wait for."""
        return self._files([drawn for drawn in self.everything if drawn.paper == paper])

    def all_targets(self) -> list[str]:
        """What every drawing waits for, and the page that compares them."""
        return [f"figures/{folder_of(self.source)}{PAGE}", *self._files(self.everything)]

    def page_inputs(self, folder: str) -> list[str]:
        """What the comparison page in a folder waits for: the sidecars of all drawings."""
        return self._files(self._all_in(folder), lambda drawn: [f"{drawn.stem}.json"])

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
        for drawn in self._requested:
            self._state_file(drawn)
        for folder in ("", OWN):  # left behind by a call that was killed
            (self.catalogue.root / drawn_together(folder)).unlink(missing_ok=True)
        self._own_runs.write_states()

    def outdated(self, folder: str) -> list[Drawing]:
        """Drawings in a folder that one job draws together; none if so few are out of date that each is a job.

        Left out are those that are targets by their own files, and those whose own runs have yet to be made.
        """
        return [drawn for drawn in self._together if folder_of(drawn.source) == folder]

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
        if path not in self.outputs.cells:
            raise UserError(f"{path}: no such cell; see python -m papers list {paper}/{experiment}")
        return self.outputs.cells[path]

    @cached_property
    def _asked(self) -> Asked:
        return self._read_asked()

    @cached_property
    def _own_runs(self) -> OwnRuns:
        cells = self.outputs.cells
        targets = [cells[target] for target in self._asked.targets if target in cells]
        drawn = [cell for drawing in self._requested for cell in self._own_cells(drawing)]
        return OwnRuns(self.catalogue.root, [*targets, *drawn])

    @cached_property
    def _alone(self) -> list[Drawing]:
        """The drawings that are targets by a file of theirs."""
        return [self.outputs.drawn[target] for target in self._asked.targets if target in self.outputs.drawn]

    @cached_property
    def _requested(self) -> list[Drawing]:
        """The drawings behind the targets, each once."""
        found = dict.fromkeys(self._alone)
        for target in self._asked.targets:
            if target == "all":
                found |= dict.fromkeys(self.everything)
            elif target in self.catalogue.papers:
                found |= dict.fromkeys(drawn for drawn in self.everything if drawn.paper == target)
            elif target in PAGES:
                found |= dict.fromkeys(self._all_in(OWN if target == PAGES[1] else ""))
        return list(found)

    @cached_property
    def _together(self) -> dict[Drawing, None]:
        """Of all folders, see `outdated`."""
        waiting = [drawn for drawn in self._requested if drawn not in self._alone and self._can_be_drawn(drawn)]
        if not self._asked.anew:
            waiting = [drawn for drawn in waiting if recorded_state(self.catalogue.root, drawn) != self._state(drawn)]
        return dict.fromkeys(waiting if len(waiting) >= WARM else [])

    def _files(
        self, drawings: Sequence[Drawing], files: Callable[[Drawing], list[str]] = lambda drawn: drawn.files
    ) -> list[str]:
        """The files of those drawings that are jobs of their own, and one that stands for those drawn together."""
        together = {drawn_together(folder_of(drawn.source)) for drawn in drawings if drawn in self._together}
        return [*together, *(file for drawn in drawings if drawn not in self._together for file in files(drawn))]

    def _all_in(self, folder: str) -> list[Drawing]:
        return [self.outputs.drawing(name, folder) for name in self.catalogue.artifacts]

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

    def _check_targets(self) -> None:
        """Raise the error of the first target that cannot be made; one of everything is about all papers."""
        for name, error in self.catalogue.broken.items():
            if any(target == "all" or name in Path(target).parts for target in self._asked.targets):
                raise error
        for target in self._asked.targets:
            if target.startswith(("figures/", "results/run/")):
                self.outputs.check(target)
                self.outputs.check_source(target, self.source)
