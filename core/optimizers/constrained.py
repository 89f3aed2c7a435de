"""A model-based policy that learns where evaluations succeed: expected improvement times the probability of success.

The model of the losses sees only evaluations that succeeded and satisfied all constraints; the others have the loss
nan. A constraint network (DNGO, section 3.2; `core.models.constraint`) learns from all of them where those are. As long
as nothing has succeeded, the point that most probably will is proposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from core.acquisition import Constrained
from core.acquisition.base import Acquisition
from core.models.constraint import NoisyConstraint
from core.models.numerics import linear_algebra
from core.models.strayed import unwarned
from core.optimizers.allowed import where_allowed, where_unseen
from core.optimizers.memory import Memory
from core.optimizers.policy import INCUMBENTS, ModelBased, Suggestion, utility


@dataclass(frozen=True)
class _Nothing:
    """An improvement of nothing in particular: there is no loss to improve on."""

    logarithmic: bool = True

    def __call__(self, X: Tensor) -> Tensor:
        return torch.zeros_like(X[..., 0])


@dataclass(frozen=True)
class ConstrainedPolicy(ModelBased):
    """The same policy for one run, whose losses are nan where evaluations did not succeed; see `ModelBased`."""

    @classmethod
    def of(cls, policy: ModelBased) -> ConstrainedPolicy:
        """The constrained policy with the settings of another."""
        return cls(**{each.name: getattr(policy, each.name) for each in fields(policy)})

    def of_runs(self, rows: Sequence[int]) -> ConstrainedPolicy:
        """The same with the earlier tasks of some of the runs."""
        return ConstrainedPolicy.of(super().of_runs(rows))

    def propose(
        self, memory: Memory, X: Tensor, y: Tensor, pending: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Memory, Suggestion]:
        """The maximizer of the constrained acquisition function, arguments as `ModelBased.propose` with one run."""
        valid = y[0].isfinite()
        if valid.all():
            return super().propose(memory, X, y, pending, generators)
        with linear_algebra():
            with unwarned():
                feasibility = NoisyConstraint().fit(X, valid[None], generators)
            acquisition: Acquisition = _Nothing()
            succeeded, losses = X[:, valid], y[:, valid]
            if valid.any():
                memory, model = self._fit(memory, succeeded, losses, generators)
                acquisition = utility(model, self.acquisition, losses, pending, generators, self.fantasies)
            constrained = Constrained(acquisition, feasibility.probability, valid.any()[None])
            allowed = where_allowed(constrained, self.encoding)
            if self.unseen:
                allowed = where_unseen(allowed, self.encoding, torch.cat([X, pending], 1))
            incumbents = succeeded[:, losses[0].argsort(stable=True)[:INCUMBENTS]] if valid.any() else X[:, :INCUMBENTS]
            points, _ = self.maximizer(allowed, self.encoding.dimension, generators, incumbents)
        return memory, Suggestion(points)
