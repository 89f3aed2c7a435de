"""What to evaluate next: the part of Bayesian optimization that differs from method to method, batched over runs.

    x_n = argmax_x a(x; D_{n-1})          (thesis, Algorithm 1, which prints the data of step n)

A policy maps the observations of all runs to the next point of each. It holds no observations and no state of its own,
so that the same policy serves runs in lockstep, ask and tell, and parallel evaluation with points pending. Its memory
from one suggestion to the next is an argument and a result (`core.optimizers.memory`).

The utility is the papers' choice for each kind of model. A Bayesian network's samples are matched by one Gaussian
(Eq. 5 of the NIPS paper), and so are a forest's trees (Eqs. 2.6 and 2.7); a Gaussian process and DNGO have sampled
hyperparameters, over which the acquisition is averaged (Eq. 2.5; DNGO, Eq. 12). A Gaussian process predicts the
function, the others an observation. With points pending, either is averaged over fantasies of their outcomes
(`core.acquisition.mcei`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from core.acquisition import (
    Fantasies,
    Integrated,
    LogExpectedImprovement,
    LowerConfidenceBound,
    MixtureFantasies,
    ProbabilityOfImprovement,
    ThompsonSample,
)
from core.acquisition.base import Acquisition, best_observed
from core.errors import UnknownNameError
from core.models.ensemble import EnsembleModel
from core.models.mixture import GaussianMixtureModel
from core.models.numerics import linear_algebra
from core.models.random_forest import RandomForest
from core.models.strayed import unwarned
from core.models.tasks import Task
from core.optimizers.allowed import on_space, where_allowed, where_unseen
from core.optimizers.features import Features
from core.optimizers.fidelities import FidelityEncoding
from core.optimizers.memory import Memory, apart, together
from core.optimizers.targets import gaussianized
from core.spaces import CubeEncoding

ACQUISITIONS = ("ei", "pi", "lcb", "thompson")
INCUMBENTS = 5  # number of best observations that a maximizer may search around
SEEDS = 2**63 - 1
DOUBT = "doubt"
MADE_FOR = "made for"  # in the memory of a run whose chains continue: the observations at its first fit


class Suggestion(NamedTuple):
    """The next point of each run, (runs, d), and notes about it: plain values by name.

    The note "recommended" is the number of an evaluation, in the order of the data, whose configuration the policy
    would recommend on the full fidelity. The note `DOUBT` says why a suggestion has little value; the user is warned of
    it once.
    """

    points: Tensor
    notes: tuple[Mapping[str, Any], ...] = ()


class Policy(Protocol):
    """A rule for the next evaluation. A ModelError costs a uniform point; any other error stops the search."""

    @property
    def encoding(self) -> CubeEncoding | FidelityEncoding:
        """The encoding of the points that it proposes."""
        ...

    def propose(
        self, memory: Memory, X: Tensor, y: Tensor, pending: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Memory, Suggestion]:
        """The next point of each run.

        Args:
            memory: Memory returned with the last suggestion of these runs, which are `alike`; at first `no_memory`.
            X: Evaluated points of the unit cube, (runs, N, d), N at least 1.
            y: Losses of these points, (runs, N), or losses and costs, (runs, N, 2), if the encoding is priced.
            pending: Points under evaluation, (runs, J, d); J may be 0.
            generators: Generators, one per run.

        Returns:
            The memory for the next suggestion, and points (runs, d) of allowed configurations.

        Raises:
            ModelError: a model that fails in any run.
        """
        ...

    def of_runs(self, rows: Sequence[int]) -> Self:
        """The policy for some of the runs, if it holds what belongs to each, such as earlier tasks; else itself."""
        ...


class Fittable(Protocol):
    """A model before its fit."""

    def fit(self, X: Tensor, y: Tensor, generators: Sequence[torch.Generator]) -> EnsembleModel:
        """The model fitted to points X (runs, N, d) and losses y (runs, N)."""
        ...


@runtime_checkable
class Continuable(Protocol):
    """A model whose chains may continue those of an earlier fit."""

    def fit(
        self, X: Tensor, y: Tensor, generators: Sequence[torch.Generator], initial: Mapping[str, Tensor] | None
    ) -> EnsembleModel:
        """The fitted model; `initial` is the `chain_state` of the earlier fit, None for new chains."""
        ...

    def chain_state(self) -> dict[str, Tensor]:
        """The ends of the chains, (runs, ...) each."""
        ...


@runtime_checkable
class Recommending(Policy, Protocol):
    """A policy that recommends a configuration other than the one with the smallest loss."""

    def recommend(self, memory: Memory, X: Tensor, y: Tensor, generators: Sequence[torch.Generator]) -> Suggestion:
        """The recommendation of each run on the full fidelity, arguments as for `propose`."""
        ...


@dataclass(frozen=True)
class Uniform:
    """Random search: uniform over the allowed part of the cube."""

    encoding: CubeEncoding

    def propose(
        self, memory: Memory, X: Tensor, y: Tensor, pending: Tensor, generators: Sequence[torch.Generator]
    ) -> tuple[Memory, Suggestion]:
        """A uniform point for each run, whatever was evaluated."""
        return memory, Suggestion(uniform_points(self.encoding, 1, generators).squeeze(1))

    def of_runs(self, rows: Sequence[int]) -> Uniform:
        """Itself."""
        return self


@dataclass(frozen=True)
class ModelBased:
    """Fit a model to the observations and maximize an acquisition function.

    Attributes:
        encoding: Encoding of the space.
        make_model: Function of the number of observations, on which a model's effort may depend, and of the argument
            `earlier` if there are earlier tasks, that returns the model to be fitted.
        maximizer: Maximizer from `core.acquisition.maximizers`; its candidates are moved to points of configurations if
            the space has hyperparameters that are not continuous.
        acquisition: Name of the acquisition function: "ei", "pi", "lcb" or "thompson".
        fantasies: Number of outcomes drawn for the pending points.
        continues: Whether each fit continues the chains of the last one, for a model with `chain_state` whose `fit`
            takes `initial`. It is then made for the number of observations of the run's first fit.
        earlier: Evaluations of earlier tasks.
        unseen: Whether no configuration of a finite space is proposed twice.
        unordered: Whether the model sees `core.optimizers.features` rather than the points themselves.
        gaussian_targets: Whether the model sees losses, earlier tasks' too, as `core.optimizers.targets` transforms
            them.

    Raises:
        UnknownNameError: an unknown acquisition function.
    """

    encoding: CubeEncoding
    make_model: Callable[..., Fittable]
    maximizer: Any
    _: KW_ONLY
    acquisition: str = "ei"
    fantasies: int = 10
    continues: bool = False
    earlier: Sequence[Task] = ()
    unseen: bool = False
    unordered: bool = False
    gaussian_targets: bool = False

    def __post_init__(self) -> None:
        if self.acquisition not in ACQUISITIONS:
            raise UnknownNameError("acquisition function", self.acquisition, ACQUISITIONS)
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
        acquisition = utility(model, self.acquisition, targets, among, generators, self.fantasies)
        return Features(self.encoding).of(acquisition) if self.unordered else acquisition

    def _maximum(
        self, acquisition: Acquisition, X: Tensor, y: Tensor, pending: Tensor, generators: Sequence[torch.Generator]
    ) -> Suggestion:
        """Its maximizer among allowed points, searched for near those with the smallest losses too."""
        acquisition = where_allowed(acquisition, self.encoding)
        if self.unseen:
            acquisition = where_unseen(acquisition, self.encoding, torch.cat([X, pending], 1))
        best = y.argsort(dim=1, stable=True)[:, :INCUMBENTS]
        incumbents = X.gather(1, best.unsqueeze(-1).expand(-1, -1, X.shape[-1]))
        points, _ = self.maximizer(acquisition, self.encoding.dimension, generators, incumbents)
        return Suggestion(points)

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
        return [replace(task, X=self._features(task.X), y=self._targets(task.y)) for task in self.earlier]

    def _features(self, X: Tensor) -> Tensor:
        return Features(self.encoding)(X) if self.unordered else X

    def _targets(self, y: Tensor) -> Tensor:
        return gaussianized(y) if self.gaussian_targets else y

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


def uniform_points(encoding: CubeEncoding | FidelityEncoding, n: int, generators: Sequence[torch.Generator]) -> Tensor:
    """n uniform points (runs, n, d) of allowed configurations, each run's from its own generator."""
    seeds = [int(torch.randint(SEEDS, (1,), generator=g, device=g.device)) for g in generators]
    points = np.stack([encoding.sample(n, np.random.default_rng(seed)) for seed in seeds])
    return torch.as_tensor(points).to(generators[0].device)
