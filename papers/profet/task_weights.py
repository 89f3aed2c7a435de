"""Whether searches ran on the same generated tasks: those of meta-models with the same weights.

A meta-model that is fitted again elsewhere has other weights, since its chains part after the first rounding error, and
so has other tasks, on which another method is the best. Comparisons between searches are of methods on the same tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.experiment.cells import Cell
from core.experiment.needs import PREFERENCE, find_file, has_digest
from core.experiment.storage import read_provenance, read_records
from core.foundation.errors import UserError


def require_same_weights(cells: Sequence[Cell], ours: str, root: Path) -> None:
    """Check that finished searches ran on tasks of the weights with the digest `ours`.

    Raises:
        UserError: one of them did not, or nothing says on which it ran.
    """
    for cell in cells:
        theirs = _weights_of(cell, root)
        if theirs != ours:
            raise UserError(
                f"{cell.name}: ran on tasks of a meta-model with the weights {theirs or 'of a file that is gone'}; "
                f"those here are {ours}, whose tasks are others; run the searches on these with: python -m papers run "
                f"'{cell.paper}/{cell.experiment}/{cell.benchmark}/*' --scale {cell.scale}"
            )


def _weights_of(cell: Cell, root: Path) -> str | None:
    """The digest of the weights in the records that a finished search read; None if they are not there any more."""
    read = read_provenance(find_file(cell, root)).get("read", {})
    for needed in (needed for needed in cell.needs if needed.name in read):
        for path in (needed.path(root, source) for source in PREFERENCE):
            if path.exists() and has_digest(path, read[needed.name]["digest"]):
                return read_records(path)[0]["weights"].iloc[0]
    return None
