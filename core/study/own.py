"""A user's own optimizer: any object with `ask` and `tell`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from core.foundation.errors import UserError, brief
from core.optimizers.base import ENQUEUED, Optimizer, Outcome, Trial
from core.optimizers.told import EvaluationLike, as_evaluation
from core.spaces import CubeEncoding, SpaceLike

NUMBER = "own number"  # the note with the number that the object gave its trial


class OwnOptimizer(Optimizer):
    """Asks an object for trials and tells it their evaluations: a study needs nothing else from a method.

        class Mine:
            def ask(self, n):                       # at most n configurations, or trials with budgets
                return [{"x": 0.5}]
            def tell(self, trial, evaluation):      # evaluation.loss[0]; a failure has the worst-case loss
                ...

    Trials are numbered here, but an object that gives trials is told them under its own numbers. An object that
    proposes nothing while no trial is pending has finished. Its state is its own: when a journal is replayed, it is
    told the earlier evaluations without being asked for them, so that its next proposals depend on what it learnt.

    Raises:
        UserError: the object lacks one of the two methods; in `ask`, it proposes something else than a configuration
            of the space.
    """

    def __init__(self, space: SpaceLike, own: Any) -> None:
        super().__init__(space)
        if not all(callable(getattr(own, name, None)) for name in ("ask", "tell")):
            raise UserError(f"method is {brief(own)}; allowed: an object with ask(n) and tell(trial, evaluation)")
        self.own, self.encoding = own, CubeEncoding(self.space)
        self._theirs: dict[int, Trial] = {}
        self._exhausted = False

    @property
    def finished(self) -> bool:
        """Whether the object was asked and had nothing to propose while no trial was pending."""
        return self._exhausted

    def settings_of_process(self) -> AbstractContextManager[None]:
        """No other settings: the object may rely on those that its process has."""
        return nullcontext()

    def _propose(self) -> tuple[Mapping[str, Any], float | None, Mapping[str, Any]] | None:
        returned = self.own.ask(1)
        given = [] if returned is None else list(returned) if isinstance(returned, Iterable) else [returned]
        if not given:
            self._exhausted = not self.pending
            return None
        trial = Trial(self._asked, given[0]) if isinstance(given[0], Mapping) else given[0]
        alone = len(given) == 1 and not isinstance(returned, Mapping)
        if not alone or not isinstance(trial, Trial) or not isinstance(trial.configuration, Mapping):
            raise UserError(
                f"{type(self.own).__name__}.ask(1) returned {brief(returned)}; allowed: a list of at most one trial or "
                "configuration, a dictionary of values by name"
            )
        try:
            self.encoding.encode([trial.configuration])
        except UserError as error:
            proposed = f"{type(self.own).__name__}.ask(1) proposed {brief(dict(trial.configuration))}"
            raise UserError(f"{proposed}: {error}") from error
        if trial is not given[0]:
            return trial.configuration, None, {}
        self._theirs[self._asked] = trial
        return trial.configuration, trial.budget, {**trial.info, NUMBER: trial.number}

    def adopt(self, trial: Trial) -> None:
        """Treat a trial of a journal as if it had been asked for."""
        self.pending[trial.number], self._asked = trial, trial.number + 1
        if trial.info.get("origin") == ENQUEUED:
            del self._enqueued[:1]
        if NUMBER in trial.info:
            theirs = {key: value for key, value in trial.info.items() if key != NUMBER}
            self._theirs[trial.number] = replace(trial, number=trial.info[NUMBER], info=theirs)

    def tell(self, trial: Trial, evaluation: EvaluationLike) -> None:
        """Pass a finished trial's evaluation on to the object; raises as `Optimizer.tell`."""
        super().tell(trial, evaluation)
        self.own.tell(self._theirs.pop(trial.number, trial), as_evaluation(evaluation))

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        """Does nothing: the object is told instead."""

    def _state(self) -> dict[str, Any]:
        raise UserError(f"{type(self.own).__name__}: the state of an optimizer of one's own is not known")

    def _restore(self, state: Mapping[str, Any]) -> None:
        raise UserError(f"{type(self.own).__name__}: the state of an optimizer of one's own is not known")
