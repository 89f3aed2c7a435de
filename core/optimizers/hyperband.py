"""Successive halving (Jamieson and Talwalkar, 2016; thesis Algorithm 8) and Hyperband (Li et al., 2017; Algorithm 6).

They and BOHB share brackets evaluated by one pool of workers (thesis 6.3.2). Whenever a worker is free, it gets the
waiting configuration with the smallest budget; among brackets with the same budget, the one that began first. A new
bracket begins only if none has a configuration waiting: while a rung of one bracket is still being evaluated, the free
workers begin the next bracket. With one worker, brackets follow one another. The authors' code serves the bracket that
began first, whatever its budget: `oldest_first`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.optimizers.base import Optimizer, Outcome, Trial
from core.optimizers.brackets import Bracket, bracket_size, promoted, rounded_up, rung_budgets
from core.optimizers.points import RANDOM, UniformDraws
from core.optimizers.settings import BanditSettings, HyperbandSettings, SuccessiveHalvingSettings
from core.spaces import CubeEncoding

PROMOTED = "promoted"
MODEL = "model"  # the origin of a trial whose configuration a subclass' model chose


class Bandit(Optimizer):
    """Base: a subclass defines how the brackets begin, and may choose new configurations other than at random.

    The `info` of a trial holds its bracket (from 0), its rung (0 is the smallest budget), the configuration's number
    (from 0, in the order of choosing) and its origin: "random", "promoted", or another that a subclass adds.

    Args:
        space: Search space.
        generator: Source of all random numbers.
        minimum_budget, maximum_budget: Smallest and largest budget.
        settings: Settings.

    Attributes:
        budgets: Budgets of the rungs 0, 1, .., ascending.

    Raises:
        UserError: budgets not ascending and positive, or a space with nothing to choose.
    """

    def __init__(
        self,
        space: ConfigurationSpace,
        generator: np.random.Generator,
        minimum_budget: float,
        maximum_budget: float,
        settings: BanditSettings,
    ) -> None:
        super().__init__(space)
        self.settings: BanditSettings = settings
        # Not all methods have these.
        self._oldest_first = bool(getattr(settings, "oldest_first", False))
        self._floored = bool(getattr(settings, "floored_sizes", False))
        self.budgets = rung_budgets(minimum_budget, maximum_budget, settings.eta)
        self.encoding = CubeEncoding(space)
        self.generator = generator
        self._draws = UniformDraws(self.encoding, generator)
        self._begun = 0
        self._running: dict[int, Bracket] = {}
        self._chosen = 0
        self._configurations: dict[int, Mapping[str, Any]] = {}  # of those that may still be promoted, by number
        self._points: dict[int, NDArray[np.float64]] = {}  # of the same, in the same order

    @abstractmethod
    def _first_rung(self, number: int) -> tuple[int, int]:
        """The rung on which bracket `number` begins, and the number of configurations it begins with."""

    def _choose(self, bracket: Bracket) -> tuple[NDArray[np.float64], Mapping[str, Any], str]:
        """A new configuration for a bracket's first rung: its canonical point (d,), its values, and its origin."""
        return *self._draws.next(), RANDOM

    @property
    def evaluations_to_largest(self) -> int:
        """The number of evaluations with the first one on the largest budget, if one worker makes them.

        With several, free workers begin the next bracket meanwhile, and it takes more.
        """
        (rung, size), before = self._first_rung(0), 0
        for _ in self.budgets[rung:-1]:
            before, size = before + size, promoted(size, self.settings.eta)
        return before + 1

    @property
    def promotable(self) -> list[Mapping[str, Any]]:
        """The configurations that may still be evaluated on a larger budget."""
        return list(self._configurations.values())

    @property
    def ends(self) -> bool:
        """Whether it finishes by itself."""
        return self.settings.brackets is not None

    @property
    def finished(self) -> bool:
        """Whether all brackets are done."""
        return self._begun == self.settings.brackets and not self._running

    def _propose(self) -> tuple[Mapping[str, Any], float, Mapping[str, Any]] | None:
        bracket = self._ready_bracket()
        if bracket is None:
            return None
        if bracket.waiting:
            configuration, origin = bracket.waiting.pop(0), PROMOTED
        else:
            configuration = self._chosen
            self._points[configuration], self._configurations[configuration], origin = self._choose(bracket)
            self._chosen += 1
        bracket.started += 1
        info = {"bracket": bracket.number, "rung": bracket.rung, "configuration": configuration, "origin": origin}
        return self._configurations[configuration], self.budgets[bracket.rung], info

    def _ready_bracket(self) -> Bracket | None:
        ready = [bracket for bracket in self._running.values() if bracket.ready]
        if ready:
            return min(ready, key=lambda bracket: (0 if self._oldest_first else bracket.rung, bracket.number))
        if self._begun == self.settings.brackets:
            return None
        bracket = Bracket(self._begun, *self._first_rung(self._begun), top=len(self.budgets) - 1)
        self._running[bracket.number] = bracket
        self._begun += 1
        return bracket

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        bracket = self._running[trial.info["bracket"]]
        loss = float("inf") if outcome.failure else outcome.loss
        for configuration in bracket.tell(loss, trial.number, trial.info["configuration"], self.settings.eta):
            del self._points[configuration], self._configurations[configuration]
        if bracket.done:
            del self._running[bracket.number]

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), "budgets": self.budgets}

    def _state(self) -> dict[str, Any]:
        return {
            "draws": self._draws.state(),
            "begun": self._begun,
            "running": [bracket.state() for bracket in self._running.values()],
            "chosen": self._chosen,
            "configurations": {number: dict(values) for number, values in self._configurations.items()},
            "points": np.array(list(self._points.values())).reshape(-1, self.encoding.dimension),
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        self._draws.restore(state["draws"])
        self._begun = state["begun"]
        self._running = {entry["number"]: Bracket.restored(entry) for entry in state["running"]}
        self._chosen = state["chosen"]
        self._configurations = dict(state["configurations"])
        self._points = dict(zip(self._configurations, state["points"], strict=True))


class SuccessiveHalving(Bandit):
    """Brackets that all begin on the smallest rung, with the same number of random configurations.

    Arguments and errors are those of `Bandit`.

    Attributes:
        configurations: Number of configurations with which a bracket begins.
    """

    def __init__(
        self,
        space: ConfigurationSpace,
        generator: np.random.Generator,
        minimum_budget: float,
        maximum_budget: float,
        settings: SuccessiveHalvingSettings | None = None,
    ) -> None:
        settings = settings or SuccessiveHalvingSettings()
        super().__init__(space, generator, minimum_budget, maximum_budget, settings)
        self.configurations = settings.configurations or rounded_up(settings.eta ** (len(self.budgets) - 1))

    def _first_rung(self, number: int) -> tuple[int, int]:
        return 0, self.configurations


class Hyperband(Bandit):
    """Brackets of random configurations that begin on the rungs 0, 1, .., s_max, then on rung 0 again.

    A bracket that promotes s times begins with ceil((s_max + 1) / (s + 1) eta^s) configurations, as in the thesis and
    Li et al.; the authors' code begins with floor((s_max + 1) / (s + 1)) eta^s: 81, 27, 9, 6 and 5 instead of 81, 34,
    15, 8 and 5.

    Arguments and errors are those of `Bandit`; the settings may be those of a method that adds a model.
    """

    def __init__(
        self,
        space: ConfigurationSpace,
        generator: np.random.Generator,
        minimum_budget: float,
        maximum_budget: float,
        settings: BanditSettings | None = None,
    ) -> None:
        super().__init__(space, generator, minimum_budget, maximum_budget, settings or HyperbandSettings())

    def _first_rung(self, number: int) -> tuple[int, int]:
        rungs = len(self.budgets)
        rung = number % rungs
        return rung, bracket_size(rung, rungs, self.settings.eta, self._floored)
