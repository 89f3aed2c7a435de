"""Searches of milliseconds that keep everything a search can keep: a journal, states of trainings, states of models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from core import minimize
from core.study.result import Result
from tests.core.study.bowl import SPACE, bowl, outcomes

SEARCHES: dict[str, dict[str, Any]] = {
    "random": {"method": "random", "evaluations": 12},
    "tpe": {"method": "tpe", "evaluations": 14},
    "checkpoints": {"method": "hyperband", "budgets": (1, 9), "evaluations": 17},
}


class Counted:
    """Loss of a configuration, or of what a training of so many epochs reaches; counts its calls.

    Args:
        interrupt_at: The call that is interrupted; the next goes on.
    """

    def __init__(self, interrupt_at: int = 0) -> None:
        self.calls, self.interrupt_at = 0, interrupt_at

    def count(self) -> None:
        self.calls += 1
        if self.calls == self.interrupt_at:
            raise KeyboardInterrupt

    def plain(self, configuration):
        self.count()
        return bowl(configuration)

    def trained(self, configuration, budget, state):
        self.count()
        state["epochs"] = state.get("epochs", 0) + (budget - state.get("epochs", 0))
        return bowl(configuration) + 1 / state["epochs"]


def search(kind: str, journal: Path | None, counted: Counted | None = None) -> Result:
    """Begin a search, or resume it."""
    counted = counted or Counted()
    function: Callable[..., float] = counted.trained if kind == "checkpoints" else counted.plain
    return minimize(function, SPACE, journal=journal, progress=False, seed=3, **SEARCHES[kind])


def expected_of(kind: str) -> list:
    """The outcomes of a search that nothing disturbs."""
    return outcomes(search(kind, None))
