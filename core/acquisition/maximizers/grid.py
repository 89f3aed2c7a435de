"""Search of a grid of candidates: all of them are valued and the best is taken, as in the benchmarks "on grid"."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor

from core.acquisition.base import Acquisition
from core.acquisition.maximizers.base import Maximizer, choose, search_generators, value
from core.foundation.errors import UserError
from core.foundation.validation import check_counts


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
