"""The one call for users: minimize a function of a configuration.

from core import minimize

result = minimize(lambda configuration: (configuration["x"] - 1) ** 2, {"x": (-5.0, 5.0)}, evaluations=30)
print(result.best_configuration, result.best_loss)
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ConfigSpace import ConfigurationSpace

from core.benchmarks.base import Objective
from core.errors import UserError, brief
from core.optimizers.base import Optimizer
from core.spaces import CubeEncoding, SpaceLike
from core.study.arguments import (
    asks_and_tells,
    budgets_of,
    check_optimizer,
    earlier_tasks,
    identity,
    is_benchmark,
    objective_of,
    space_of,
)
from core.study.huge_losses import about_huge_losses
from core.study.journal import Journal, open_journal
from core.study.loop import Pool, drive
from core.study.methods import method_of
from core.study.methods.settings import Budgets, MethodSettings
from core.study.own import OwnOptimizer
from core.study.progress import Tally, shown
from core.study.recommended import recommended, recommends
from core.study.record import Record
from core.study.result import Result
from core.study.serial import InProcess, check_run
from core.validation import require_count

if TYPE_CHECKING:  # imports torch
    from core.models.tasks import Task


def minimize(
    function: Callable[..., float | tuple[float, float]] | Objective,
    space: SpaceLike | None = None,
    method: str | Mapping[str, Any] | MethodSettings | Any = "gp",
    evaluations: int = 100,
    *,
    budgets: Budgets | None = None,
    workers: int = 1,
    seed: int = 0,
    journal: str | Path | None = None,
    worst_loss: float | None = None,
    progress: bool = True,
    earlier: Sequence[Any] = (),
) -> Result:
    """Search for the configuration with the smallest loss.

    With one worker a run is determined by its arguments: it makes the same proposals however often it is interrupted
    and resumed. The exceptions are fabolas and mtbo with a measured cost, which is never the same twice: return a cost
    to make their runs repeatable. With several workers, proposals depend on the order in which results arrive. What the
    function draws from `generator` depends only on the seed and the trial.

    If a model cannot be fitted, or an acquisition function has no value, the proposal is a random configuration: the
    trace's column `origin` gives the reason, and a warning is issued the first time. A warning is also issued for the
    first suggestion of entropy search, MTBO or Fabolas that is not expected to provide any information. Any other error
    of a method stops the run.

    Args:
        function: Function of a configuration, a dictionary of values by name, and of the budget if there are budgets.
            It returns the loss, or a pair (loss, cost), where the cost is that of the evaluation in any unit; without
            it, the cost is the duration of the call in seconds. A pair never stands for two objectives, which have to
            be combined into one loss. A parameter named `generator` gets a `numpy.random.Generator` of the trial's own.
            A call that raises, or returns anything but a finite loss and cost, or a negative cost, is a failed
            evaluation: the run goes on. An evaluation that costs nothing also fails for fabolas and mtbo, whose
            `overhead` is 1.0 in the unit of these costs. The function can also be a benchmark: any object with
            `evaluate` and `space`, and optionally `fidelity`, see `core.benchmarks.base.Objective`.
        space: Search space: a ConfigurationSpace, or a dictionary such as {"x": (-5.0, 5.0), "n": (1, 9), "kind": ["a",
            "b"]}, in which `range(1, 10)` is the same as (1, 9). A benchmark has its own.
        method: Name from `core.study.METHODS`, settings such as `BOHBSettings(eta=2)`, or your own object with `ask(n)`
            and `tell(trial, evaluation)`, see `core.study.own`.
        evaluations: Number of evaluations on all budgets together. A method that ends by itself may need fewer.
        budgets: Smallest and largest budget, for bohb, hyperband and successive_halving; for fabolas and mtbo shares of
            the data, such as (1 / 64, 1). The default is the range of the benchmark's fidelity.
        workers: Number of workers: 1 evaluates in this process; more are processes on this machine, or of the Dask
            scheduler whose address is in the environment variable HPO_SCHEDULER, where this is the maximum number of
            trials under way.
        seed: Seed of everything random, a whole number from 0.
        journal: Path of a file to which every event is written. The same call continues an interrupted run, and returns
            the result of a finished one. More evaluations prolong a run, except for smac, whose initial design depends
            on their number.
        worst_loss: Loss of failed evaluations, for methods that use the loss itself. Without it, failures rank behind
            all successes, see `core.optimizers.bayesopt` for models. The default is that of the benchmark.
        progress: Whether to show a bar, or, without a terminal, a line now and then.
        earlier: Searches of similar functions over the same space, from which methods that learn from other tasks
            (ablr, mt_bohamiann, mt_gp) start: their results, traces or records, see `core.study.earlier`.

    Raises:
        UserError: an argument that is not allowed, or a journal of another run, before any work; a scheduler that does
            not answer, or no worker left.
        KeyboardInterrupt: the run was interrupted, after one line that says what was kept.
    """
    space = space_of(function, space)
    CubeEncoding(space)  # refuses a space without a choice
    evaluations, seed = check_run(evaluations, seed)
    workers = require_count("workers", workers)
    settings = None if asks_and_tells(method) else method_of(method)
    budgets = budgets_of(function, budgets, needed=settings is not None and settings.needs_budgets)
    if settings is not None:
        if settings.needs_curves and not is_benchmark(function):
            raise UserError(
                f"method {settings.method!r} needs learning curves, which a function does not return; allowed: an "
                "object with `evaluate` and `space` whose evaluations tell them"
            )
        settings.check_budgets(budgets)
    check_optimizer(method, space, budgets)
    tasks = earlier_tasks(earlier, settings, space)
    objective = objective_of(function, space, budgets, worst_loss)
    failing = None if worst_loss is None and not is_benchmark(function) else objective.worst_loss
    header = {**identity(settings, method, space, budgets, seed, tasks), "worst_loss": failing}
    tally = Tally(evaluations)
    try:
        with open_journal(journal, header, space) as book:
            records, last = book.records, book.recommendation
            if len(records) < evaluations and not book.ended:
                optimizer = _optimizer(settings, method, space, seed, budgets, evaluations, tasks)
                with _pool(objective, seed, workers) as pool, shown(tally, records, progress) as report:
                    records = drive(optimizer, pool, evaluations, book, report)
                    last = _recommendation(optimizer, pool, book)
    except KeyboardInterrupt:
        print(_farewell(tally, journal), file=sys.stderr)
        raise KeyboardInterrupt from None  # without the traceback through the loop
    if len(records) > evaluations and recommends(records):
        last = recommended(records, successes=True)[evaluations - 1]
    return _finished(records[:evaluations], last)


def _optimizer(
    settings: MethodSettings | None,
    method: Any,
    space: ConfigurationSpace,
    seed: int,
    budgets: Budgets | None,
    evaluations: int,
    tasks: Sequence[Task],
) -> Optimizer:
    if settings is not None:
        return settings.build(space, seed, budgets, evaluations, tasks)
    return method if isinstance(method, Optimizer) else OwnOptimizer(space, method)


def _pool(objective: Objective, seed: int, workers: int) -> AbstractContextManager[Pool]:
    if workers == 1:
        return nullcontext(InProcess(objective, seed))
    from core.study.pool import worker_pool

    return worker_pool(objective, seed, workers)


def _farewell(tally: Tally, journal: str | Path | None) -> str:
    done = f"interrupted after {tally.done} of {tally.total} evaluations"
    if journal is None:
        return f"{done}, which are lost; journal='run.jsonl' would keep them"
    return f"{done}, which are kept in {journal}; the same call resumes from there"


def _recommendation(optimizer: Optimizer, pool: Pool, book: Journal) -> int | None:
    """The method's final recommendation, if that is not the best evaluation; it is kept in the journal."""
    with pool.proposing():
        trial = optimizer.recommend()
    if trial is not None:
        book.recommended(trial)
    return trial


def _finished(records: list[Record], last: int | None) -> Result:
    if all(record.failure for record in records):
        warnings.warn(
            f"all {len(records)} evaluations failed, the first with {brief(records[0].failure)}: there is no best "
            "configuration"
            if records
            else "nothing was evaluated: there is no best configuration",
            stacklevel=3,
        )
    if text := about_huge_losses(records):
        warnings.warn(text, stacklevel=3)
    return Result(records, last)
