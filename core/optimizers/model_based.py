"""Bayesian optimization: fit a model to the observations, and evaluate next where an acquisition function is largest.

x_n = argmax_x a(x; D_{n-1})          (thesis, Algorithm 1, which prints the data of step n)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import torch
from torch import Tensor

from core.acquisition.base import Acquisition
from core.acquisition.maximizers.base import NoCandidateError, choose, search_generators, value
from core.models.ensemble import EnsembleModel
from core.models.ensemble import linear_algebra
from core.models.chains import unwarned
from core.models.tasks import Task
from core.optimizers.allowed import on_space, where_allowed, where_unseen
from core.optimizers.features import Features
from core.optimizers.memory import Memory, apart, together
from core.optimizers.model_settings import ModelSettings
from core.optimizers.points import every_point
from core.optimizers.policy import Continuable, Fittable, Suggestion, uniform_points
from core.optimizers.targets import gaussianized
from core.optimizers.told import within_reach
from core.optimizers.utility import utility
from core.spaces import CubeEncoding

INCUMBENTS = 5  # number of best observations that a maximizer may search around
DRAWN = 1000  # random configurations that are valued where a maximizer found nothing new in a large space
MADE_FOR = "made for"  # in the memory of a run whose chains continue: the observations at its first fit


@dataclass(frozen=True)
class ModelBased:
    """Fit a model to the observations and maximize an acquisition function.

    Attributes:
        encoding: Encoding of the space.
        make_model: Function of the number of observations, on which a model's effort may depend, and of the argument
            `earlier` if there are earlier tasks, that returns the model to be fitted.
        maximizer: Maximizer from `core.acquisition.maximizers`; its candidates are moved to points of configurations if
            the space has hyperparameters that are not continuous.
        settings: Settings, of which those count that no model and no maximizer is made of: the acquisition function,
            `unseen`, `unordered` and `gaussian_targets`.
        fantasies: Number of outcomes drawn for the pending points.
        continues: Whether each fit continues the chains of the last one, for a model with `chain_state` whose `fit`
            takes `initial`. It is then made for the number of observations of the run's first fit.
        earlier: Evaluations of earlier tasks.
    """

    encoding: CubeEncoding
    make_model: Callable[..., Fittable]
    maximizer: Any
    settings: ModelSettings
    _: KW_ONLY
    fantasies: int = 10
    continues: bool = False
    earlier: Sequence[Task] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "maximizer", on_space(self.maximizer, self.encoding))

    def propose(
        self, memory: Memory, X: Tensor, y: Tensor, pending: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Memory, Suggestion]:
        """The maximizer of the acquisition function of a model fitted to each run."""
        with linear_algebra():
            seen, targets = self._features(X), self._targets(y)
            memory, model = self._fit(memory, seen, targets, generators)
            acquisition = self._utility(model, targets, pending, generators)
            return memory, self._maximum(acquisition, X, y, pending, generators)

    def _utility(
        self, model: EnsembleModel, targets: Tensor, pending: Tensor, generators: Sequence[torch.Generator]
    ) -> Acquisition:
        """The acquisition function of points of a model fitted to features."""
        among = self._features(pending)
        acquisition = utility(model, self.settings.acquisition, targets, among, generators, self.fantasies)
        return Features(self.encoding).of(acquisition) if self.settings.unordered else acquisition

    def _maximum(
        self, acquisition: Acquisition, X: Tensor, y: Tensor, pending: Tensor, generators: Sequence[torch.Generator]
    ) -> Suggestion:
        """Its maximizer among allowed points, searched for near those with the smallest losses too.

        Where the maximizer finds nothing that is allowed, or only what was evaluated, the best of the whole space is
        taken if it is finite and small, and else of random configurations.
        """
        acquisition = where_allowed(acquisition, self.encoding)
        if self.settings.unseen:
            acquisition = where_unseen(acquisition, self.encoding, torch.cat([X, pending], 1))
        best = y.argsort(dim=1, stable=True)[:, :INCUMBENTS]
        incumbents = X.gather(1, best.unsqueeze(-1).expand(-1, -1, X.shape[-1]))
        try:
            points, values = self.maximizer(acquisition, self.encoding.dimension, generators, incumbents)
        except NoCandidateError:
            if len(X) > 1 or not self.encoding.space.forbidden_clauses:
                raise
            return Suggestion(self._best_anywhere(acquisition, generators)[0])
        nothing_new = values.isneginf() & self.settings.unseen
        if nothing_new.any():
            each = zip(nothing_new.tolist(), generators)
            elsewhere, heights = self._best_anywhere(acquisition, [g if own else g.clone_state() for own, g in each])
            better = nothing_new & (heights > values)
            points = torch.where(better.unsqueeze(-1), elsewhere, points)
        return Suggestion(points)

    def _best_anywhere(self, acquisition: Acquisition, generators: Sequence[torch.Generator]) -> tuple[Tensor, Tensor]:
        """The best of all configurations of a small finite space, else of random ones: points (runs, d) and values."""
        every = every_point(self.encoding)
        if every is None:
            X = uniform_points(self.encoding, DRAWN, generators)
        else:
            X = torch.as_tensor(every).to(generators[0].device).expand(len(generators), -1, -1)
        return choose(X, value(acquisition, X), search_generators(generators))

    def _fit(
        self, memory: Memory, X: Tensor, y: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Memory, EnsembleModel]:
        with unwarned():
            if not self.continues:
                return memory, self._model(y.shape[1]).fit(X, y, generators)
            chains = together(memory)
            made_for = chains.pop(MADE_FOR, y.shape[1])
            model = self._model(made_for)
            if not isinstance(model, Continuable):
                raise TypeError(f"{type(model).__name__} has no chains that could continue")
            fitted = model.fit(X, y, generators, chains or None)
        return apart(model.chain_state(), len(X), **{MADE_FOR: made_for}), fitted

    def _model(self, n: int) -> Fittable:
        return self.make_model(n, **({"earlier": self._earlier()} if self.earlier else {}))

    def _earlier(self) -> Sequence[Task]:
        reached = [torch.as_tensor(within_reach(task.y.cpu().numpy())).to(task.y) for task in self.earlier]
        return [
            replace(task, X=self._features(task.X), y=self._targets(y))
            for task, y in zip(self.earlier, reached, strict=True)
        ]

    def _features(self, X: Tensor) -> Tensor:
        return Features(self.encoding)(X) if self.settings.unordered else X

    def _targets(self, y: Tensor) -> Tensor:
        return gaussianized(y) if self.settings.gaussian_targets else y

    def of_runs(self, rows: Sequence[int]) -> ModelBased:
        """The same with the earlier tasks of some of the runs."""
        return replace(self, earlier=[task.of_runs(rows) for task in self.earlier])
