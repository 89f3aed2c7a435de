"""Random search followed by local search, as the papers describe them.

Random search: 70% of the candidates are uniform and the others Gaussian with a fixed deviation around the best points
known (thesis, the appendix that describes BO-GP and BOHAMIANN: 500 candidates). Local search: from each of the best
candidates, value the neighbourhood of one step and jump to the best neighbour, until none is better or a number of
steps is reached (thesis, the appendices of LC-Net and the tabular benchmarks). A neighbour differs in one coordinate,
by a Gaussian step; if no neighbour is better, the next step is half as long, and a search converges at
`smallest_step`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.acquisition.base import Acquisition
from core.acquisition.maximizers.base import Project, RefinedCandidates, nan_lowest, value
from core.foundation.errors import UserError
from core.foundation.randomness import normal_, uniform_
from core.foundation.validation import check_counts, check_positive, require_count


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
