"""Search at several scales: uniform candidates, and candidates around the best observations from far to near.

An acquisition function has its maximum anywhere while little is known, and ever closer to the best observations later.
Half of the candidates are uniform, the others move a random subset of the coordinates of an incumbent by Gaussian steps
of one of several deviations. The best are refined in rounds: around each, more such candidates, with a step that
doubles after a success and halves otherwise. A candidate as good as the best takes its place, so that the search drifts
where the function is flat, as a forest's is. Where the function has a gradient and the space is continuous, the best
finally climbs it by L-BFGS-B.

Steps are reflected at the bounds: clamped ones would put a share of all candidates exactly on the bounds, and the
corners are where a model that knows little is least certain. Coordinates without an order are drawn anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.acquisition.base import Acquisition
from core.acquisition.maximizers.base import Project, RefinedCandidates, nan_lowest, value
from core.acquisition.maximizers.gradient import ascend
from core.foundation.errors import UserError
from core.foundation.randomness import normal_, uniform_
from core.foundation.validation import check_counts, require_count


@dataclass(frozen=True, kw_only=True)
class MultiscaleSearch(RefinedCandidates):
    """Random candidates at several scales, refined.

    Attributes:
        candidates: Number of candidates, half of them uniform, if there are incumbents.
        deviations: Standard deviations of the others' steps.
        starts: Number of candidates that are refined.
        rounds: Number of rounds.
        neighbours: Number of candidates around each in a round.
        step: First standard deviation in the rounds.
        ascents: Maximum number of iterations of L-BFGS-B; 0 for functions without a gradient.
        unordered: Coordinates that are drawn anew rather than moved.
        project: See `core.acquisition.maximizers.base`.

    Raises:
        UserError: a number out of range.
    """

    candidates: int = 800
    deviations: tuple[float, ...] = (0.2, 0.05, 0.01, 0.002)
    starts: int = 5
    rounds: int = 10
    neighbours: int = 16
    step: float = 0.1
    ascents: int = 0
    unordered: frozenset[int] = frozenset()
    project: Project | None = None

    def __post_init__(self) -> None:
        name = type(self).__name__
        check_counts(name, candidates=self.candidates, starts=self.starts, neighbours=self.neighbours)
        require_count(f"{name}.rounds", self.rounds, least=0)
        require_count(f"{name}.ascents", self.ascents, least=0)
        if not self.deviations or min(*self.deviations, self.step) <= 0:
            raise UserError(f"{name}.deviations: must be positive, got {self.deviations!r} and step {self.step!r}")

    def _candidates(self, incumbents: Tensor, generators: Sequence[torch.Generator]) -> Tensor:
        """The first candidates, (runs, candidates, d)."""
        runs, known, dimension = incumbents.shape
        X = uniform_(incumbents.new_empty(runs, self.candidates, dimension), generators)
        if known:
            around = self.candidates // 2
            numbers = torch.arange(around, device=X.device)
            deviations = X.new_tensor(self.deviations)[numbers // known % len(self.deviations)]
            centres = incumbents[:, numbers % known]
            X[:, self.candidates - around :] = self._moved(centres, deviations.unsqueeze(-1), generators)
        return X if self.project is None else self.project(X)

    def _refine(
        self, acquisition: Acquisition, X: Tensor, values: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Tensor, Tensor]:
        """Rounds around X (runs, starts, d) with values (runs, starts), then the ascents from where they end."""
        runs, starts, dimension = X.shape
        step = torch.full_like(values, self.step)
        for _ in range(self.rounds):
            centres = X.unsqueeze(2).expand(-1, -1, self.neighbours, -1).flatten(1, 2)
            lengths = step.unsqueeze(2).expand(-1, -1, self.neighbours).flatten(1, 2).unsqueeze(-1)
            moved = self._moved(centres, lengths, generators)
            moved = moved if self.project is None else self.project(moved)
            around = value(acquisition, moved).view(runs, starts, self.neighbours)
            best, place = nan_lowest(around).max(-1, keepdim=True)
            best, own = best.squeeze(-1), nan_lowest(values)
            chosen = moved.view(runs, starts, self.neighbours, dimension)
            chosen = chosen.gather(2, place.unsqueeze(-1).expand(-1, -1, 1, dimension)).squeeze(2)
            step = torch.where(best > own, step * 2, step / 2).clamp(max=0.5)
            as_good = best >= own
            X = torch.where(as_good.unsqueeze(-1), chosen, X)
            values = torch.where(as_good, around.gather(2, place).squeeze(2), values)
        if self.ascents and self.project is None and values.isfinite().any():
            ends = ascend(acquisition, X, values, self.ascents)
            X, values = torch.cat([X, ends], 1), torch.cat([values, value(acquisition, ends)], 1)
        return X, values

    def _moved(self, centres: Tensor, deviations: Tensor, generators: Sequence[torch.Generator]) -> Tensor:
        """Points (runs, n, d) some of whose coordinates have moved, at least one; deviations broadcast to them."""
        dimension = centres.shape[-1]
        draws = uniform_(torch.empty_like(centres), generators)
        chosen = draws < uniform_(torch.empty_like(centres[..., :1]), generators)  # of all sizes
        chosen |= draws == draws.amin(-1, keepdim=True)
        moved = centres + deviations * normal_(torch.empty_like(centres), generators)
        moved = 1 - (1 - moved.abs() % 2).abs()  # reflected at 0 and 1
        if self.unordered:
            anew = uniform_(torch.empty_like(centres), generators)
            which = [place in self.unordered for place in range(dimension)]
            moved = torch.where(torch.tensor(which, device=centres.device), anew, moved)
        return torch.where(chosen, moved, centres)
