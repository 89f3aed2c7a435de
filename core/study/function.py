"""A user's function as the objective that `minimize` evaluates: what it takes besides a configuration, and may return.

loss                                      one number
(loss, cost)                              and what the evaluation cost
{"loss": ..., "cost": ..., "name": ...}   with names of the user's own: constraints, or anything worth recording

Any other text is a name of the user's own, "failure" too: a function fails by raising an exception or returning nan. A
text named "failure" says why a loss is not finite; beside a finite loss it is refused, for one of them is wrong.

`Judged` turns values that are maximized into losses, judges constraints, and tells programming errors from failures.
"""

from __future__ import annotations

import inspect
import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.foundation.errors import UserError, brief
from core.foundation.locks import require_process
from core.objectives.base import (
    FAILURE,
    Configurations,
    Evaluation,
    Fidelity,
    Objective,
    Own,
    WrongReturnError,
    check_budget,
    checked_cost,
    failure_of,
    loss_and_cost,
    number,
)
from core.objectives.guard import message_of
from core.optimizers.base import Trial
from core.study.pruning import Pruned, RunningTrial
from core.study.record import CONSTRAINTS, MARKS, PRUNED, REPORTS, TOLD_LOSS
from core.study.screened import described, is_programming_error
from core.study.states import States
from core.study.time_limit import time_limit

OPTIONAL = ("generator", "state", "trial")  # parameters that a function gets if it has them
RESULTS = ("loss", "value")  # names of the returned number; the second reads better where it is maximized


@dataclass(frozen=True)
class UserFunction:
    """The objective.

    Attributes:
        function: Function of a configuration, and of what `takes` says.
        space: Search space.
        fidelity: Meaning of the budget; None if there is only one.
        worst_loss: Loss of failures.
        takes: Which of `OPTIONAL` the function takes.
        states: Where states are kept; None if it takes none.
        sign: -1 if its values are maximized.
        seconds: How long a call may take; None for no limit.
        trial: Trial that is evaluated.
    """

    optimum: ClassVar[None] = None

    function: Callable[..., Any]
    space: ConfigurationSpace
    fidelity: Fidelity | None
    worst_loss: float
    takes: frozenset[str] = frozenset()
    states: States | None = None
    sign: int = 1
    seconds: float | None = None
    trial: Trial = field(default_factory=lambda: Trial(0, {}))

    def of_trial(self, trial: Trial) -> UserFunction:
        """The same for the evaluation of a trial."""
        return replace(self, trial=trial)

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """One call of the function, for one configuration.

        Raises:
            WrongReturnError, ValueError: the function does not return what it may.
            TimeLimitError: the call took too long, whatever came of it.
            WriteError: it has forked, and this is its child.
            Exception: whatever the function raises.
        """
        [configuration] = configurations
        budget = check_budget(self.fidelity, budget)
        running = RunningTrial(self.trial, budget, self.sign)
        state = {} if self.states is None else self.states.read(configuration, budget)
        given = {"generator": generator, "state": state, "trial": running}
        arguments = (configuration,) if self.fidelity is None else (configuration, budget)
        start, process = time.perf_counter(), os.getpid()
        marks: dict[str, Any] = {}
        try:
            with time_limit(self.seconds):
                returned = self.function(*arguments, **{name: given[name] for name in OPTIONAL if name in self.takes})
                loss, cost, info = self._read(returned, time.perf_counter() - start)
        except Pruned:
            if not running.reports:
                raise
            running.pruned, cost, info = True, time.perf_counter() - start, {}
        require_process(process, "the evaluation")  # before a forked child keeps a state
        if running.reports:
            marks[REPORTS] = [list(report) for report in running.reports]
        if running.pruned:
            marks[PRUNED], last = running.reports[-1]
            loss = self.sign * last
        elif self.states is not None and math.isfinite(loss):
            self.states.write(configuration, budget, state)
        if marks:
            info[MARKS] = marks
        return Evaluation(np.array([loss]), np.array([cost]), (info,))

    def _read(self, returned: Any, seconds: float) -> tuple[float, float, dict[Any, Any]]:
        """Loss, cost and the rest of what the function returned."""
        if not isinstance(returned, Mapping):
            return *loss_and_cost(returned, seconds), {}
        keys = [name for name in RESULTS if name in returned]
        if len(keys) != 1:
            raise WrongReturnError(
                f"the function returned {brief(dict(returned))}, with {'both' if keys else 'neither'} of 'loss' and "
                "'value'; allowed: one of them, and maybe 'cost', constraints and other outcomes"
            )
        if isinstance(returned.get("status"), str) and returned["status"] == "fail":  # as Hyperopt has it
            raise WrongReturnError(
                "the function returned 'status' 'fail', which is an outcome like any other here; allowed: an exception "
                "or the loss nan where an evaluation fails"
            )
        loss = number(returned[keys[0]])
        cost = checked_cost(number(returned["cost"]), returned) if "cost" in returned else seconds
        info: dict[Any, Any] = {key: value for key, value in returned.items() if key not in (*RESULTS, "cost")}
        if FAILURE not in info or (isinstance(info[FAILURE], str) and info[FAILURE] and not math.isfinite(loss)):
            return loss, cost, info
        said = info[Own.FAILURE] = info.pop(FAILURE)
        if isinstance(said, str) and said:
            raise WrongReturnError(
                f"the function returned 'failure' {brief(said)} beside the loss {loss:g}; allowed: an exception or the "
                "loss nan where an evaluation fails, and another name for an outcome that is a text"
            )
        return loss, cost, info


