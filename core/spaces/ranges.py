"""Ranges of numbers without a name, for dictionaries: {"lr": Float(1e-5, 1e-1, log=True), "units": Integer(8, 512)}.

ConfigSpace's classes of these names want the hyperparameter's name first, which a dictionary has already.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ConfigSpace import Float as NamedFloat
from ConfigSpace import Integer as NamedInteger
from ConfigSpace.hyperparameters import Hyperparameter


@dataclass(frozen=True)
class Float:
    """Real numbers.

    Attributes:
        low, high: Ends of the range, both included.
        log: Whether the logarithm is searched, for numbers above 0 whose ratio matters, such as learning rates.
        default: Value that an inactive hyperparameter counts as; the middle of the range unless given.
    """

    low: float
    high: float
    log: bool = False
    default: float | None = None

    def named(self, name: str) -> Hyperparameter[Any, Any]:
        """ConfigSpace's hyperparameter; raises ValueError or TypeError for ends that are no range."""
        return NamedFloat(name, (float(self.low), float(self.high)), log=self.log, default=self.default)


@dataclass(frozen=True)
class Integer:
    """Whole numbers; attributes as `Float`'s."""

    low: int
    high: int
    log: bool = False
    default: int | None = None

    def named(self, name: str) -> Hyperparameter[Any, Any]:
        """As `Float.named`; it also refuses ends that are not whole."""
        if any(isinstance(end, bool) or int(end) != end for end in (self.low, self.high)):
            raise ValueError("the ends are not whole numbers")
        return NamedInteger(name, (int(self.low), int(self.high)), log=self.log, default=self.default)
