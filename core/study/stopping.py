"""What ends a search before its evaluations are used up: its time, a good enough loss, or a callback of the user."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from core.foundation.errors import UserError, brief
from core.foundation.validation import require_number
from core.study.record import Record, counts

Callback = Callable[[Any], object]
"""From the `Result` so far to whether to stop."""
EVALUATIONS, SECONDS, TARGET, CALLBACK = "evaluations", "seconds", "target", "callback"
METHOD, INTERRUPTED = "method", "interrupted"
DEFAULT_EVALUATIONS = 100


class InterruptedSearch(KeyboardInterrupt):
    """A search that was interrupted.

    Attributes:
        result: `Result` of what had finished.
    """

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result


class Stop:
    """Decides whether a search is over.

    Args:
        seconds: Seconds after which nothing new begins, on the clock of the run; None for no limit.
        target: Loss that is good enough, on the largest budget, or with a `sign` of -1 minus that; None for none.
        largest: The largest budget; None without budgets.
        callback: Function of the result so far, asked after each new evaluation; what is true, or a StopIteration that
            it raises, ends the search.

    Attributes:
        reason: Why the search is over; empty as long as it is not.

    Raises:
        UserError: seconds that are not positive, a target that is not finite, or a callback that cannot be called.
    """

    def __init__(
        self,
        seconds: float | None,
        target: float | None,
        largest: float | None,
        callback: Callback | None,
        sign: int = 1,
    ) -> None:
        if seconds is not None:
            require_number(
                "seconds", seconds, lambda value: 0 < value < math.inf, "positive and finite numbers, or None"
            )
        if target is not None:
            require_number("target", target, math.isfinite, "a finite number, or None")
        if callback is not None and not callable(callback):
            raise UserError(f"callback is {brief(callback)}; allowed: a function of the result so far, or None")
        self.seconds, self.largest, self.callback = seconds, largest, callback
        self.target = None if target is None else sign * float(target)
        self.reason = ""

    def over(self, now: float) -> bool:
        """Whether the search is over at this time on its clock."""
        if not self.reason and self.seconds is not None and now >= self.seconds:
            self.reason = SECONDS
        return bool(self.reason)

    def see(self, record: Record) -> None:
        """Take in an evaluation, new or from a journal."""
        enough = self.target is not None and counts(record) and record.loss <= self.target
        if enough and (self.largest is None or record.budget == self.largest):
            self.reason = self.reason or TARGET

    def ask(self, result: Callable[[], Any]) -> None:
        """Ask the callback; `result` makes the result so far."""
        if self.callback is None:
            return
        try:
            wanted = bool(self.callback(result()))
        except StopIteration:
            wanted = True
        if wanted:
            self.reason = self.reason or CALLBACK
