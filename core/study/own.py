"""A user's own optimizer: any object with `ask` and `tell`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.benchmarks.objective import Evaluation
from core.errors import UserError
from core.optimizers.base import Optimizer, Outcome, Trial
from core.spaces import SpaceLike


class OwnOptimizer(Optimizer):
    """Asks an object for trials and tells it their evaluations, which is all that a study needs of a method.

        class Mine:
            def ask(self, n):                       # at most n configurations, or trials with budgets
                return [{"x": 0.5}]
            def tell(self, trial, evaluation):      # evaluation.loss[0]; a failure has the worst-case loss
                ...

    Trials are numbered here. An object that proposes nothing while no trial is pending has finished. Its state is its
    own: when a journal is replayed, it is told what was told before but not asked for it, so that what it proposes
    next depends on what it learnt.

    Raises:
        UserError: the object lacks one of the two methods.
    """

    def __init__(self, space: SpaceLike, own: Any) -> None:
        super().__init__(space)
        if not all(callable(getattr(own, name, None)) for name in ("ask", "tell")):
            raise UserError(f"method is {own!r}; allowed: an object with ask(n) and tell(trial, evaluation)")
        self.own = own
        self._theirs: dict[int, Trial] = {}
        self._exhausted = False

    @property
    def finished(self) -> bool:
        """Whether it was asked and had nothing to propose while no trial was pending."""
        return self._exhausted

    def _propose(self) -> tuple[Mapping[str, Any], float | None, Mapping[str, Any]] | None:
        given = list(self.own.ask(1) or ())
        if not given:
            self._exhausted = not self.pending
            return None
        if len(given) > 1 or not isinstance(given[0], (Trial, Mapping)):
            raise UserError(
                f"{type(self.own).__name__}.ask(1) returned {given!r}; allowed: a list of at most one configuration"
            )
        if isinstance(given[0], Mapping):
            return given[0], None, {}
        self._theirs[self._asked] = given[0]
        return given[0].configuration, given[0].budget, given[0].info

    def adopt(self, entry: Mapping[str, Any]) -> None:
        """Treat a trial of a journal as one that was asked for."""
        trial = Trial(**entry)
        self.pending[trial.number], self._asked = trial, trial.number + 1

    def tell(self, trial: Trial, evaluation: Evaluation) -> None:
        """Pass a finished trial's evaluation on to the object; raises as `Optimizer.tell`."""
        super().tell(trial, evaluation)
        self.own.tell(self._theirs.pop(trial.number, trial), evaluation)

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        """Does nothing: the object is told instead."""

    def _state(self) -> dict[str, Any]:
        raise UserError(f"{type(self.own).__name__}: the state of an optimizer of one's own is not known")

    def _restore(self, state: Mapping[str, Any]) -> None:
        raise UserError(f"{type(self.own).__name__}: the state of an optimizer of one's own is not known")
