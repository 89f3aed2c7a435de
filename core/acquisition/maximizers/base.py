"""The interface of maximizers of acquisition functions.

A maximizer searches the unit cube for the point of the highest value, for all runs at once: X (runs, n, d) holds n
candidates of each run, and one call of the acquisition function values them all, (runs, n). Three rules hold for every
maximizer:

* a value that is nan is never chosen, not even where all others are minus infinity; if a run has no other,
  `NoCandidateError` names it;
* ties are broken by the run's generator, so that a flat acquisition function means random search;
* a run's suggestion depends only on its own generator and acquisition values, not on how long other runs search: the
  random numbers of a search and of the final choice come from generators seeded by the run's own.

`project` maps points of the cube, (..., d), to the nearest ones that exist (ordinal and categorical columns).
Candidates are projected before they are valued, and suggestions are projected points.

Search of a grid of candidates: all of them are valued and the best is taken, as in the benchmarks "on grid".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor

from core.acquisition.base import Acquisition
from core.foundation.errors import ModelError, UserError
from core.foundation.randomness import make_generators, uniform_
from core.foundation.validation import check_counts

Project = Callable[[Tensor], Tensor]


class Maximizer(ABC):
    """A search for the best point of the unit cube; its settings are the fields of a frozen dataclass."""

    def __call__(
        self,
        acquisition: Acquisition,
        dimension: int,
        generators: Sequence[torch.Generator],
        incumbents: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Search in every run.

        Args:
            acquisition: Function to maximize.
            dimension: Dimension d of the cube.
            generators: Generators, one per run; their number is the number of runs.
            incumbents: Best points known so far, (runs, k, d), for searches that look around them.

        Returns:
            Points (runs, d) and their values (runs,).

        Raises:
            NoCandidateError: runs whose every candidate has the value nan.
            UserError: shapes that do not fit together.
        """
        return self._search(acquisition, check_incumbents(incumbents, dimension, generators), generators)

    @abstractmethod
    def _search(
        self, acquisition: Acquisition, incumbents: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Tensor, Tensor]:
        """Search as `__call__` does, with checked incumbents (runs, k, d); k is 0 if there are none."""


class RefinedCandidates(Maximizer):
    """Values candidates, refines the best of them, and chooses; a subclass makes candidates and refines.

    Attributes:
        starts: Number of candidates that are refined.
    """

    starts: int

    @torch.no_grad()
    def _search(
        self, acquisition: Acquisition, incumbents: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Tensor, Tensor]:
        """Search as described above."""
        generators, choice = search_generators(generators), search_generators(generators)
        X = self._candidates(incumbents, generators)
        values = value(acquisition, X)
        index = best_first(values, generators, self.starts)
        X, values = self._refine(acquisition, take(X, index), values.gather(1, index), generators)
        return choose(X, values, choice)

    @abstractmethod
    def _candidates(self, incumbents: Tensor, generators: Sequence[torch.Generator]) -> Tensor:
        """The first candidates, (runs, candidates, d)."""

    @abstractmethod
    def _refine(
        self, acquisition: Acquisition, X: Tensor, values: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Tensor, Tensor]:
        """Points and values that X (runs, starts, d) with values (runs, starts) lead to."""


class NoCandidateError(ModelError):
    """Every candidate of some runs has the value nan. The attribute `runs` lists these runs."""

    def __init__(self, runs: list[int], candidates: int) -> None:
        super().__init__(
            f"acquisition: all {candidates} candidates have the value nan in runs {runs}; "
            "the model's predictions there are not numbers"
        )
        self.runs = runs


def search_generators(generators: Sequence[torch.Generator]) -> list[torch.Generator]:
    """A generator for each run's search, seeded by a draw from the run's own, which is advanced by nothing else."""
    seeds = [int(torch.randint(2**63 - 1, (1,), generator=g, device=g.device)) for g in generators]
    return make_generators(seeds, generators[0].device)


def value(acquisition: Acquisition, X: Tensor) -> Tensor:
    """Values (runs, n) of candidates X (runs, n, d), float64.

    Raises:
        UserError: the acquisition function returns another shape.
    """
    values = acquisition(X)
    if values.shape != X.shape[:-1]:
        raise UserError(
            f"acquisition: {type(acquisition).__name__} returned {tuple(values.shape)} for {X.shape[1]} candidates of "
            f"{X.shape[0]} runs, expected {tuple(X.shape[:-1])}"
        )
    return values.to(X)


