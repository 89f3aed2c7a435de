"""Bayesian optimization: fit a model to the observations, and evaluate next where an acquisition function is largest.

x_n = argmax_x a(x; D_{n-1})          (thesis, Algorithm 1, which prints the data of step n)

The acquisition function fits the model: the papers' choice for each kind. A Bayesian network's samples are matched by
one Gaussian (Eq. 5 of the NIPS paper), and so are a forest's trees (Eqs. 2.6 and 2.7); a Gaussian process and DNGO have
sampled hyperparameters, over which the acquisition is averaged (Eq. 2.5; DNGO, Eq. 12). A Gaussian process predicts the
function, the others an observation. With points pending, either is averaged over fantasies of their outcomes
(`core.acquisition.sampled`).

With constraints, the policy learns where evaluations succeed: expected improvement times the probability of success. An
evaluation fails, or it violates a constraint, or it succeeds. The model of the losses learns from all that have a loss,
and improvements are over the smallest of those that succeeded. A constraint network (DNGO, section 3.2;
`core.models.constraint`) learns from all evaluations which of them succeed. As long as none has, the point that most
probably will is proposed.

The network is the one for constraints that always give the same answer. With the other one a Gaussian process with five
initial points found the border of what is allowed less well: on two problems in two dimensions, 30 evaluations, the
median regret was 0.038 and 0.17 instead of 0.005 and 0.037 (four and three seeds).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any

import torch
from torch import Tensor

from core.acquisition import (
    Constrained,
    Fantasies,
    Integrated,
    LogExpectedImprovement,
    LowerConfidenceBound,
    MixtureFantasies,
    ProbabilityOfImprovement,
    ThompsonSample,
)
from core.acquisition.base import Acquisition, best_observed
from core.acquisition.maximizers.base import NoCandidateError, choose, search_generators, value
from core.models.chains import unwarned
from core.models.constraint import NoiselessConstraint
from core.models.ensemble import EnsembleModel, linear_algebra
from core.models.mixture import GaussianMixtureModel
from core.models.random_forest import RandomForest
from core.models.tasks import Task
from core.optimizers.features import Features, gaussianized, on_space, where_allowed, where_unseen
from core.optimizers.model_settings import ModelSettings
from core.optimizers.points import every_point
from core.optimizers.policy import Continuable, Fittable, Memory, Suggestion, apart, together, uniform_points
from core.optimizers.trial import within_reach
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


def utility(
    model: EnsembleModel,
    name: str,
    y: Tensor,
    pending: Tensor,
    generators: Sequence[torch.Generator],
    fantasies: int,
) -> Acquisition:
    """The acquisition function of a fitted model, given observations y (runs, N) and pending points (runs, J, d)."""
    if name == "thompson":
        return ThompsonSample(model, generators)
    best, _ = best_observed(y)
    if pending.shape[1]:
        drawn = _fantasies(model, pending, best, generators, fantasies)
        return Integrated(_closed_form(name, drawn.moments, drawn.best))
    if isinstance(model, GaussianMixtureModel) and not isinstance(model, RandomForest):
        return Integrated(_closed_form(name, _of_members(model), best))
    return _closed_form(name, model.moments, best)


def _fantasies(
    model: EnsembleModel, pending: Tensor, best: Tensor, generators: Sequence[torch.Generator], count: int
) -> Fantasies | MixtureFantasies:
    """Outcomes of the pending points, in all about `count` for each run."""
    if isinstance(model, GaussianMixtureModel):
        return MixtureFantasies(model, pending, best, generators, fantasies=max(1, count // model.members))
    return Fantasies(model, pending, best, generators, fantasies=count)


def _closed_form(name: str, moments: Callable[[Tensor], tuple[Tensor, Tensor]], best: Tensor) -> Acquisition:
    if name == "ei":
        return LogExpectedImprovement(moments, best)
    return ProbabilityOfImprovement(moments, best) if name == "pi" else LowerConfidenceBound(moments)


def _of_members(model: GaussianMixtureModel) -> Callable[[Tensor], tuple[Tensor, Tensor]]:
    """Means and variances (M, ..., runs, q): of the function for a Gaussian process, of an observation otherwise."""
    if not model.of_function:
        return model.predict

    def moments(X: Tensor) -> tuple[Tensor, Tensor]:
        mean, variance = model.marginals(model.expand_runs(X).double())
        return model.targets.inverse(mean), model.targets.inverse_variance(variance)

    return moments


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
        """The maximizer of the constrained acquisition function; arguments as `ModelBased.propose`, of one run.

        Args:
            y: Losses, nan where there is none, and 1 for success or 0, (1, N, 2).
        """
        losses, valid = y[..., 0], y[..., 1] > 0
        if valid.all():
            return super().propose(memory, X, losses, pending, generators)
        with linear_algebra():
            with unwarned():
                feasibility = NoiselessConstraint().fit(X, valid, generators)
            acquisition: Acquisition = _Nothing()
            if valid.any():
                known = losses[0].isfinite()
                targets = self._targets(losses[:, known])
                memory, model = self._fit(memory, self._features(X[:, known]), targets, generators)
                succeeded = targets[valid[:, known]][None]  # the best of these is improved on
                acquisition = self._utility(model, succeeded, pending, generators)
            constrained = Constrained(acquisition, feasibility.probability, valid.any(-1))
            order = losses.masked_fill(~valid, torch.inf)
            return memory, self._maximum(constrained, X, order, pending, generators)
