"""The optimizer of Brofos et al. (section 3): expected improvement under least squares on a network's representation,
on a grid of candidates. First the rule for a batch of queries, for all runs in lockstep, then ask and tell for one run:

    candidates = regular_grid(dimension=2, points_per_axis=50)
    optimizer = RepresentationSearch(objective.space, candidates, AdaptiveLeastSquares(), seed=0)

Candidates are taken in the order of EI (Eqs. 4 and 5 for minimization, with the variance of Eq. 7). The queries of a
batch share one posterior, so a rule must keep them apart, here that of the authors' code: a candidate x is skipped
if its prediction does not differ from that of a query x' already picked, by a two-sided p-value of one half or more,

    2 Phi(-|mu(x) - mu(x')| / sigma(x')) >= 1/2.

If no candidate with positive EI is left, the one with the largest variance is taken (section 3.1): a whole batch
when EI is nowhere positive, which in floating point means that every candidate is 38 standard deviations worse than
the best observation, or the rest of it when too few candidates differ.

The initial design is uniform and has as many points as the last layer has units: with fewer, the regression has no
solution (section 3.1). Nothing is proposed until all of it is told. Then batches are chosen on the candidates, each
when all of the last batch has been asked for, whether told or not, so that workers never wait for each other (section
3.2); pending points count as picked.

Losses are minimized. Shapes: candidates (n, d) in the unit cube, the same for all runs; X (runs, N, d), y (runs, N).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from ConfigSpace import ConfigurationSpace
from torch import Tensor

from core.acquisition.analytic import expected_improvement
from core.data.preparation import Standardizer
from core.foundation.errors import UserError
from core.foundation.randomness import Generators, make_generators
from core.foundation.validation import check_counts
from core.models.least_squares import AdaptiveLeastSquares
from core.models.network import MLP
from core.optimizers.base import Optimizer, Outcome, Trial
from core.optimizers.policy import uniform_points
from core.optimizers.states import describe
from core.spaces import CubeEncoding

SAME = 0.6744897501960817  # |z| at which the two-sided p-value is one half
BLOCK = 1024  # candidates valued at a time: their features fit into the cache
INITIAL, BATCH, VARIANCE = "initial design", "expected improvement", "largest variance"


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


class RepresentationSearch(Optimizer):
    """Bayesian optimization with least squares on a network's representation.

    Args:
        space: Search space.
        candidates: Points of the unit cube, (n, d), to choose from; those that the space forbids are dropped.
        model: Model, which no other optimizer may use.
        batch: Number of queries that one posterior serves.
        seed: Seed of the initial design and the network's training.

    Raises:
        UserError: candidates of another dimension than the space, or fewer allowed ones than a batch.
    """

    def __init__(
        self, space: ConfigurationSpace, candidates: Tensor, model: AdaptiveLeastSquares, batch: int = 5, seed: int = 0
    ) -> None:
        super().__init__(space)
        self.encoding = CubeEncoding(space)
        if candidates.ndim != 2 or candidates.shape[1] != self.encoding.dimension:
            raise UserError(f"candidates: shape {tuple(candidates.shape)}; allowed: (n, {self.encoding.dimension})")
        points = self.encoding.canonical(candidates.cpu().numpy())
        allowed = torch.as_tensor(points[self.encoding.allowed(points)]).unique(dim=0)
        if len(allowed) < batch:
            raise UserError(f"candidates: {len(allowed)} different ones are allowed; needed: a batch of {batch}")
        self._rule = RepresentationBatches(allowed, model, batch)
        network = describe(model.representation)  # before its training changes the epochs
        self._described = {
            "candidates": describe(allowed),
            "batch": batch,
            **describe(model),
            "representation": network,
        }
        self._generators = make_generators([seed], model.device)
        units = model.representation.widths[-1]
        self.initial = uniform_points(self.encoding, units, self._generators)[0]
        self.X = self.initial.new_empty(0, self.encoding.dimension)
        self.y = self.X.new_empty(0)
        self._queue: list[tuple[Tensor, str]] = []
        self._places: dict[int, Tensor] = {}

    def _propose(self) -> tuple[Mapping[str, Any], None, Mapping[str, Any]] | None:
        if self._asked < len(self.initial):
            point, origin = self.initial[self._asked], INITIAL
        elif len(self.y) < len(self.initial):
            return None
        else:
            if not self._queue:
                self._fill()
            point, origin = self._queue.pop(0)
        self._places[self._asked] = point
        (configuration,) = self.encoding.decode(point.unsqueeze(0).cpu().numpy())
        return configuration, None, {"origin": origin}

    def _fill(self) -> None:
        waiting = [self._places[number] for number in self.pending]
        pending = torch.stack(waiting) if waiting else self.X[:0]
        batch = self._rule.propose(self.X[None], self.y[None], self._generators, pending[None])
        origins = [VARIANCE if explored else BATCH for explored in batch.explored[0].tolist()]
        self._queue = list(zip(batch.points[0], origins, strict=True))

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        self.X = torch.cat([self.X, self._places.pop(trial.number)[None]])
        self.y = torch.cat([self.y, self.y.new_tensor([outcome.loss])])

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), **self._described}

    def _state(self) -> dict[str, Any]:
        model = self._rule.model
        network = {}
        if model.trained_on:
            network = {
                "theta": model.representation.theta,
                "inputs": [model.inputs.mean, model.inputs.scale],
                "targets": [model.targets.mean, model.targets.scale],
            }
        return {
            "X": self.X,
            "y": self.y,
            "initial": self.initial,
            "queue": [list(entry) for entry in self._queue],
            "places": dict(self._places),
            "trained_on": model.trained_on,
            "network": network,
            "generator": self._generators[0].get_state(),
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.X, self.y, self.initial = state["X"], state["y"], state["initial"]
        self._queue = [(point, origin) for point, origin in state["queue"]]
        self._places = dict(state["places"])
        self._generators[0].set_state(state["generator"])
        model, network = self._rule.model, state["network"]
        model.trained_on = state["trained_on"]
        self._rule.forget()
        if network:
            d = self.encoding.dimension
            model.representation.network = MLP((d, *model.representation.widths, 1))
            model.representation.theta = network["theta"]
            model.inputs, model.targets = Standardizer(*network["inputs"]), Standardizer(*network["targets"])
            model.members, model.runs, model.dimension = 1, 1, d