def nan_lowest(values: Tensor) -> Tensor:
    """Numbers in the order of values, with nan below minus infinity: -inf for nan, the lowest finite one for -inf."""
    return torch.where(values.isnan(), -torch.inf, values.clamp(min=torch.finfo(values.dtype).min))


def take(X: Tensor, index: Tensor) -> Tensor:
    """Candidates X (runs, n, d) at index (runs, k): (runs, k, d)."""
    return X.gather(1, index.unsqueeze(-1).expand(-1, -1, X.shape[-1]))


def best_first(values: Tensor, generators: Sequence[torch.Generator], keep: int) -> Tensor:
    """The indices of the `keep` highest values of each run, (runs, keep); ties in random order, nan last."""
    shuffled = uniform_(torch.empty_like(values), generators).argsort(1)
    order = nan_lowest(values.gather(1, shuffled)).argsort(dim=1, descending=True, stable=True)
    return shuffled.gather(1, order[:, :keep])


def choose(X: Tensor, values: Tensor, generators: Sequence[torch.Generator]) -> tuple[Tensor, Tensor]:
    """The best candidate of each run: X (runs, n, d), values (runs, n) to (runs, d) and (runs,).

    Raises:
        NoCandidateError: runs that have none.
    """
    lost = values.isnan().all(1)
    if lost.any():
        raise NoCandidateError(lost.nonzero().flatten().tolist(), values.shape[1])
    index = best_first(values, generators, 1)
    return take(X, index).squeeze(1), values.gather(1, index).squeeze(1)


def check_incumbents(incumbents: Tensor | None, dimension: int, generators: Sequence[torch.Generator]) -> Tensor:
    """Incumbents (runs, k, d) in float64 on the generators' device; k is 0 if there are none.

    Raises:
        UserError: another shape, no run, or points that are not in the unit cube.
    """
    runs = len(generators)
    if runs == 0 or dimension < 1:
        raise UserError(f"maximizer: {runs} generators and dimension {dimension}, expected at least one of each")
    if incumbents is None:
        return torch.empty(runs, 0, dimension, dtype=torch.float64, device=generators[0].device)
    if incumbents.ndim != 3 or incumbents.shape[0] != runs or incumbents.shape[2] != dimension:
        raise UserError(
            f"maximizer: incumbents have shape {tuple(incumbents.shape)}, expected ({runs}, k, {dimension})"
        )
    if not ((incumbents >= 0) & (incumbents <= 1)).all():
        raise UserError("maximizer: incumbents must lie in the unit cube, some do not")
    return incumbents.to(generators[0].device, torch.float64)


@dataclass(frozen=True)
class GridSearch(Maximizer):
    """Takes the best of given candidates: points (n, d), the same for every run, or (runs, n, d).

    Raises:
        UserError: points of another shape, or none.
    """

    points: Tensor

    def __post_init__(self) -> None:
        if self.points.ndim not in (2, 3) or 0 in self.points.shape:
            raise UserError(f"GridSearch.points: has shape {tuple(self.points.shape)}, expected (n, d) or (runs, n, d)")

    @torch.no_grad()
    def _search(
        self, acquisition: Acquisition, incumbents: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Tensor, Tensor]:
        """Value all points and choose; the incumbents are not used."""
        dimension = incumbents.shape[-1]
        points = self.points if self.points.ndim == 3 else self.points.expand(len(generators), -1, -1)
        if points.shape[0] != len(generators) or points.shape[2] != dimension:
            shape = tuple(self.points.shape)
            raise UserError(f"GridSearch.points: has shape {shape} for {len(generators)} runs of dimension {dimension}")
        X = points.to(generators[0].device, torch.float64)
        return choose(X, value(acquisition, X), search_generators(generators))


def regular_grid(dimension: int, points_per_axis: int) -> Tensor:
    """The regular grid of the unit cube, including its faces: (points_per_axis ** dimension, d) float64."""
    check_counts("regular_grid", dimension=dimension, points_per_axis=points_per_axis)
    axis = torch.linspace(0, 1, points_per_axis, dtype=torch.float64).tolist()
    return torch.tensor(list(product(axis, repeat=dimension)), dtype=torch.float64)
