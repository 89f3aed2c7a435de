"""Every file that a rule of the Snakefile makes, and an error of one line for targets that no rule makes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from core.experiment import LIST, SCALES
from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell
from core.experiment.drawings import EXTENSIONS, OWN, Drawing, drawing
from core.foundation.errors import UnknownNameError

RULES = ("all", "library", "table", "figure", "short_name", "comparison", "cell", "unknown")
"""The names of the Snakefile's rules, besides those of the papers, which have their names."""
PAGE = "comparison.html"
PAGES = (f"figures/{PAGE}", f"figures/{OWN}{PAGE}")
SHORT = ("pdf", "png", "csv", "md", "tex")
"""Extensions of files with short names: the sidecars have none."""
CELL = ("scale", "paper", "experiment", "benchmark", "method")
"""The parts of the path of a cell's file."""


class Outputs:
    """The files of all drawings at a scale, those of all cells, and the comparison pages."""

    def __init__(self, catalogue: Catalogue, scale: str) -> None:
        self._catalogue, self._scale = catalogue, scale

    def drawing(self, name: str, folder: str) -> Drawing:
        """The drawing of `paper/artifact` below figures/`folder`: empty for shipped runs, `own/` for your own."""
        return drawing(self._catalogue, name, self._scale, "run" if folder == OWN else "reference")

    @cached_property
    def cells(self) -> Mapping[str, Cell]:
        """The cells by their files below results/run, at all scales."""
        return {
            str(cell.path("")): cell
            for paper, spec in self._catalogue.papers.items()
            for experiment in spec.experiments
            for scale in SCALES
            for cell in self._catalogue.cells(paper, experiment, scale)
        }

    @cached_property
    def cell_endings(self) -> Mapping[tuple[str, ...], set[str]]:
        """The extensions of a cell's files, and the experiments whose cells have these."""
        endings: dict[tuple[str, ...], set[str]] = {}
        for cell in self.cells.values():
            endings.setdefault(tuple(filter(None, ["parquet", cell.attachment])), set()).add(cell.experiment)
        return endings

    def cell_names(self, part: str) -> set[str]:
        """Every paper, experiment, benchmark, method or scale that occurs in a cell."""
        return {getattr(cell, part) for cell in self.cells.values()}

    @cached_property
    def drawn(self) -> Mapping[str, Drawing]:
        """The drawings by their files, short names included."""
        files = {}
        for folder in ("", OWN):
            for name in self._catalogue.artifacts:
                drawn = self.drawing(name, folder)
                files |= dict.fromkeys(drawn.files, drawn)
                if self._catalogue.short_names.get(drawn.artifact) == drawn.paper:
                    ends = [end for end in EXTENSIONS[drawn.kind] if end in SHORT]
                    files |= dict.fromkeys([f"figures/{folder}{drawn.artifact}.{end}" for end in ends], drawn)
        return files

    def unknown(self) -> str:
        """A constraint that matches what looks like a target and is neither a rule nor the output of one."""
        drawn = []
        for kind, ends in EXTENSIONS.items():
            names = (name for name in self._catalogue.artifacts if self.drawing(name, "").kind == kind)
            drawn.append(rf"(?:{one_of(names)})\.(?:{one_of(ends)})")
        short = rf"(?:{one_of(self._catalogue.short_names)})\.(?:{one_of(SHORT)})"
        cell = "/".join(f"(?:{one_of(self.cell_names(part))})" for part in CELL)
        endings = one_of({ending for each in self.cell_endings for ending in each})
        figures = rf"figures/(?:{OWN})?(?:{'|'.join([*drawn, short, re.escape(PAGE)])})"
        return rf"(?!(?:{figures}|results/run/{cell}\.(?:{endings}))$)(?:figures/.+|results/run/.+|[\w-]+)"

    def check(self, target: str) -> None:
        """Raise a UserError if no rule makes a target that looks like a drawing, a cell's file or a name.

        If the target belongs to a paper that cannot be used, the error is that of the paper.
        """
        names = ["all", *self._catalogue.names]
        for name, error in self._catalogue.broken.items():
            if name in Path(target).parts:
                raise error
        if target in self.drawn or target in self.cells or target in PAGES or target in names:
            return
        if "/" not in target:
            raise UnknownNameError("target", target, names)
        self._check_short_name(target)
        raise UnknownNameError("file", target, sorted({*self.drawn, *self.cells, *PAGES}), f"{LIST} PAPER")

    def _check_short_name(self, target: str) -> None:
        """Raise a UserError if the target is an artifact's file under a name that several papers have."""
        name = target.removeprefix("figures/").removeprefix(OWN).rpartition(".")[0]
        if any(name in spec.artifacts for spec in self._catalogue.papers.values()):
            self._catalogue.artifact(name)


def one_of(names: Iterable[str]) -> str:
    """A wildcard constraint that matches only these names."""
    return "|".join(sorted(map(re.escape, names))) or "(?!)"
