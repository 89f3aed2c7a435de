"""`python -m papers promote`: turn your own runs into shipped ones."""

from __future__ import annotations

import argparse

from rich.console import Console

from core.experiment.catalogue import Catalogue
from core.experiment.selection import find_cells


def promote(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Copy finished cells into results/reference; all are checked before the first is copied."""
    from core.experiment.promote import check, promote

    cells = find_cells(catalogue, options.name, options.scale)
    for cell in cells:
        check(cell, catalogue.root, cells)
    for cell in cells:
        console.print(f"promoted {promote(cell, catalogue.root, cells).relative_to(catalogue.root)}")
    return 0
