"""Models whose chains continue from one suggestion to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Continued:
    """A source of models that builds one with chains and returns it every time, so that its chains continue."""

    make: Callable[[int], Any]
    model: Any = field(default=None, init=False)
    made_for: int = field(default=0, init=False)

    def __call__(self, n: int) -> Any:
        """The model, built for the number of observations of the first call."""
        if self.model is None:
            self.model, self.made_for = self.make(n), n
        return self.model

    def state(self) -> dict[str, Any]:
        """The state of the chains, empty before the first fit."""
        return {} if self.model is None else {"made_for": self.made_for, "chains": self.model.chain_state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a state."""
        if state:
            self(state["made_for"]).load_chain_state(state["chains"])
