"""The memory of policies from one suggestion to the next, such as chains that continue: one value for each run.

The memory of a run is a mapping from names to tensors and plain values, empty at first. Those of several runs are a
tuple of such mappings, so that runs are taken out of a batch and put together again as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

RunMemory = Mapping[str, Any]
Memory = tuple[RunMemory, ...]


def no_memory(runs: int) -> Memory:
    """The memory of runs before their first suggestion."""
    return tuple({} for _ in range(runs))


def together(memory: Sequence[RunMemory]) -> dict[str, Any]:
    """One mapping of runs whose memories are `alike`: tensors stacked, (runs, ...), plain values as they are."""
    return {
        name: torch.stack([each[name] for each in memory]) if isinstance(value, Tensor) else value
        for name, value in memory[0].items()
    }


def apart(tensors: Mapping[str, Tensor], runs: int, **plain: Any) -> Memory:
    """The inverse of `together`, from tensors (runs, ...) and plain values that hold for all runs."""
    return tuple({**plain, **{name: values[run] for name, values in tensors.items()}} for run in range(runs))


def alike(memory: Sequence[RunMemory]) -> list[list[int]]:
    """The runs in groups that can be one batch: with the same names, shapes and plain values."""
    groups: dict[Any, list[int]] = {}
    for run, each in enumerate(memory):
        kind = {name: tuple(value.shape) if isinstance(value, Tensor) else value for name, value in each.items()}
        groups.setdefault(tuple(sorted(kind.items())), []).append(run)
    return list(groups.values())
