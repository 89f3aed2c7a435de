"""Budgets and sizes of Hyperband's brackets, and one run of successive halving (thesis Algorithms 6 and 8).

Rungs are numbered from the smallest budget: rung k is b_max eta^-(s_max - k), so rung 0 is the smallest budget that is
used and rung s_max = floor(log_eta(b_max / b_min)) is b_max. A bracket that promotes s times starts on rung s_max - s.
For eta = 3 and b_max / b_min = 81 the five brackets start with 81, 34, 15, 8 and 5 configurations on rungs 0 to 4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from numbers import Real
from typing import Any

from core.foundation.errors import UserError, brief

ROUNDING = 1e-9  # relative: ratios of budgets this close to a power of eta count as that power
MOST_APART = 1e9  # ratio of the largest to the smallest budget: a bracket starts with about as many configurations


def rung_budgets(minimum: float, maximum: float, eta: float) -> tuple[float, ...]:
    """The budgets b_max eta^-(s_max - k) of the rungs k = 0, 1, .., s_max, ascending.

    Raises:
        UserError: budgets that are not 0 < minimum <= maximum <= 1e9 minimum, or eta below 2.
    """
    for name, value in (("minimum_budget", minimum), ("maximum_budget", maximum), ("eta", eta)):
        if isinstance(value, bool) or not isinstance(value, Real) or not _finite(value):
            raise UserError(f"{name} is {brief(value)}; allowed: a finite number")
    if minimum <= 0 or minimum > maximum:
        raise UserError(f"budgets from {minimum} to {maximum}; allowed: 0 < minimum_budget <= maximum_budget")
    if float(maximum) / float(minimum) > MOST_APART:
        raise UserError(
            f"budgets from {minimum} to {maximum} are {float(maximum) / float(minimum):.3g} times apart; "
            f"allowed: at most {MOST_APART:g} times"
        )
    if eta < 2:
        raise UserError(f"eta is {eta}; allowed: numbers from 2")
    minimum, maximum = float(minimum), float(maximum)
    budgets = [maximum]
    while maximum / eta ** len(budgets) >= minimum * (1 - ROUNDING):
        budgets.append(float(max(minimum, maximum / eta ** len(budgets))))
    return tuple(reversed(budgets))


def _finite(value: Real) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False


def bracket_size(first: int, rungs: int, eta: float, floored: bool = False) -> int:
    """Number of configurations with which a bracket starts: ceil((s_max + 1) / (s + 1) eta^s), Algorithm 6, line 3.

    Args:
        first: Rung on which the bracket starts, s_max - s.
        rungs: Number of rungs, s_max + 1.
        eta: Ratio of successive budgets.
        floored: Whether the number is that of the authors' code, floor((s_max + 1) / (s + 1)) eta^s, rounded down.
    """
    promotions = rungs - 1 - first  # s
    if floored:
        return math.floor(rungs // (promotions + 1) * eta**promotions * (1 + ROUNDING))
    return rounded_up(rungs * eta**promotions / (promotions + 1))


def epochs_of_brackets(brackets: int, minimum: float, maximum: float, eta: float, floored: bool = False) -> int:
    """Epochs that brackets of Hyperband train, its budgets cut down to whole epochs.

    The first bracket begins on the smallest budget, the last of a round with full trainings, and then again.
    """
    budgets = rung_budgets(minimum, maximum, eta)

    def bracket(first: int) -> int:
        size, cost = bracket_size(first, len(budgets), eta, floored), 0
        for budget in budgets[first:]:
            cost += size * int(budget)
            size = promoted(size, eta)
        return cost

    costs = [bracket(first) for first in range(len(budgets))]
    return sum(costs[number % len(costs)] for number in range(brackets))


def rounded_up(size: float) -> int:
    """The smallest whole number not below a number of configurations, up to rounding."""
    return math.ceil(size * (1 - ROUNDING))


def promoted(size: int, eta: float) -> int:
    """Number of a rung's configurations that are promoted: floor(size / eta), Algorithm 8, line 4, but at least one.

    The floor is 0 for a size below eta, which a fractional eta or few configurations can lead to: without
    this rule such a bracket would end before the largest budget.
    """
    return max(1, math.floor(size / eta * (1 + ROUNDING)))


@dataclass
class Bracket:
    """A run of successive halving. Configurations are numbers.

    Attributes:
        number: Number of the bracket, from 0.
        rung: Current rung; beyond `top` when the bracket is done.
        size: Number of configurations on this rung.
        top: Rung of the largest budget.
        started: Number of these configurations that have been proposed.
        waiting: Configurations promoted to this rung and not yet proposed, best first.
        results: Tuples (loss, trial, configuration) of the configurations that were told.
    """

    number: int
    rung: int
    size: int
    top: int
    started: int = 0
    waiting: list[int] = field(default_factory=list)
    results: list[tuple[float, int, int]] = field(default_factory=list)

    @property
    def ready(self) -> bool:
        """Whether the bracket has a configuration to propose, or room for a new one."""
        return self.started < self.size

    @property
    def done(self) -> bool:
        return self.rung > self.top

    def tell(self, loss: float, trial: int, configuration: int, eta: float) -> list[int]:
        """Record a loss, infinite for a failure; the last one of a rung promotes the best to the next larger budget.

        Returns the configurations that are dropped: none before the last loss of a rung.

        Equal losses, failures among them, are ranked by their trials' numbers: a rung where everything fails still
        promotes, since what fails on a small budget may succeed on a larger one.
        """
        self.results.append((loss, trial, configuration))
        if len(self.results) < self.size:
            return []
        ranked, going = [configuration for _, _, configuration in sorted(self.results)], promoted(self.size, eta)
        self.rung += 1
        self.size, self.started, self.results = going, 0, []
        self.waiting = ranked[:going]
        return ranked if self.done else ranked[going:]

    def state(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> Bracket:
        """The inverse of `state`."""
        return cls(**{**state, "waiting": list(state["waiting"]), "results": [tuple(r) for r in state["results"]]})
