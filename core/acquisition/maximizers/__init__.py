"""Searches for the best point of an acquisition function, one file each, batched over runs: see `base`."""

from core.acquisition.maximizers.base import Maximizer, NoCandidateError
from core.acquisition.maximizers.evolution import EvolutionarySearch
from core.acquisition.maximizers.gradient import GradientAscent
from core.acquisition.maximizers.grid import GridSearch, regular_grid
from core.acquisition.maximizers.local_search import RandomLocalSearch
from core.acquisition.maximizers.multiscale import MultiscaleSearch
from core.acquisition.maximizers.one_step import OneStepSearch

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
