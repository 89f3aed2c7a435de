"""Searches without gradients.

Differential evolution, best/1/bin with dithering (Storn and Price, 1997), batched over runs.

The thesis maximizes acquisition functions this way (chapter 3's experiments, appendix A). Constants are SciPy's
defaults: a population of 15 points per dimension from a Latin hypercube, crossover 0.7, and a mutation factor drawn for
each generation from [0.5, 1]; the step is that of `core.spaces.points`. A trial that is not worse replaces its
member, all members at once. A run whose values have a standard deviation of `tolerance` times that of its first
population has converged, and no longer changes. (SciPy compares it with their mean, which depends on the origin of the
targets.)

Local search on a finite space, as in the appendix on the tabular benchmarks (thesis D.3).

From a random configuration: value the neighbourhood of one step and jump to its best configuration, until none is
better or, for LC-Net, ten steps are made (B.4). A neighbour differs in one hyperparameter: an ordinal one has the next
lower or the next higher value, a categorical one any other. For continuous spaces see below.

Random search followed by local search, as the papers describe them.

Random search: 70% of the candidates are uniform and the others Gaussian with a fixed deviation around the best points
known (thesis, the appendix that describes BO-GP and BOHAMIANN: 500 candidates). Local search: from each of the best
candidates, value the neighbourhood of one step and jump to the best neighbour, until none is better or a number of
steps is reached (thesis, the appendices of LC-Net and the tabular benchmarks). A neighbour differs in one coordinate,
by a Gaussian step; if no neighbour is better, the next step is half as long, and a search converges at
`smallest_step`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Self

import torch
from torch import Tensor

from core.acquisition.base import Acquisition
from core.acquisition.maximizers.base import (
    Maximizer,
    Project,
    RefinedCandidates,
    choose,
    nan_lowest,
    search_generators,
    take,
    value,
)
from core.acquisition.maximizers.gradient import ascend
from core.foundation.errors import UserError
from core.foundation.randomness import normal_, uniform_
from core.foundation.validation import check_counts, check_positive, require_count
from core.spaces import CubeEncoding
from core.spaces.points import latin_hypercube, trials


@dataclass(frozen=True, kw_only=True)
class RandomLocalSearch(RefinedCandidates):
    """Random candidates, the best of which are improved by local search; with `steps` 0 it is random search alone.

    Attributes:
        candidates: Number of points valued by random search.
        uniform_share: Share of uniform candidates, if there are incumbents.
        deviation: Standard deviation of the Gaussian candidates around an incumbent, in each coordinate.
        starts: Number of candidates from which local search starts.
        steps: Maximum number of steps of local search.
        neighbours: Number of neighbours per point, in each step and each dimension.
        step: Initial standard deviation of a neighbour in its coordinate.
        smallest_step: Step below which a search has converged.
        project: See `core.acquisition.maximizers.base`.
    """

    candidates: int = 500
    uniform_share: float = 0.7
    deviation: float = 0.1
    starts: int = 5
    steps: int = 30
    neighbours: int = 2
    step: float = 0.2
    smallest_step: float = 1e-4
    project: Project | None = None

    def __post_init__(self) -> None:
        name = type(self).__name__
        check_counts(name, candidates=self.candidates, starts=self.starts, neighbours=self.neighbours)
        check_positive(name, deviation=self.deviation, step=self.step, smallest_step=self.smallest_step)
        require_count(f"{name}.steps", self.steps, least=0)
        if not 0 <= self.uniform_share <= 1:
            raise UserError(f"{name}.uniform_share: must be in [0, 1], got {self.uniform_share!r}")

    def _candidates(self, incumbents: Tensor, generators: Sequence[torch.Generator]) -> Tensor:
        """Random search's points, (runs, candidates, d)."""
        runs, known, dimension = incumbents.shape
        X = uniform_(incumbents.new_empty(runs, self.candidates, dimension), generators)
        if known:
            around = self.candidates - round(self.uniform_share * self.candidates)
            steps = normal_(incumbents.new_empty(runs, around, dimension), generators) * self.deviation
            centres = torch.arange(around, device=X.device) % known
            X[:, self.candidates - around :] = (incumbents[:, centres] + steps).clamp_(0, 1)
        return X if self.project is None else self.project(X)

    def _refine(
        self, acquisition: Acquisition, X: Tensor, values: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Tensor, Tensor]:
        """Local search from X (runs, starts, d) with values (runs, starts)."""
        runs, starts, dimension = X.shape
        around = dimension * self.neighbours
        axes = torch.eye(dimension, dtype=X.dtype, device=X.device).repeat(self.neighbours, 1)
        step = torch.full_like(values, self.step)
        for _ in range(self.steps):
            active = step >= self.smallest_step
            if not active.any():
                break
            lengths = normal_(X.new_empty(runs, starts, around), generators) * step.unsqueeze(-1)
            moved = (X.unsqueeze(2) + lengths.unsqueeze(-1) * axes).clamp_(0, 1)
            moved = moved if self.project is None else self.project(moved)
            around_values = value(acquisition, moved.flatten(1, 2)).view(runs, starts, around)
            best, place = nan_lowest(around_values).max(-1, keepdim=True)
            better = active & (best.squeeze(-1) > nan_lowest(values))
            chosen = moved.gather(2, place.unsqueeze(-1).expand(-1, -1, 1, dimension)).squeeze(2)
            X = torch.where(better.unsqueeze(-1), chosen, X)
            values = torch.where(better, around_values.gather(2, place).squeeze(2), values)
            step = torch.where(better, step, step / 2)
        return X, values


