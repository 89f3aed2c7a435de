"""Ranges of numbers: without a name, for dictionaries, and in steps.

    {"lr": Float(1e-5, 1e-1, log=True), "units": Integer(8, 512), "batch": range(16, 257, 16)}

ConfigSpace's classes of these names want the hyperparameter's name first, which a dictionary has already. Its ordinal
hyperparameter lists all values and compares each with all before; `Steps` is one that knows them by their rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from ConfigSpace import Float as NamedFloat
from ConfigSpace import Integer as NamedInteger
from ConfigSpace import OrdinalHyperparameter
from ConfigSpace.hyperparameters import Hyperparameter
from ConfigSpace.hyperparameters.distributions import UniformIntegerDistribution
from ConfigSpace.hyperparameters.hp_components import TransformerSeq, ordinal_neighborhood
from numpy.typing import NDArray

from core.foundation.validation import require_flag
from core.spaces.columns import DEFAULT_SET
from core.spaces.stored import whole_number

LISTED = 1000  # numbers of a range up to which its text has all of them


@dataclass(frozen=True)
class Float:
    """Real numbers.

    Attributes:
        low, high: Ends of the range, both included.
        log: Whether the logarithm is searched, for numbers above 0 whose ratio matters, such as learning rates.
        default: Value with which `minimize` begins, and that an inactive hyperparameter counts as; the middle of the
            range unless given, with which nothing begins.
    """

    low: float
    high: float
    log: bool = False
    default: float | None = None

    def __post_init__(self) -> None:
        require_flag("Float.log", self.log)

    def named(self, name: str) -> Hyperparameter[Any, Any]:
        """ConfigSpace's hyperparameter; raises ValueError or TypeError for ends that are no range."""
        ends, meta = (float(self.low), float(self.high)), _meta(self.default)
        return NamedFloat(name, ends, log=self.log, default=self.default, meta=meta)


@dataclass(frozen=True)
class Integer:
    """Whole numbers; attributes as `Float`'s."""

    low: int
    high: int
    log: bool = False
    default: int | None = None

    def __post_init__(self) -> None:
        require_flag("Integer.log", self.log)

    def named(self, name: str) -> Hyperparameter[Any, Any]:
        """As `Float.named`; it also refuses ends that are not whole."""
        if any(isinstance(end, bool) or int(end) != end for end in (self.low, self.high)):
            raise ValueError("the ends are not whole numbers")
        ends, meta = (int(self.low), int(self.high)), _meta(self.default)
        return NamedInteger(name, ends, log=self.log, default=self.default, meta=meta)


class Steps(OrdinalHyperparameter):
    """The integers of a `range` in ascending order, in memory and time that do not depend on their number."""

    def __init__(self, name: str, numbers: range) -> None:
        self.sequence: Sequence[int] = numbers if numbers.step > 0 else numbers[::-1]  # type: ignore[assignment]
        self._contains_sequence_as_value = False
        distribution = UniformIntegerDistribution(size=len(numbers))
        Hyperparameter.__init__(
            self,
            name=name,
            size=len(numbers),
            default_value=self.sequence[0],
            meta=None,
            transformer=_Places(self.sequence),
            neighborhood=partial(ordinal_neighborhood, size=len(numbers)),
            vector_dist=distribution,
            neighborhood_size=self._ordinal_neighborhood_size,
            value_cast=None,
        )

    def __str__(self) -> str:
        """As ConfigSpace's ordinal hyperparameters have it, but short."""
        numbers = [*map(str, self.sequence[:LISTED])]
        if len(self.sequence) > LISTED:
            numbers = [*numbers[:2], "...", str(self.sequence[-1])]
        return f"{self.name}, Type: Ordinal, Sequence: {{{', '.join(numbers)}}}, Default: {self.default_value}"


class _Places(TransformerSeq):
    """ConfigSpace's vectors of a range's numbers: their places in it."""

    def __init__(self, seq: Sequence[int]) -> None:
        self.seq: Any = seq
        self.lower_vectorized, self.upper_vectorized = np.float64(0), np.float64(len(seq))
        self._lookup = None

    def __eq__(self, other: object, /) -> bool:
        return isinstance(other, _Places) and self.seq == other.seq

    def to_vector(self, value: Any) -> NDArray[np.float64]:
        """The places (n,) of numbers (n,)."""
        return np.array([self.seq.index(int(each)) for each in value], dtype=np.float64)

    def legal_value(self, value: Any) -> NDArray[np.bool_]:
        """Whether each of the values (n,) is a number of the range, (n,)."""
        return np.array([self.legal_value_single(each) for each in value], dtype=np.bool_)

    def legal_value_single(self, value: Any) -> bool:
        """Whether a value is a number of the range."""
        number = whole_number(value)
        return number is not None and number in self.seq


def _meta(default: float | None) -> dict[str, bool] | None:
    return None if default is None else {DEFAULT_SET: True}
