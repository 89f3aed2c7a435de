"""One search as `minimize` runs it, once its arguments are checked."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.foundation.errors import UserError
from core.objectives.base import FAILURE, Evaluation
from core.optimizers.base import Optimizer
from core.optimizers.hyperband import Bandit
from core.optimizers.settings import Budgets, MethodSettings
from core.study.function import Judged, UserFunction
from core.study.journal import Journal
from core.study.loop import InProcess, Pool, Run
from core.study.own import OwnOptimizer
from core.study.progress import Tally, shown
from core.study.pruning import Rule
from core.study.record import Record, recommended, recommends
from core.study.result import Result
from core.study.screened import ScreenedPool
from core.study.states import States
from core.study.stopping import EVALUATIONS, INTERRUPTED, METHOD, Stop

if TYPE_CHECKING:  # imports torch
    from core.study.earlier import EarlierSearch


@runtime_checkable
class LearningConstraints(Protocol):
    """An optimizer whose model can learn where evaluations succeed."""

    def learn_constraints(self) -> None:
        """Do so from now on."""


@dataclass
class Search:
    """A search and its state.

    Attributes:
        objective: Objective that is evaluated.
        method: Method as it was given; `settings` are its settings unless it is an optimizer.
        earlier: Earlier searches.
        initial: Known configurations, evaluated first.
        rule: Pruning rule.
        limit: Number of evaluations, maybe infinite.
        stop: What may end the search before that.
        visible: Whether progress is shown.
        records, last: What has been told, and the final recommendation.
        ended: Whether the method has finished.
    """

    objective: Judged
    space: ConfigurationSpace
    method: Any
    settings: MethodSettings | None
    budgets: Budgets | None
    seed: int
    earlier: Sequence[EarlierSearch]
    initial: Sequence[Mapping[str, Any]]
    rule: Rule | None
    workers: int
    limit: float
    stop: Stop
    visible: bool
    records: list[Record] = field(default_factory=list)
    last: int | None = None
    ended: bool = False

    def run(self, book: Journal) -> None:
        """Continue from the journal to the end."""
        self.records, self.last, self.ended = book.records, book.recommendation, book.ended
        for record in self.records:
            self.stop.see(record)
        reached = self.stop.over(max((record.finished for record in self.records), default=0.0))
        if reached or self.ended or len(self.records) >= self.limit:
            return
        optimizer, told = self._optimizer(), list[Record]()
        with (
            self._states(book, optimizer) as states,
            _pool(self._with(states), self.seed, self.workers, book) as pool,
            shown(Tally(self.limit, self.objective.sign), self.records, self.visible) as show,
        ):

            def report(record: Record) -> None:
                show(record)
                if states is not None and isinstance(optimizer, Bandit):
                    states.keep(optimizer.promotable)
                self.stop.see(record)
                self.stop.ask(self.result)

            screened = ScreenedPool(pool, told, self.rule, self.objective.errors)
            run = Run(optimizer, screened, self.limit, book, report, self.stop.over, told)
            self.records = told
            run.drive()
            self.ended = optimizer.finished
            self.last = _recommendation(optimizer, run, book)

    def result(self, interrupted: bool = False) -> Result:
        """The result so far."""
        records, last = list(self.records), self.last
        if len(records) > self.limit:
            records = records[: int(self.limit)]
            if recommends(self.records):
                last = recommended(self.records, successes=True)[len(records) - 1]
        whole = EVALUATIONS if len(records) >= self.limit else METHOD if self.ended else ""
        stopped = INTERRUPTED if interrupted else self.stop.reason or whole
        return Result(records, last, space=self.space, maximize=self.objective.sign == -1, stopped=stopped)

    def _optimizer(self) -> Optimizer:
        if self.settings is None:
            method = self.method
            optimizer: Optimizer = method if isinstance(method, Optimizer) else OwnOptimizer(self.space, method)
        else:
            learning = self.settings.learns_from_tasks
            evaluations = int(self.limit) if self.limit < float("inf") else 200
            tasks = [search.task for search in self.earlier if search.task is not None] if learning else ()
            optimizer = self.settings.build(self.space, self.seed, self.budgets, evaluations, tasks)
            if not learning:
                self._teach(optimizer)
        if self.initial and not optimizer.asked:
            optimizer.enqueue(self.initial)
        if self.objective.constraints and isinstance(optimizer, LearningConstraints):
            optimizer.learn_constraints()
        return optimizer

    def _teach(self, optimizer: Optimizer) -> None:
        """Tell the optimizer what earlier searches have found of this function, and what to avoid if that matters."""
        if not self.earlier:
            return
        if optimizer.weighs_costs:
            raise UserError("earlier is given, but the method weighs costs; allowed: a method with a model of the loss")
        from core.spaces import CubeEncoding

        encoding = CubeEncoding(self.space)
        known: list[tuple[Mapping[str, Any], float | Evaluation]] = []
        for search in self.earlier:
            if (task := search.task) is not None:
                known += zip(encoding.decode(task.X[0].numpy()), task.y[0].tolist(), strict=True)
            if self.objective.constraints:
                bad = Evaluation(np.array([self.objective.worst_loss]), np.array([1.0]), ({FAILURE: "as before"},))
                known += [(configuration, bad) for configuration in encoding.decode(search.bad)]
        for configuration, outcome in known:
            try:
                optimizer.learn(configuration, outcome)
            except UserError as error:
                raise UserError(f"earlier: {error}") from error

    def _with(self, states: States | None) -> Judged:
        inner = self.objective.inner
        if states is None or not isinstance(inner, UserFunction):
            return self.objective
        return replace(self.objective, inner=replace(inner, states=states))

    @contextmanager
    def _states(self, book: Journal, optimizer: Optimizer) -> Iterator[States | None]:
        """Where states are kept: beside the journal, or else in a folder that is removed at the end.

        Raises:
            UserError: the function takes a state, but no configuration is ever promoted.
        """
        inner = self.objective.inner
        if not isinstance(inner, UserFunction) or "state" not in inner.takes:
            yield None
        elif not isinstance(optimizer, Bandit):
            raise UserError(
                "the function has a parameter `state`, but the method evaluates no configuration on a larger budget "
                "again; allowed: bohb, hyperband or successive_halving"
            )
        elif book.path is not None:
            states = States(book.path.with_name(f".{book.path.name}.states"))
            states.require_own()
            yield states
        else:
            folder, process = tempfile.mkdtemp(prefix="states-"), os.getpid()
            try:
                yield States(Path(folder))
            finally:
                if os.getpid() == process:  # not in a child that the function has forked
                    shutil.rmtree(folder, ignore_errors=True)


def _pool(objective: Judged, seed: int, workers: int, book: Journal) -> AbstractContextManager[Pool]:
    if workers == 1:
        return nullcontext(InProcess(objective, seed, book))
    from core.study.pool import worker_pool

    return worker_pool(objective, seed, workers)


def _recommendation(optimizer: Optimizer, run: Run, book: Journal) -> int | None:
    """The method's final recommendation, if that is not the best evaluation; it is kept in the journal."""
    with run.proposing():
        trial = optimizer.recommend()
    if trial is None or trial < 0:  # evaluated by an earlier search
        return None
    book.recommended(trial)
    return trial