DRAWS = 32  # random configurations per start; the first with a value is taken, since constraints may exclude most


@dataclass(frozen=True)
class OneStepSearch(Maximizer):
    """Climbs from `starts` random configurations to local optima and takes the best of them.

    Attributes:
        sizes: Number of values of each coordinate; a value is at the middle of its cell, (level + 1/2) / size.
        categorical: Coordinates whose values have no order.
        starts: Number of configurations to start from.
        steps: Maximum number of steps; None for no limit.
        project: See `core.acquisition.maximizers.base`; moves only coordinates that a condition makes inactive.
    """

    sizes: tuple[int, ...]
    categorical: frozenset[int] = frozenset()
    _: KW_ONLY
    starts: int = 1
    steps: int | None = None
    project: Project | None = None

    def __post_init__(self) -> None:
        limits = {} if self.steps is None else {"steps": self.steps}
        check_counts(type(self).__name__, starts=self.starts, **limits)

    @classmethod
    def of(cls, encoding: CubeEncoding, starts: int = 1, steps: int | None = None) -> Self:
        """The search of a space.

        Raises:
            UserError: a space with a continuous hyperparameter.
        """
        sizes = []
        for place, column in enumerate(encoding.columns):
            levels = encoding.levels.get(place)
            if levels is None:
                raise UserError(f"local search of one step: {column.name!r} is continuous; allowed: finite spaces")
            sizes.append(levels)
        return cls(tuple(sizes), frozenset(encoding.cardinalities), starts=starts, steps=steps)

    @torch.no_grad()
    def _search(
        self, acquisition: Acquisition, incumbents: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Tensor, Tensor]:
        """Climb from each start and choose among the ends; the incumbents are not used."""
        if len(self.sizes) != incumbents.shape[-1]:
            raise UserError(f"OneStepSearch.sizes: has {len(self.sizes)}, expected {incumbents.shape[-1]}")
        generators, choice = search_generators(generators), search_generators(generators)
        X = self._middles(
            uniform_(incumbents.new_empty(len(generators), DRAWS * self.starts, len(self.sizes)), generators)
        )
        values = value(acquisition, X)
        first = values.isnan().long().argsort(dim=1, stable=True)[:, : self.starts]
        X, values = take(X, first), values.gather(1, first)
        climbing = torch.full_like(values, True, dtype=torch.bool)
        made = itertools.count()
        while climbing.any() and (self.steps is None or next(made) < self.steps):
            around = self._neighbours(X)
            around_values = value(acquisition, around.flatten(1, 2)).view(around.shape[:-1])
            heights = nan_lowest(around_values)
            highest = heights.amax(-1, keepdim=True)
            draws = uniform_(torch.empty_like(heights), generators)
            place = torch.where(heights == highest, draws, -1).argmax(-1, keepdim=True)
            best = around.gather(2, place.unsqueeze(-1).expand(-1, -1, 1, X.shape[-1])).squeeze(2)
            climbing = highest.squeeze(-1) > nan_lowest(values)
            X = torch.where(climbing.unsqueeze(-1), best, X)
            values = torch.where(climbing, around_values.gather(2, place).squeeze(2), values)
        return choose(X, values, choice)

    def _neighbours(self, X: Tensor) -> Tensor:
        """(runs, starts, d) to (runs, starts, moves, d). An ordinal coordinate at its end stays there."""
        columns, steps = zip(*self._moves(), strict=True)
        sizes = X.new_tensor(self.sizes)
        change = torch.zeros(len(columns), len(self.sizes), dtype=X.dtype, device=X.device)
        change[range(len(columns)), columns] = X.new_tensor(steps)
        moved = X.unsqueeze(2) + change / sizes
        wraps = torch.tensor([place in self.categorical for place in range(len(self.sizes))], device=X.device)
        low, high = 0.5 / sizes, 1 - 0.5 / sizes
        return self._middles(torch.where(wraps, moved % 1, moved.clamp(low, high)))

    def _moves(self) -> list[tuple[int, int]]:
        """Coordinates and by how many values they move; categorical ones wrap around."""
        moves = []
        for place, size in enumerate(self.sizes):
            moves += [(place, step) for step in (range(1, size) if place in self.categorical else (-1, 1))]
        return moves

    def _middles(self, X: Tensor) -> Tensor:
        """The configurations that points represent, at the middles of their cells."""
        sizes = X.new_tensor(self.sizes)
        X = ((X * sizes).floor().clamp_(min=0).minimum(sizes - 1) + 0.5) / sizes
        return X if self.project is None else self.project(X)


