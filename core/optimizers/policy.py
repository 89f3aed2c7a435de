"""What to evaluate next: the part of an optimizer that differs from method to method, batched over runs.

A policy maps the observations of all runs to the next point of each. It holds no observations and no state of its own,
so that the same policy serves runs in lockstep, ask and tell, and parallel evaluation with points pending. Its memory
from one suggestion to the next, such as chains that continue, is an argument and a result: one value for each run, a
mapping from names to tensors and plain values, empty at first. That of several runs is a tuple of such mappings, so
that runs are taken out of a batch and put together again as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from core.models.ensemble import EnsembleModel
from core.optimizers.fidelities import FidelityEncoding
from core.spaces import CubeEncoding

SEEDS = 2**63 - 1
DOUBT = "doubt"
RunMemory = Mapping[str, Any]
Memory = tuple[RunMemory, ...]


class Suggestion(NamedTuple):
    """The next point of each run, (runs, d), and notes about it: plain values by name.

    The note "recommended" is the number of an evaluation, in the order of the data, whose configuration the policy
    would recommend on the full fidelity. The note `DOUBT` says why a suggestion has little value; the user is warned of
    it once.
    """

    points: Tensor
    notes: tuple[Mapping[str, Any], ...] = ()


class Fittable(Protocol):
    """A model before its fit."""

    def fit(self, X: Tensor, y: Tensor, generators: Sequence[torch.Generator]) -> EnsembleModel:
        """The model fitted to points X (runs, N, d) and losses y (runs, N)."""
        ...


@runtime_checkable
class Continuable(Protocol):
    """A model whose chains may continue those of an earlier fit."""

    def fit(
        self, X: Tensor, y: Tensor, generators: Sequence[torch.Generator], initial: Mapping[str, Tensor] | None
    ) -> EnsembleModel:
        """The fitted model; `initial` is the `chain_state` of the earlier fit, None for new chains."""
        ...

    def chain_state(self) -> dict[str, Tensor]:
        """The ends of the chains, (runs, ...) each."""
        ...


class Policy(Protocol):
    """A rule for the next evaluation. A ModelError costs a uniform point; any other error stops the search."""

    @property
    def encoding(self) -> CubeEncoding | FidelityEncoding:
        """The encoding of the points that it proposes."""
        ...

    def propose(
        self, memory: Memory, X: Tensor, y: Tensor, pending: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Memory, Suggestion]:
        """The next point of each run.

        Args:
            memory: Memory returned with the last suggestion of these runs, which are `alike`; at first `no_memory`.
            X: Evaluated points of the unit cube, (runs, N, d), N at least 1.
            y: Losses of these points, (runs, N), or losses and costs, (runs, N, 2), if the encoding is priced.
            pending: Points under evaluation, (runs, J, d); J may be 0.
            generators: Generators, one per run.

        Returns:
            The memory for the next suggestion, and points (runs, d) of allowed configurations.

        Raises:
            ModelError: a model that fails in any run.
        """
        ...

    def of_runs(self, rows: Sequence[int]) -> Self:
        """The policy for some of the runs, if it holds what belongs to each, such as earlier tasks; else itself."""
        ...


@runtime_checkable
class Recommending(Policy, Protocol):
    """A policy that recommends a configuration other than the one with the smallest loss."""

    def recommend(self, memory: Memory, X: Tensor, y: Tensor, generators: Sequence[torch.Generator]) -> Suggestion:
        """The recommendation of each run on the full fidelity, arguments as for `propose`."""
        ...


@dataclass(frozen=True)
class Uniform:
    """Random search: uniform over the allowed part of the cube."""

    encoding: CubeEncoding

    def propose(
        self, memory: Memory, X: Tensor, y: Tensor, pending: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Memory, Suggestion]:
        """A uniform point for each run, whatever was evaluated."""
        return memory, Suggestion(uniform_points(self.encoding, 1, generators).squeeze(1))

    def of_runs(self, rows: Sequence[int]) -> Uniform:
        """Itself."""
        return self


def uniform_points(encoding: CubeEncoding | FidelityEncoding, n: int, generators: Sequence[torch.Generator]) -> Tensor:
    """n uniform points (runs, n, d) of allowed configurations, each run's from its own generator."""
    seeds = [int(torch.randint(SEEDS, (1,), generator=g, device=g.device)) for g in generators]
    points = np.stack([encoding.sample(n, np.random.default_rng(seed)) for seed in seeds])
    return torch.as_tensor(points).to(generators[0].device)


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
