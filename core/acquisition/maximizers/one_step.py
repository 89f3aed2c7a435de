"""Local search on a finite space, as in the appendix on the tabular benchmarks (thesis D.3).

From a random configuration: value the neighbourhood of one step and jump to its best configuration, until none is
better or, for LC-Net, ten steps are made (B.4). A neighbour differs in one hyperparameter: an ordinal one has the next
lower or the next higher value, a categorical one any other. For continuous spaces see `local_search`.
"""

import itertools
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Self

import torch
from torch import Tensor

from core.acquisition.base import Acquisition
from core.acquisition.maximizers.base import Maximizer, Project, choose, nan_lowest, search_generators, take, value
from core.foundation.errors import UserError
from core.foundation.randomness import uniform_
from core.foundation.validation import check_counts
from core.spaces import CubeEncoding

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