POLISH_ITERATIONS = 100


@dataclass(frozen=True, kw_only=True)
class EvolutionarySearch(Maximizer):
    """Differential evolution of one population per run.

    Attributes:
        population_per_dimension: Size of the population divided by d; the population has at least 5 members.
        iterations: Maximum number of generations.
        crossover: Probability that a coordinate comes from the mutant.
        mutation: Bounds of the mutation factor.
        tolerance: Relative standard deviation of the values at which a run has converged.
        polish: Whether to end with an ascent by L-BFGS-B from each run's best member, as SciPy does; not for functions
            without a gradient.
        project: See `core.acquisition.maximizers.base`; members stay unprojected, their values are the projections'.
    """

    population_per_dimension: int = 15
    iterations: int = 200
    crossover: float = 0.7
    mutation: tuple[float, float] = (0.5, 1.0)
    tolerance: float = 1e-4
    polish: bool = False
    project: Project | None = None

    def __post_init__(self) -> None:
        name = type(self).__name__
        check_counts(name, population_per_dimension=self.population_per_dimension, iterations=self.iterations)
        check_positive(name, tolerance=self.tolerance)
        if not 0 <= self.crossover <= 1:
            raise UserError(f"{name}.crossover: must be in [0, 1], got {self.crossover!r}")
        if not 0 < self.mutation[0] <= self.mutation[1] <= 2:
            raise UserError(f"{name}.mutation: must be two ascending numbers in (0, 2], got {self.mutation!r}")

    @torch.no_grad()
    def _search(
        self, acquisition: Acquisition, incumbents: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Tensor, Tensor]:
        """Evolve the population of each run; the incumbents are its first members."""
        generators, choice = search_generators(generators), search_generators(generators)
        dimension = incumbents.shape[-1]
        size = max(5, self.population_per_dimension * dimension)
        X = latin_hypercube(size, dimension, generators)
        X[:, : incumbents.shape[1]] = incumbents[:, :size]
        values = self._value(acquisition, X)
        converged_spread = self.tolerance * values.std(1)
        for _ in range(self.iterations):
            evolving = ~(values.std(1) <= converged_spread)  # a comparison with nan is false
            if not evolving.any():
                break
            trial = trials(X, nan_lowest(values).argmax(1), self.mutation, self.crossover, generators)
            trial_values = self._value(acquisition, trial)
            accepted = (trial_values >= values) | (values.isnan() & ~trial_values.isnan())
            accepted &= evolving.unsqueeze(1)
            X = torch.where(accepted.unsqueeze(-1), trial, X)
            values = torch.where(accepted, trial_values, values)
        X = X if self.project is None else self.project(X)
        if self.polish:
            best = take(X, nan_lowest(values).argmax(1, keepdim=True))
            end = ascend(acquisition, best, values, POLISH_ITERATIONS)
            end = end if self.project is None else self.project(end)
            X, values = torch.cat([X, end], 1), torch.cat([values, value(acquisition, end)], 1)
        return choose(X, values, choice)

    def _value(self, acquisition: Acquisition, X: Tensor) -> Tensor:
        return value(acquisition, X if self.project is None else self.project(X))
