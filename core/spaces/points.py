"""Points of the unit cube: those of Sobol's sequence by their numbers, so that collections (thesis 8.3.1) need not
store configurations, and one step of differential evolution, best/1/bin (Storn and Price, 1997), batched over runs.

For each member x_i of a population, two others x_a and x_b are drawn; with one mutation factor F per step,

    mutant = x_best + F (x_a - x_b)
    trial_j = mutant_j with probability `crossover`, and for one j in any case, else x_ij

A coordinate of the mutant outside the unit cube is drawn again. Populations are tensors X (runs, size, d), size at
least 3; each run has its own generator.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.foundation.randomness import permutations, uniform_
from core.foundation.validation import require_count


def latin_hypercube(size: int, dimension: int, generators: Sequence[torch.Generator]) -> Tensor:
    """A Latin hypercube of `size` points for each run, (runs, size, d) float64, on the generators' device."""
    runs, device = len(generators), generators[0].device
    strata = permutations(size, runs * dimension, generators).view(runs, dimension, size).transpose(1, 2)
    noise = torch.empty(runs, size, dimension, dtype=torch.float64, device=device)
    return (strata + uniform_(noise, generators)) / size


def trials(
    X: Tensor, best: Tensor, mutation: tuple[float, float], crossover: float, generators: Sequence[torch.Generator]
) -> Tensor:
    """One trial for each member of X (runs, size, d): (runs, size, d).

    Args:
        best: Index of the best member, (runs,).
        mutation: Bounds between which F is drawn, once per run.
        crossover: Probability that a coordinate comes from the mutant.
    """
    runs, size, dimension = X.shape
    uniforms = uniform_(X.new_empty(runs, 1 + 3 * size + 2 * size * dimension), generators)
    dither, pair, forced, cross, redrawn = uniforms.split([1, 2 * size, size, size * dimension, size * dimension], 1)
    low, high = mutation
    first, second = _two_others(pair.view(runs, size, 2))
    differences = _members(X, first) - _members(X, second)
    mutant = (
        X[torch.arange(runs, device=X.device), best].unsqueeze(1)
        + (low + (high - low) * dither.unsqueeze(-1)) * differences
    )
    mutant = torch.where((mutant < 0) | (mutant > 1), redrawn.view_as(X), mutant)
    crossed = cross.view_as(X) < crossover
    crossed.scatter_(2, (forced * dimension).long().unsqueeze(-1), True)
    return torch.where(crossed, mutant, X)


def _two_others(uniforms: Tensor) -> tuple[Tensor, Tensor]:
    """Two distinct members besides i for each i: indices (runs, size) each, from uniforms (runs, size, 2)."""
    size = uniforms.shape[1]
    first, second = (uniforms * uniforms.new_tensor([size - 1, size - 2])).long().unbind(-1)
    second += second >= first
    itself = torch.arange(size, device=uniforms.device)
    return (itself + 1 + first) % size, (itself + 1 + second) % size


def _members(X: Tensor, places: Tensor) -> Tensor:
    return X.gather(1, places.unsqueeze(-1).expand_as(X))


def sobol_points(dimension: int, first: int, count: int) -> NDArray[np.float64]:
    """Points first, first + 1, ... of the unscrambled sequence, whose point 0 is the origin: (count, dimension).

    Raises:
        UserError: a number that is not a whole one, or negative.
    """
    from scipy.stats import qmc  # takes as long to import as everything else here together

    first = require_count("first", first, least=0)
    sequence = qmc.Sobol(require_count("dimension", dimension), scramble=False)
    if first:  # SciPy refuses to skip zero points
        sequence.fast_forward(first)
    with warnings.catch_warnings():  # which are about means over a number of points other than a power of two
        warnings.simplefilter("ignore", UserWarning)
        points: NDArray[np.float64] = sequence.random(require_count("count", count))
        return points
