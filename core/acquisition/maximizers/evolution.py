"""Differential evolution, best/1/bin with dithering (Storn and Price, 1997), batched over runs.

The thesis maximizes acquisition functions this way (chapter 3's experiments, appendix A). Constants are SciPy's
defaults: a population of 15 points per dimension from a Latin hypercube, crossover 0.7, and a mutation factor drawn for
each generation from [0.5, 1]; the step is that of `core.spaces.points`. A trial that is not worse replaces its
member, all members at once. A run whose values have a standard deviation of `tolerance` times that of its first
population has converged, and no longer changes. (SciPy compares it with their mean, which depends on the origin of the
targets.)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.acquisition.base import Acquisition
from core.acquisition.maximizers.base import (
    Maximizer,
    Project,
    choose,
    nan_lowest,
    search_generators,
    take,
    value,
)
from core.acquisition.maximizers.gradient import ascend
from core.foundation.errors import UserError
from core.foundation.validation import check_counts, check_positive
from core.spaces.points import latin_hypercube, trials

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
