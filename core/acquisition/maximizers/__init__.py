"""Searches for the best point of an acquisition function, one file each, batched over runs: see `base`."""

from core.acquisition.maximizers.base import GridSearch, Maximizer, NoCandidateError, regular_grid
from core.acquisition.maximizers.gradient import GradientAscent, MultiscaleSearch
from core.acquisition.maximizers.local import EvolutionarySearch, OneStepSearch, RandomLocalSearch

__all__ = [
    "EvolutionarySearch",
    "GradientAscent",
    "GridSearch",
    "Maximizer",
    "MultiscaleSearch",
    "NoCandidateError",
    "OneStepSearch",
    "RandomLocalSearch",
    "regular_grid",
]
