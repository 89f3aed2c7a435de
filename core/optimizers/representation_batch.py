"""Batches of queries chosen on a grid of candidates by expected improvement under least squares on a representation
(Brofos et al., section 3), for all runs in lockstep.

Candidates are taken in the order of EI (Eqs. 4 and 5 for minimization, with the variance of Eq. 7). The queries of a
batch share one posterior, so a rule must keep them apart, here that of the authors' code: a candidate x is skipped
if its prediction does not differ from that of a query x' already picked, by a two-sided p-value of one half or more,

    2 Phi(-|mu(x) - mu(x')| / sigma(x')) >= 1/2.

If no candidate with positive EI is left, the one with the largest variance is taken (section 3.1): a whole batch
when EI is nowhere positive, which in floating point means that every candidate is 38 standard deviations worse than
the best observation, or the rest of it when too few candidates differ.

Losses are minimized. Shapes: candidates (n, d) in the unit cube, the same for all runs; X (runs, N, d), y (runs, N).
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from core.acquisition.analytic import expected_improvement
from core.foundation.errors import UserError
from core.foundation.randomness import Generators
from core.foundation.validation import check_counts
from core.models.least_squares import AdaptiveLeastSquares

SAME = 0.6744897501960817  # |z| at which the two-sided p-value is one half
BLOCK = 1024  # candidates valued at a time: their features fit into the cache


class Batch(NamedTuple):
    """Queries of all runs.

    points: (runs, k, d); rows: positions in the candidates, (runs, k); explored: chosen by variance, (runs, k) bool.
    """

    points: Tensor
    rows: Tensor
    explored: Tensor


class RepresentationBatches:
    """The rule for the next batch; the model is the only state it carries from one batch to the next.

    Args:
        candidates: Points of the unit cube, (n, d).
        model: Model, updated with every batch.
        size: Number of queries per batch.

    Raises:
        UserError: candidates that are not points of the unit cube, or fewer than a batch.
    """

    def __init__(self, candidates: Tensor, model: AdaptiveLeastSquares, size: int = 5) -> None:
        check_counts("RepresentationBatches", size=size)
        if candidates.ndim != 2 or len(candidates) < size or not ((candidates >= 0) & (candidates <= 1)).all():
            raise UserError(
                f"RepresentationBatches: candidates of shape {tuple(candidates.shape)}; allowed: (n, d) with n at "
                f"least {size}, within the unit cube"
            )
        self.candidates, self.model, self.size = candidates.to(model.device, torch.float64), model, size
        self._features: Tensor | None = None

    @torch.no_grad()
    def propose(self, X: Tensor, y: Tensor, generators: Generators, pending: Tensor | None = None) -> Batch:
        """The next batch of every run.

        Args:
            X: Evaluated points of the unit cube, (runs, N, d), N at least the number of units in the last layer.
            y: Losses of these points, (runs, N).
            generators: Generators for the network's training, one per run.
            pending: Points under evaluation, (runs, P, d), which count as picked.

        Raises:
            UserError: as `AdaptiveLeastSquares.update`.
        """
        model = self.model
        if model.update(X, y, generators) or self._features is None:
            self._features = torch.cat([model.features(block) for block in self.candidates.split(BLOCK)], 1)
        mean, variance = self._moments(self._features)
        best = model.targets.transform(y.to(mean)).amin(-1, keepdim=True)
        ei = expected_improvement(mean, variance, best)
        picked = None
        if pending is not None and pending.shape[1]:
            at, spread = model.marginals(pending.to(mean))
            picked = at[0], (spread[0] + model.noise_variance.unsqueeze(-1)).sqrt()
        rows, explored = select(ei, mean, variance.sqrt(), self.size, picked)
        return Batch(self.candidates[rows], rows, explored)

    def forget(self) -> None:
        """Drop the candidates' features: the model's network was replaced from a saved state."""
        self._features = None

    def _moments(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and variance of an observation at the candidates, for standardized targets, (runs, n) each."""
        weights, noise = self.model.weights, self.model.noise_variance.unsqueeze(-1)
        parts = [weights.marginals(block) for block in features.split(BLOCK, 1)]
        mean, variance = (torch.cat(values, -1)[0] for values in zip(*parts, strict=True))
        return mean, variance + noise


def select(
    ei: Tensor, mean: Tensor, deviation: Tensor, count: int, picked: tuple[Tensor, Tensor] | None = None
) -> tuple[Tensor, Tensor]:
    """Choose a batch by the rules above.

    Args:
        ei, mean, deviation: Expected improvement, mean and standard deviation at the candidates, (runs, n) each.
        count: Number of queries to pick.
        picked: Mean and deviation of queries under way, (runs, P) each.

    Returns:
        Positions in the candidates and whether the variance decided, (runs, count) each.
    """
    value = torch.where(ei > 0, ei, -torch.inf)
    for at, spread in zip(picked[0].T, picked[1].T, strict=True) if picked is not None else ():
        value = _without_same(value, mean, at.unsqueeze(-1), spread.unsqueeze(-1))
    spare = deviation.clone()
    chosen, explored = [], []
    for _ in range(count):
        utility, by_ei = value.max(-1, keepdim=True)
        explore = utility == -torch.inf
        place = torch.where(explore, spare.argmax(-1, keepdim=True), by_ei)
        spare.scatter_(-1, place, -torch.inf)
        value.scatter_(-1, place, -torch.inf)
        value = _without_same(value, mean, mean.gather(-1, place), deviation.gather(-1, place))
        chosen.append(place)
        explored.append(explore)
    return torch.cat(chosen, -1), torch.cat(explored, -1)


def _without_same(value: Tensor, mean: Tensor, at: Tensor, spread: Tensor) -> Tensor:
    """Values (runs, n) with -inf where the prediction does not differ from `at` (runs, 1)."""
    return torch.where((mean - at).abs() > SAME * spread, value, -torch.inf)
