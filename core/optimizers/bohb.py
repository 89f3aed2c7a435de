"""BOHB: Hyperband whose new configurations come from a model (Falkner et al., 2018; thesis 6.3 and Algorithm 7).

With probability rho a new configuration is random. Otherwise the model is that of the largest budget with at least
N_min + 2 observations, the densities l of the N_l best and g of the N_g worst of them (Eq. 6.2),

    N_l = max(N_min, floor(q N_b)),        N_g = max(N_min, N_b - N_l),

which share points while N_b < 2 N_min, as in the text. In the authors' code they never do, and the first model needs
2 N_min observations: `disjoint`. Of N_s points drawn from l with
its bandwidths multiplied by b_w, the one with the largest l / g is proposed.

* b_w multiplies the bandwidths of continuous hyperparameters only, as in the authors' code. The text says "all": a
  factor of 3 makes kernels of binary hyperparameters nearly flat, see papers/bohb/README.md for what that costs.
* Of equal ratios the first drawn wins. If all hyperparameters are choices most picks are such ties, which
  the processor's rounding would otherwise decide.
* q is not printed; 0.15 is the value in the authors' code.
* Failed evaluations rank worst: they count in N_b and may be in g. A budget where so many failed that one would
  have to be in l has no model, since failures are not worth searching near.
* If a hyperparameter is inactive, its coordinate takes the values of the other points of the same set in turn, or is
  spread evenly if all of them lack it, so that imputation leaves its distribution unchanged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.density import KernelDensity
from core.optimizers.base import Outcome, Trial
from core.optimizers.brackets import Bracket
from core.optimizers.hyperband import MODEL, Hyperband
from core.optimizers.points import RANDOM, Archive, Canonical
from core.optimizers.settings import BOHBSettings

DIGITS = 9  # decimals of log l / g; values equal to this many are ties


class BOHB(Hyperband):
    """Hyperband with model-based configurations; arguments and errors are those of `Hyperband`.

    Attributes:
        minimum_points: Number N_min.
    """

    def __init__(
        self,
        space: ConfigurationSpace,
        generator: np.random.Generator,
        minimum_budget: float,
        maximum_budget: float,
        settings: BOHBSettings | None = None,
    ) -> None:
        self.settings: BOHBSettings = settings or BOHBSettings()
        super().__init__(space, generator, minimum_budget, maximum_budget, self.settings)
        self.minimum_points = self.settings.minimum_points or self.encoding.dimension + 1
        self._canonical = Canonical(self.encoding)
        self._told = [Archive(self.encoding.dimension) for _ in self.budgets]
        self._models: dict[int, tuple[int, tuple[KernelDensity, KernelDensity] | None]] = {}

    def model(self) -> tuple[KernelDensity, KernelDensity] | None:
        """The densities l and g of the largest budget that has enough observations, or None. Fitted on demand."""
        needed = 2 * self.minimum_points if self.settings.disjoint else self.minimum_points + 2
        for rung, archive in reversed(list(enumerate(self._told))):
            if len(archive) < needed:
                continue
            if self._models.get(rung, (0,))[0] != len(archive):
                self._models[rung] = (len(archive), self._fit(archive))
            if self._models[rung][1] is not None:
                return self._models[rung][1]
        return None

    def _fit(self, archive: Archive) -> tuple[KernelDensity, KernelDensity] | None:
        order = np.argsort(archive.losses, kind="stable")
        good = max(self.minimum_points, math.floor(self.settings.good_fraction * len(archive) + 1e-9))
        bad = max(self.minimum_points, len(archive) - good)
        if np.isinf(archive.losses[order[good - 1]]):
            return None
        return self._density(archive.points[order[:good]]), self._density(archive.points[order[-bad:]])

    def _density(self, points: NDArray[np.float64]) -> KernelDensity:
        active = self._canonical.active(points)
        points = points if active is None else impute(points, active)
        return KernelDensity.fit(points, self.encoding.cardinalities, self.settings.minimum_bandwidth)

    def learn_on(self, points: NDArray[np.float64], rung: int, losses: NDArray[np.float64]) -> None:
        """Take in losses (n,), infinite for failures, of points (n, d) on the budget of a rung, outside of brackets."""
        self._told[rung].extend(points, losses)

    def choose(self) -> tuple[Mapping[str, Any], str]:
        """A new configuration as for a bracket, given what was told and learnt, and its origin."""
        _, configuration, origin = self._choice()
        return configuration, origin

    def _choose(self, bracket: Bracket) -> tuple[NDArray[np.float64], Mapping[str, Any], str]:
        return self._choice()

    def _choice(self) -> tuple[NDArray[np.float64], Mapping[str, Any], str]:
        settings = self.settings
        if self.generator.random() >= settings.random_fraction and (densities := self.model()) is not None:
            good, bad = densities
            factors = settings.bandwidth_factor, settings.categorical_factor
            drawn = good.sample(settings.samples, self.generator, *factors, redraw=settings.redraw_choices)
            points = self._canonical.allowed(drawn)
            if len(points):
                ratios = good.log_density(points) - bad.log_density(points)
                best = np.argmax(ratios.round(DIGITS))
                return *self._canonical.settle(points[best]), MODEL
        return *self._draws.next(), RANDOM

    def _adopt(self, trial: Trial) -> bool:
        return True

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        if "rung" not in trial.info:  # not one of a bracket
            loss = float("inf") if outcome.failure else outcome.loss
            self._told[-1].add(self.encoding.encode([trial.configuration])[0], loss)
            return
        point = self._points[trial.info["configuration"]]  # which the last trial of a rung may drop
        super()._observe(trial, outcome)
        self._told[trial.info["rung"]].add(point, float("inf") if outcome.failure else outcome.loss)

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "told": [archive.state() for archive in self._told]}

    def _restore(self, state: Mapping[str, Any]) -> None:
        super()._restore(state)
        for archive, entry in zip(self._told, state["told"], strict=True):
            archive.restore(entry)
        self._models = {}


def impute(points: NDArray[np.float64], active: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Points (n, d) with every inactive coordinate replaced, see above; the points passed in are unchanged."""
    points = points.copy()
    for j in np.flatnonzero(~active.all(axis=0)):
        known = points[active[:, j], j]
        missing = len(points) - len(known)
        points[~active[:, j], j] = np.resize(known, missing) if len(known) else (np.arange(missing) + 0.5) / missing
    return points
