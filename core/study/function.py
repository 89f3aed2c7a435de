"""A user's function as an objective: what it takes besides a configuration, and what it may return.

loss                                      one number
(loss, cost)                              and what the evaluation cost
{"loss": ..., "cost": ..., "name": ...}   with names of the user's own: constraints, or anything worth recording

Any other text is a name of the user's own, "failure" too: a function fails by raising an exception or returning nan. A
text named "failure" says why a loss is not finite; beside a finite loss it is refused, for one of them is wrong.
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
from core.objectives.base import FAILURE, Configurations, Evaluation, Fidelity, Own, check_budget
from core.objectives.returned import WrongReturnError, checked_cost, loss_and_cost, number
from core.optimizers.base import Trial
from core.study.pruning import Pruned, RunningTrial
from core.study.record import MARKS, PRUNED, REPORTS
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
                f"the function returned {brief(dict(returned))}; allowed: a dictionary with 'loss', or 'value' in its "
                "place, and maybe 'cost' and constraints"
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
