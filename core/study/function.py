"""A user's function as an objective: what it takes besides a configuration, and what it may return.

loss                                      one number
(loss, cost)                              and what the evaluation cost
{"loss": ..., "cost": ..., "name": ...}   with names of the user's own: constraints, or anything worth recording
"""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.benchmarks.base import FAILURE, Configurations, Evaluation, Fidelity, check_budget
from core.benchmarks.returned import WrongReturnError, checked_cost, loss_and_cost, number
from core.errors import UserError, brief
from core.locks import require_process
from core.optimizers.base import Trial
from core.study.pruning import REPORTS, Pruned, RunningTrial
from core.study.record import PRUNED
from core.study.states import States

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
        try:
            returned = self.function(*arguments, **{name: given[name] for name in OPTIONAL if name in self.takes})
        except Pruned:
            if not running.reports:
                raise
            running.pruned, returned = True, self.sign * running.reports[-1][1]
        require_process(process, "the evaluation")  # before a forked child keeps a state
        seconds = time.perf_counter() - start
        loss, cost, info = self._read(returned, seconds)
        if running.reports:
            info[REPORTS] = [list(report) for report in running.reports]
        if running.pruned:
            step, last = running.reports[-1]
            loss, info[PRUNED] = self.sign * last, step
        elif self.states is not None and FAILURE not in info:
            self.states.write(configuration, budget, state)
        return Evaluation(np.array([loss]), np.array([cost]), (info,))

    def _read(self, returned: Any, seconds: float) -> tuple[float, float, dict[str, Any]]:
        if not isinstance(returned, Mapping):
            return *loss_and_cost(returned, seconds), {}
        keys = [name for name in RESULTS if name in returned]
        if len(keys) != 1:
            raise WrongReturnError(
                f"the function returned {brief(dict(returned))}; allowed: a dictionary with 'loss', or 'value' in its "
                "place, and maybe 'cost' and constraints"
            )
        cost = checked_cost(number(returned["cost"]), returned) if "cost" in returned else seconds
        others = {str(key): value for key, value in returned.items() if key not in (*RESULTS, "cost")}
        return number(returned[keys[0]]), cost, others


def taken(function: Callable[..., Any], budgeted: bool) -> frozenset[str]:
    """Which of `OPTIONAL` a function takes.

    Raises:
        UserError: the function cannot be called with these arguments.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some callables written in C have no signature
        return frozenset()
    optional = [name for name in OPTIONAL if name in signature.parameters]
    wanted = ("configuration", "budget") if budgeted else ("configuration",)
    try:
        signature.bind(*wanted, **dict.fromkeys(optional))
    except TypeError as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise UserError(
            f"function {name}{signature} cannot be called as {name}({', '.join(wanted)}): {error}; allowed: these "
            "arguments, `generator` if it draws random numbers, `state` if it keeps one for larger budgets, and "
            "`trial` if it reports values on the way"
        ) from error
    return frozenset(optional)
