"""Hyperband with LC-Net (Klein et al., 2017; thesis 5.4.4 and B.4): new configurations come from a model of the
learning curves told so far, "with all other parts remaining unchanged".

When a bracket begins, LC-Net is fitted to the curves of all evaluations. Each of the bracket's configurations, which
are a set, then has a weight sample W of its own and is where a local search finds the smallest asymptote,

    x* = argmin_x g(x, t = 1 | W)            (the thesis prints argmax, of a performance)

which begins at a random configuration, jumps to the best neighbour of one step, and ends where none is better or after
ten steps. In spaces with a continuous hyperparameter a neighbour differs in one coordinate by a Gaussian step.

Until a curve of the largest budget has been told, configurations are random: t = 1 is the number of its epochs.

Where the thesis is silent: curves are fitted in their own unit, clipped at the largest last value of any, so that a
training that diverges for an epoch does not set the scale; a failed evaluation counts as that value throughout. In
HpBandSter, the authors' later code, curves are running minima and 1,024 random configurations are drawn in proportion
to an upper confidence bound; the length of its chains is taken here.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray
from torch import Tensor

from core.acquisition.maximizers import NoCandidateError, OneStepSearch, RandomLocalSearch
from core.foundation.errors import ModelError, UserError, brief
from core.foundation.randomness import make_generators
from core.models.chains import unwarned
from core.models.curves.lcnet import LCNet
from core.models.ensemble import linear_algebra
from core.models.sampled_network import SampledNetwork
from core.objectives.base import LEARNING_CURVE
from core.optimizers.base import Outcome, Trial
from core.optimizers.brackets import Bracket
from core.optimizers.features import on_space, where_allowed
from core.optimizers.hyperband import MODEL, Hyperband
from core.optimizers.points import RANDOM, Canonical
from core.optimizers.policy import SEEDS
from core.optimizers.proposer import FAILED
from core.optimizers.settings import HyperbandLCNetSettings

STEPS = 10  # of local search (B.4)


class HyperbandLCNet(Hyperband):
    """Hyperband with model-based configurations; arguments as `Hyperband`.

    Every evaluation must return its learning curve as `info["learning_curve"]`: the losses after each epoch that it
    made, or after each other equal part of the largest budget. The last of these is its loss.

    Raises:
        UserError: as `Hyperband`; in `tell`, an evaluation without its learning curve.
    """

    def __init__(
        self,
        space: ConfigurationSpace,
        generator: np.random.Generator,
        minimum_budget: float,
        maximum_budget: float,
        settings: HyperbandLCNetSettings | None = None,
    ) -> None:
        self.settings: HyperbandLCNetSettings = settings or HyperbandLCNetSettings()
        super().__init__(space, generator, minimum_budget, maximum_budget, self.settings)
        finite = len(self.encoding.levels) == self.encoding.dimension
        search = (
            OneStepSearch.of(self.encoding, steps=STEPS)
            if finite
            else RandomLocalSearch(candidates=1, starts=1, steps=STEPS)
        )
        self._search = on_space(search, self.encoding)
        self._canonical = Canonical(self.encoding)
        self._told: list[tuple[NDArray[np.float64], int, NDArray[np.float64] | None]] = []  # point, rung, curve
        self._planned: dict[int, tuple[list[NDArray[np.float64]], str]] = {}  # points of a bracket, and their origin
        self._warned = False

    @property
    def epochs(self) -> int | None:
        """Number of epochs on the largest budget, if known: those of the longest curve told on that budget."""
        top = len(self.budgets) - 1
        return max((len(curve) for _, rung, curve in self._told if rung == top and curve is not None), default=None)

    def curves(self) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]] | None:
        """The data of the model, points (n, d) and n curves; None before a success on the largest budget."""
        if (epochs := self.epochs) is None:
            return None
        highest = max(curve[-1] for _, _, curve in self._told if curve is not None)
        curves = []
        for _, rung, curve in self._told:
            if curve is None:
                share = self.budgets[rung] / self.budgets[-1]
                curve = np.full(max(1, int(epochs * share)), highest)
            curves.append(np.fmin(curve[:epochs], highest))
        return np.stack([point for point, _, _ in self._told]), curves

    def _choose(self, bracket: Bracket) -> tuple[NDArray[np.float64], Mapping[str, Any], str]:
        if bracket.number not in self._planned:
            self._planned[bracket.number] = self._plan(bracket.size)
        points, origin = self._planned[bracket.number]
        if bracket.started == bracket.size - 1:
            del self._planned[bracket.number]
        if not points:
            return *super()._choose(bracket)[:2], RANDOM if origin == MODEL else origin
        return *self._canonical.settle(points.pop()), origin

    def _plan(self, n: int) -> tuple[list[NDArray[np.float64]], str]:
        """Points of the n configurations of a bracket, and their origin; none where they are to be random."""
        data = self.curves()
        if data is None:
            return [], RANDOM
        seed, order, *searches = self.generator.integers(SEEDS, size=n + 2).tolist()
        burn_in, steps, samples = self.settings.burn_in, self.settings.chain_steps, self.settings.samples
        model = LCNet.authors(burn_in=burn_in, steps=burn_in + steps, thinning=steps // samples)
        try:
            with unwarned(), linear_algebra():
                network = model.fit(*data, epochs=self.epochs, seed=seed).model
        except ModelError as error:
            if not self._warned:
                self._warned = True
                warnings.warn(
                    f"a bracket's configurations are {FAILED}{error}; later ones are not warned of", stacklevel=7
                )
            return [], f"{FAILED}{error}"
        members = torch.randperm(len(network.samples), generator=make_generators([order])[0]).repeat(-(-n // samples))
        return self._distinct(network, members[:n], make_generators(searches)), MODEL

    def _distinct(
        self, network: SampledNetwork, members: Tensor, generators: Sequence[torch.Generator]
    ) -> list[NDArray[np.float64]]:
        """The ends of the local searches of weight samples (n,): n points, or all of the space if it has fewer.

        All search at once; those that end where another one did search again among the other points. One that finds no
        allowed point is left out.
        """
        ends = np.empty((0, self.encoding.dimension))
        while len(members):
            function = where_allowed(_Asymptotes(network, members, torch.from_numpy(ends)), self.encoding)
            try:
                points, _ = self._search(function, self.encoding.dimension, generators)
            except NoCandidateError as error:
                found = [place for place in range(len(members)) if place not in error.runs]
                members, generators = members[found], [generators[place] for place in found]
                continue
            different, first = np.unique(points.numpy(), axis=0, return_index=True)
            ends = np.concatenate([ends, different])
            again = np.setdiff1d(np.arange(len(members)), first)
            members, generators = members[again], [generators[place] for place in again]
        return list(ends)

    def _check(self, trial: Trial, outcome: Outcome) -> None:
        if not outcome.failure:
            _curve_of(trial, outcome)

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        curve = None if outcome.failure else _curve_of(trial, outcome)
        point = self._points[trial.info["configuration"]]  # which the last trial of a rung may drop
        super()._observe(trial, outcome)
        self._told.append((point, trial.info["rung"], curve))

    def _state(self) -> dict[str, Any]:
        planned = {number: [np.array(points), origin] for number, (points, origin) in self._planned.items()}
        return {**super()._state(), "told": list(self._told), "planned": planned}

    def _restore(self, state: Mapping[str, Any]) -> None:
        super()._restore(state)
        self._told = [tuple(entry) for entry in state["told"]]
        self._planned = {number: (list(points), origin) for number, (points, origin) in state["planned"].items()}


class _Asymptotes:
    """-g(x, t = 1 | W) for n weight samples W of one run, nan at points (k, d) that are known."""

    logarithmic: ClassVar[bool] = False

    def __init__(self, network: SampledNetwork, members: Tensor, known: Tensor) -> None:
        self.known = known
        self.networks = copy.copy(network)  # n runs of one sample each instead of one run
        self.networks.runs = len(members)
        self.networks.samples = network.samples[members].transpose(0, 1).contiguous()
        self.networks.noise_variance = network.noise_variance[members].transpose(0, 1)

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., n, q, d) to (..., n, q)."""
        values = -self.networks.predict(torch.cat([X, torch.ones_like(X[..., :1])], -1))[0].squeeze(0)
        return torch.where((X.unsqueeze(-2) == self.known).all(-1).any(-1), torch.nan, values)


def _curve_of(trial: Trial, outcome: Outcome) -> NDArray[np.float64]:
    """The learning curve of a success; values that are not finite are infinite."""
    given = outcome.info.get(LEARNING_CURVE)
    try:
        curve = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        curve = np.empty(0)
    if curve.ndim != 1 or not len(curve) or not np.isfinite(curve[-1]):
        raise UserError(
            f"tell: trial {trial.number} has the learning curve {brief(given)}; allowed: the losses after each epoch, "
            f"the last of them finite, as info[{LEARNING_CURVE!r}]"
        )
    return np.where(np.isfinite(curve), curve, np.inf)
