"""Imported by the server of workers alone: what they need is imported and compiled before they are forked."""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch

from tests.faults.workers import SEARCHES, cell_of, search

torch.set_num_threads(1)  # a process with threads cannot be forked
papers, cell = cell_of()
papers.function(cell)
with tempfile.TemporaryDirectory() as folder:
    for kind in SEARCHES:
        search(kind, Path(folder) / kind, Path(folder) / "log", evaluations=6)
