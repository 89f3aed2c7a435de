"""Optimizers of other libraries: their state is the sequence of asks and tells, and repeating it restores them.

A library keeps its state in objects that only it understands, and files should not hold their code. A search that
is deterministic given its seed needs none of them: rebuilt, asked and told the same, it is where it was. The
configurations that it proposes on the way are compared with the earlier ones, so that another version of the
library, or another space, is noticed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.foundation.errors import UserError
from core.optimizers.base import Optimizer, Outcome, Trial
from core.spaces import CubeEncoding


class RestorableSearch(Protocol):
    """The wrapper of a library; deterministic given its seed."""

    @property
    def exhausted(self) -> bool:
        """Whether there will never be anything to propose again."""
        ...

    def propose(self, number: int) -> dict[str, Any] | None:
        """The configuration of trial `number`, or None, with nothing changed, while there is nothing to propose."""

    def observe(self, number: int, outcome: Outcome) -> None:
        """Take in the outcome of trial `number`."""


@runtime_checkable
class AdoptingSearch(RestorableSearch, Protocol):
    """One that also observes configurations that it did not propose."""

    def adopt(self, number: int, configuration: Mapping[str, Any]) -> bool:
        """Prepare to observe a configuration as trial `number`, which is negative if it was evaluated elsewhere.

        Returns:
            Whether it can be taken in at this point; otherwise nothing has changed.
        """


class ReplayedOptimizer(Optimizer):
    """Base of the optimizers that wrap a library. A subclass defines how its search starts.

    Args:
        space: Search space.
        generator: Generator of one number, which seeds the search.

    Raises:
        UserError: a space with nothing to choose.
    """

    def __init__(self, space: ConfigurationSpace, generator: np.random.Generator) -> None:
        super().__init__(space)
        self.encoding = CubeEncoding(space)
        self._seed = int(generator.integers(2**31))
        # (configuration,) asked, (number, configuration) adopted, or (number, loss, cost, failure) told
        self._events: list[tuple[Any, ...]] = []
        self._search = self._start(self._seed)

    @abstractmethod
    def _start(self, seed: int) -> RestorableSearch:
        """A fresh search, which has been asked and told nothing."""

    @property
    def finished(self) -> bool:
        """Whether the library has nothing left to propose."""
        return self._search.exhausted

    def _propose(self) -> tuple[Mapping[str, Any], None, Mapping[str, Any]] | None:
        configuration = self._search.propose(self._asked)
        if configuration is None:
            return None
        self._events.append((configuration,))
        return configuration, None, {}

    def _adopt(self, trial: Trial) -> bool:
        search, configuration = self._search, dict(trial.configuration)
        able = isinstance(search, AdoptingSearch) and search.adopt(trial.number, configuration)
        if able or trial.number >= 0:
            self._events.append((trial.number, configuration))
        return able

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        self._search.observe(trial.number, outcome)
        self._events.append((trial.number, outcome.loss, outcome.cost, outcome.failure))

    def _state(self) -> dict[str, Any]:
        return {"seed": self._seed, "events": list(self._events)}

    def _restore(self, state: Mapping[str, Any]) -> None:
        search, asked = self._start(state["seed"]), 0
        for event in state["events"]:
            if len(event) == 2:
                if isinstance(search, AdoptingSearch):
                    search.adopt(*event)
                asked = max(asked, event[0] + 1)
                continue
            if len(event) > 1:
                search.observe(event[0], Outcome(*event[1:]))
                continue
            configuration = search.propose(asked)
            if configuration != event[0]:
                raise UserError(
                    f"{type(self).__name__}: trial {asked} was {event[0]} and is {configuration} when repeated; "
                    "allowed: the state of an optimizer with the same space, settings and library version"
                )
            asked += 1
        self._seed, self._events, self._search = state["seed"], list(state["events"]), search
