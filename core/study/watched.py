"""A watched optimizer of the user: anything that it does wrong stops the run with one line that says where.

`OwnOptimizer` waits for its object. A comparison runs the object hundreds of times, so here each call has a time limit,
and errors name the run in which they occur.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ConfigSpace import ConfigurationSpace

from core.foundation.errors import UserError, said
from core.optimizers.base import Trial
from core.optimizers.told import EvaluationLike, as_evaluation
from core.study.own import OwnOptimizer
from core.study.time_limit import TimeLimitError, time_limit

SEEDS = 2**32
"""How many seeds NumPy's `RandomState`, and with it scikit-learn and Optuna, can tell apart."""
Make = Callable[[ConfigurationSpace, int], Any]
"""From a space and a seed below 2**32 to an object with `ask` and `tell`."""


@dataclass
class WatchedMethod:
    """A method for `core.study.task_search.search_tasks` that builds the user's own optimizer for every lane.

    Attributes:
        name: Name of the optimizer, for errors.
        make: Function that makes the optimizer, see `Make`.
        seconds: Time limit of one call of `ask` or `tell`, in seconds.
        runs: Number of lanes of a task, which follow each other.
        tasks: Names of the tasks; without them they are counted from 0.
        told: What the optimizers were told in the order of telling: task, run, trial, configuration and loss.
    """

    name: str
    make: Make
    seconds: float
    runs: int
    tasks: Sequence[str] = ()
    in_lockstep: ClassVar[bool] = False
    built: int = field(default=0, init=False)
    told: list[dict[str, Any]] = field(default_factory=list, init=False)

    def build(self, space: ConfigurationSpace, seed: int, evaluations: int) -> Watched:
        """The optimizer of the next lane.

        Raises:
            UserError: it cannot be made, or has no `ask` and `tell`.
        """
        task, run = divmod(self.built, self.runs)
        self.built += 1
        name = self.tasks[task] if self.tasks else f"task {task}"
        where = f"{self.name}, {name}, run {run}"
        with _named(where, "was made", self.seconds):
            own = OwnOptimizer(space, self.make(space, seed % SEEDS))  # ours have 63 bits, which other libraries refuse
        return Watched(own, where, self.seconds, lambda told: self.told.append({"task": name, "run": run, **told}))


class Watched:
    """One optimizer; `ask` and `tell` as `OwnOptimizer`'s, with every error a UserError that names the lane."""

    def __init__(
        self, optimizer: OwnOptimizer, where: str, seconds: float, note: Callable[[dict[str, Any]], None]
    ) -> None:
        self.optimizer, self.where, self.seconds, self.note = optimizer, where, seconds, note

    def ask(self, n: int = 1) -> list[Trial]:
        """One trial.

        Raises:
            UserError: the object raises, takes too long, has nothing to propose, or leaves the space.
        """
        where = f"{self.where}, evaluation {self.optimizer.asked + 1}"
        with _named(where, "was asked", self.seconds):
            trials = self.optimizer.ask(n)
        if not trials:
            raise UserError(f"{where}: proposed nothing; allowed: one configuration at every call of ask")
        return trials

    def tell(self, trial: Trial, evaluation: EvaluationLike) -> None:
        """Pass the evaluation on; raises UserError as `ask`."""
        loss = float(as_evaluation(evaluation).loss[0])
        self.note({"trial": trial.number, "configuration": dict(trial.configuration), "loss": loss})
        with _named(f"{self.where}, evaluation {trial.number + 1}", "was told", self.seconds):
            self.optimizer.tell(trial, evaluation)


@contextmanager
def _named(where: str, what: str, seconds: float) -> Iterator[None]:
    """Turn an exception, or a call that does not return in time, into one UserError."""
    try:
        with time_limit(seconds):
            yield
    except TimeLimitError:
        raise UserError(f"{where}: did not return within {seconds:g} s when it {what}") from None
    except UserError as error:  # ours, about what the object is or proposed
        raise UserError(f"{where}: {said(error)}") from error
    except (Exception, SystemExit) as error:
        raise UserError(f"{where}: {type(error).__name__} when it {what}: {said(error)}") from error
