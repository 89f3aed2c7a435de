"""A user's own optimizer: any object with `ask` and `tell`.

`OwnOptimizer` waits for its object. A comparison runs the object hundreds of times, so `WatchedMethod` gives each call
a time limit: anything that the object does wrong stops the run with one line that names the run in which it occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ConfigSpace import ConfigurationSpace

from core.foundation.errors import UserError, brief, said
from core.optimizers.base import ENQUEUED, Optimizer, Outcome, Trial
from core.optimizers.trial import EvaluationLike, as_evaluation
from core.spaces import CubeEncoding, SpaceLike
from core.study.time_limit import TimeLimitError, time_limit

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
