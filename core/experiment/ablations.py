"""Ablations that were run: cells with settings changed by hand (`--set`), each in a folder named after the change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pydantic import ValidationError

from core.experiment.catalogue import Catalogue
from core.experiment.cells import Cell
from core.experiment.layers import value_of
from core.foundation.errors import UserError

FOLDER = "ablation"


def find_ablations(catalogue: Catalogue, cells: Iterable[Cell], scale: str) -> list[Cell]:
    """The ablations of these cells that have a file, folder by folder, with today's settings and the change.

    Args:
        scale: The scale that was requested when the cells were made.

    Raises:
        ResultFileError: a file cannot be read.
    """
    below = catalogue.root / "results" / FOLDER
    folders = sorted(path for path in below.iterdir() if path.is_dir()) if below.is_dir() else []
    cells = [cell for cell in cells if not cell.overrides]
    return [
        _ablation(catalogue, cell, folder.name, scale)
        for folder in folders
        for cell in cells
        if (folder / cell.scale / f"{cell.name}.parquet").exists()
    ]


def _ablation(catalogue: Catalogue, cell: Cell, folder: str, scale: str) -> Cell:
    from core.experiment.storage import read_provenance  # imports Arrow, which most commands do without

    provenance = read_provenance(catalogue.root / "results" / FOLDER / folder / cell.scale / f"{cell.name}.parquet")
    overrides = tuple(provenance["overrides"])
    keys = [text.partition("=")[0] for text in overrides]
    settings = type(cell.settings)
    try:
        recorded = settings.of_record(provenance["settings"])
        today = catalogue.cell(cell, scale, overrides={key: value_of(recorded, key) for key in keys})
    except (
        UserError,
        ValidationError,
        KeyError,
    ):  # a setting that no longer exists: its hash will say "other settings"
        today = cell
    return replace(today, overrides=overrides)
