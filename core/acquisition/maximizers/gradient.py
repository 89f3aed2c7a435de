"""Gradient ascent with restarts, inside the bounds of the cube: L-BFGS-B (Byrd et al., 1995) on all restarts of all
runs at once.

The NIPS paper and the thesis (chapter 3) maximize through the network. Each restart of each run is an independent
problem of BoTorch's batched L-BFGS-B; every iteration values and differentiates all of them in one call of the
acquisition function, X (runs, restarts, d). (`botorch.optim.optimize_acqf` does not accept models of several runs.)
The starts are the best of many random candidates, and incumbents are among those.

L-BFGS-B stops at absolute tolerances. Each run's values are therefore shifted and scaled by the best and the worst of
its starts, which makes the search invariant to the units of the targets. If `project` is given, gradients are
those of the unprojected acquisition function, and the ends of the ascents are projected and valued again.

Search at several scales: uniform candidates, and candidates around the best observations from far to near.

An acquisition function has its maximum anywhere while little is known, and ever closer to the best observations later.
Half of the candidates are uniform, the others move a random subset of the coordinates of an incumbent by Gaussian steps
of one of several deviations. The best are refined in rounds: around each, more such candidates, with a step that
doubles after a success and halves otherwise. A candidate as good as the best takes its place, so that the search drifts
where the function is flat, as a forest's is. Where the function has a gradient and the space is continuous, the best
finally climbs it by L-BFGS-B.

Steps are reflected at the bounds: clamped ones would put a share of all candidates exactly on the bounds, and the
corners are where a model that knows little is least certain. Coordinates without an order are drawn anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from botorch.optim.batched_lbfgs_b import fmin_l_bfgs_b_batched
from torch import Tensor

from core.acquisition.base import Acquisition
from core.acquisition.maximizers.base import (
    Maximizer,
    Project,
    RefinedCandidates,
    best_first,
    choose,
    nan_lowest,
    search_generators,
    take,
    value,
)
from core.foundation.errors import UserError
from core.foundation.randomness import normal_, uniform_
from core.foundation.validation import check_counts, require_count

WORST = 1e6  # value given to a point without a finite one, in units of the starts' spread: a line search turns back
PRECISION = 1e-7  # in the same units; smaller differences are rounding errors of networks in single precision


@dataclass(frozen=True, kw_only=True)
class GradientAscent(Maximizer):
    """L-BFGS-B from the best of random candidates.

    Attributes:
        candidates: Number of random points, to which the incumbents are added.
        restarts: Number of the best candidates from which ascents start.
        iterations: Maximum number of iterations per ascent.
        project: See `core.acquisition.maximizers.base`.
    """

    candidates: int = 500
    restarts: int = 10
    iterations: int = 100
    project: Project | None = None

    def __post_init__(self) -> None:
        check_counts(
            type(self).__name__, candidates=self.candidates, restarts=self.restarts, iterations=self.iterations
        )

    def _search(
        self, acquisition: Acquisition, incumbents: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Tensor, Tensor]:
        """Ascend from the best candidates and choose among where the ascents end."""
        generators = search_generators(generators)
        random = uniform_(incumbents.new_empty(len(generators), self.candidates, incumbents.shape[-1]), generators)
        X = torch.cat([random, incumbents], 1)
        X = X if self.project is None else self.project(X)
        with torch.no_grad():
            values = value(acquisition, X)
        index = best_first(values, generators, self.restarts)
        starts, start_values = take(X, index), values.gather(1, index)
        ends = ascend(acquisition, starts, start_values, self.iterations)
        ends = ends if self.project is None else self.project(ends)
        with torch.no_grad():
            end_values = value(acquisition, ends)
        return choose(torch.cat([starts, ends], 1), torch.cat([start_values, end_values], 1), generators)


def ascend(acquisition: Acquisition, starts: Tensor, values: Tensor, iterations: int) -> Tensor:
    """The ends of an ascent from each point of each run by L-BFGS-B, inside the unit cube.

    Args:
        acquisition: Function to maximize.
        starts: Starting points (runs, n, d).
        values: Values (runs, m) of points of each run, such as the starts; the best and the worst set the run's unit.
        iterations: Maximum number of iterations per ascent.

    Returns:
        (runs, n, d).

    Raises:
        UserError: the acquisition function has no gradient.
    """
    runs, restarts, dimension = starts.shape
    origin, scale = _units(values)

    @torch.enable_grad()
    def descend(points: np.ndarray, batch_indices: list[int]) -> tuple[np.ndarray, np.ndarray]:
        place = _places(torch.as_tensor(batch_indices) // restarts)
        X = starts[:, :1].repeat(1, int(place[1].max()) + 1, 1)
        X[place] = torch.as_tensor(points).to(X)
        X.requires_grad_()
        loss = (origin - value(acquisition, X)) / scale
        if not loss.requires_grad:
            raise UserError(
                f"GradientAscent: {type(acquisition).__name__} has no gradient (a forest's predictions have none); "
                "use another maximizer"
            )
        (gradient,) = torch.autograd.grad(loss.sum(), X)
        usable = loss.isfinite() & gradient.isfinite().all(-1)
        loss = torch.where(usable, loss.detach(), WORST)[place]
        gradient = torch.where(usable.unsqueeze(-1), gradient, 0.0)[place]
        return loss.cpu().numpy(), gradient.cpu().numpy()

    ends, _, _ = fmin_l_bfgs_b_batched(
        descend,
        starts.reshape(-1, dimension).cpu().numpy(),
        bounds=[(0.0, 1.0)] * dimension,
        factr=None,
        ftol=PRECISION,
        maxiter=iterations,
        pass_batch_indices=True,
    )
    return torch.as_tensor(ends).to(starts).clamp_(0, 1).view(runs, restarts, dimension)


def _places(run: Tensor) -> tuple[Tensor, Tensor]:
    """The indices in X (runs, most of any run, d) of the ascents still under way, of runs (n,): runs and columns."""
    return run, (run.unsqueeze(1) == run).tril(-1).sum(1)


def _units(values: Tensor) -> tuple[Tensor, Tensor]:
    """Origin and scale (runs, 1) from the starts' values (runs, restarts): the highest, and the distance to the lowest.

    Where finite values do not differ, the scale is their size, or 1.
    """
    finite = values.isfinite()
    highest = torch.where(finite, values, -torch.inf).amax(1, keepdim=True)
    lowest = torch.where(finite, values, torch.inf).amin(1, keepdim=True)
    highest, lowest = (torch.where(v.isfinite(), v, 0.0) for v in (highest, lowest))
    tiny = torch.finfo(values.dtype).tiny
    scale = highest - lowest
    scale = torch.where(scale > tiny, scale, highest.abs())
    return highest, torch.where(scale > tiny, scale, 1.0)


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