def taken(function: Callable[..., Any], budgeted: bool) -> frozenset[str]:
    """Which of `OPTIONAL` a function takes.

    Raises:
        UserError: the function cannot be called with these arguments.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some callables written in C have no signature
        return frozenset()
    name = getattr(function, "__name__", type(function).__name__)
    for waits in (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction):
        if waits(function) or waits(type(function).__call__):
            kind = "a generator" if waits is inspect.isgeneratorfunction else "asynchronous"
            raise UserError(
                f"function {name}{signature} is {kind}: a call only prepares its work; allowed: a function without "
                "`yield` and `async` that returns its result, such as one that calls `asyncio.run`"
            )
    optional = [name for name in OPTIONAL if name in signature.parameters]
    wanted = ("configuration", "budget") if budgeted else ("configuration",)
    try:
        signature.bind(*wanted, **dict.fromkeys(optional))
    except TypeError as error:
        raise UserError(
            f"function {name}{signature} cannot be called as {name}({', '.join(wanted)}): {error}; allowed: these "
            "arguments, `generator` if it draws random numbers, `state` if it keeps one for larger budgets, and "
            "`trial` if it reports values on the way"
        ) from error
    return frozenset(optional)


@dataclass(frozen=True)
class Judged:
    """The objective around another.

    Attributes:
        inner: Objective that is evaluated.
        worst_loss: Loss of failures.
        sign: -1 if values of the inner objective are maximized.
        constraints: Names of outcomes in the inner objective's `info` that must be at most 0; "failure" stands for the
            failure of an evaluation.
        errors: The last programming error raised in this process; at most one.
    """

    inner: Objective
    worst_loss: float
    sign: int = 1
    constraints: tuple[str, ...] = ()
    errors: list[Exception] = field(default_factory=list, compare=False)

    @property
    def space(self) -> ConfigurationSpace:
        return self.inner.space

    @property
    def fidelity(self) -> Fidelity | None:
        return self.inner.fidelity

    @property
    def optimum(self) -> float | None:
        """None: nobody asks."""
        return None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "errors": []}

    def of_trial(self, trial: Trial) -> Judged:
        """The same for the evaluation of a trial, which functions may ask for; errors go to the same list."""
        of_trial = getattr(self.inner, "of_trial", None)
        return self if of_trial is None else replace(self, inner=of_trial(trial))

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """The evaluation of one configuration; raises whatever the inner objective does, unless it is a mistake."""
        start = time.perf_counter()
        try:
            returned = self.inner.evaluate(configurations, budget, generator)
            return self._judge(returned) if isinstance(returned, Evaluation) and len(returned.info) == 1 else returned
        except Exception as error:
            if not is_programming_error(error, configurations[0], list(self.space)):
                raise
            self.errors[:] = [error]
            info: dict[Any, Any] = {FAILURE: message_of(error), MARKS: described(error)}
            return Evaluation(np.array([np.nan]), np.array([time.perf_counter() - start]), (info,))

    def _judge(self, evaluation: Evaluation) -> Evaluation:
        [info] = evaluation.info
        if failure_of(info) or (self.sign == 1 and not self.constraints):
            return evaluation
        if self.constraints:
            info = self._constrained(info)
        return Evaluation(self.sign * np.asarray(evaluation.loss), evaluation.cost, (info,))

    def _constrained(self, info: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """The same with the constraints among the marks, and what an optimizer is told if one is violated."""
        if FAILURE in self.constraints and Own.FAILURE in info:
            raise WrongReturnError(
                f"the function returned an outcome 'failure', {brief(info[Own.FAILURE])}, but the constraint 'failure' "
                "is that an evaluation does not fail; allowed: another name for the outcome"
            )
        names = [name for name in self.constraints if name != FAILURE]
        missing = [name for name in names if name not in info]
        if missing and PRUNED in info.get(MARKS, {}):  # given up before they were known
            return info
        if missing:
            said = sorted(str(name) for name in info if not isinstance(name, Own))
            raise WrongReturnError(
                f"the function returned no {missing[0]!r} among {brief(said)}; allowed: a dictionary with the "
                f"loss and all constraints, such as {{'loss': 0.1, {missing[0]!r}: -2.0}}"
            )
        values = {name: _constraint(name, info[name]) for name in names}
        others: dict[Any, Any] = {name: value for name, value in info.items() if name not in values}
        for name, value in values.items():
            if math.isnan(value):
                return {**others, FAILURE: f"{name} is nan"}
        violated = any(value > 0 for value in values.values())
        marks = {CONSTRAINTS: values, **({TOLD_LOSS: self.worst_loss} if violated else {})}
        return {**others, MARKS: {**info.get(MARKS, {}), **marks}}


def _constraint(name: str, value: Any) -> float:
    allowed = "allowed: a number that is at most 0 where the constraint is satisfied, such as used - limit"
    if isinstance(value, (bool, np.bool_)):
        raise WrongReturnError(f"the function returned {name!r} {bool(value)}, but it is a constraint; {allowed}")
    return number(value, f"for the constraint {name!r} the function returned", allowed)
