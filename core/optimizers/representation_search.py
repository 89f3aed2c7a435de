"""Ask and tell for the optimizer of Brofos et al.: one run of `core.optimizers.representation_batch`.

    candidates = regular_grid(dimension=2, points_per_axis=50)
    optimizer = RepresentationSearch(objective.space, candidates, AdaptiveLeastSquares(), seed=0)

The initial design is uniform and has as many points as the last layer has units: with fewer, the regression has no
solution (section 3.1). Nothing is proposed until all of it is told. Then batches are chosen on the candidates, each
when all of the last batch has been asked for, whether told or not, so that workers never wait for each other (section
3.2); pending points count as picked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from ConfigSpace import ConfigurationSpace
from torch import Tensor

from core.data.preparation import Standardizer
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.least_squares import AdaptiveLeastSquares
from core.models.network import MLP
from core.optimizers.base import Optimizer, Outcome, Trial
from core.optimizers.description import describe
from core.optimizers.policy import uniform_points
from core.optimizers.representation_batch import RepresentationBatches
from core.spaces import CubeEncoding

INITIAL, BATCH, VARIANCE = "initial design", "expected improvement", "largest variance"


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
