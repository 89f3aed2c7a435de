"""The one call for users: minimize a function of a configuration.

from core import minimize

result = minimize(lambda configuration: (configuration["x"] - 1) ** 2, {"x": (-5.0, 5.0)}, evaluations=30)
print(result.best_configuration, result.best_loss)
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.benchmarks.objective import Fidelity, FunctionObjective
from core.errors import UserError
from core.optimizers.base import Optimizer
from core.optimizers.brackets import rung_budgets
from core.spaces import CubeEncoding, SpaceLike, as_space
from core.study.evaluation import plain
from core.study.journal import open_journal
from core.study.loop import Pool, drive
from core.study.methods import method_of
from core.study.own import OwnOptimizer
from core.study.progress import Tally, shown
from core.study.replay import run_header
from core.study.result import Result
from core.study.serial import Here, check_run
from core.study.settings import Budgets, MethodSettings
from core.study.trace import Record
from core.validation import require_count

if TYPE_CHECKING:  # imports torch
    from core.models.tasks import Task

WORST_LOSS = 1e100  # the loss of failures if none is given: above all others for methods that rank losses


def minimize(
    function: Callable[..., float],
    space: SpaceLike,
    method: str | Mapping[str, Any] | MethodSettings | Any = "gp",
    evaluations: int = 100,
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
    and resumed. With several, proposals depend on the order in which results arrive. What the function draws from
    `generator` depends on the seed and the trial alone.

    Args:
        function: called with a configuration, a dictionary of values by name, and with the budget if there are
            budgets; returns the loss, or a pair of loss and cost, which otherwise is the seconds of the call. A
            parameter named `generator` gets a `numpy.random.Generator` of the trial's own. A call that raises, or
            returns anything but finite numbers, is a failed evaluation: the run goes on.
        space: a ConfigurationSpace, or a dictionary: {"x": (-5.0, 5.0), "n": (1, 9), "kind": ["a", "b"]}.
        method: a name of `core.study.METHODS`, settings such as `BOHBSettings(eta=2)`, or an object of one's own with
            `ask(n)` and `tell(trial, evaluation)`, see `core.study.own`.
        evaluations: how many, on any budget. A method that ends by itself may need fewer.
        budgets: the smallest and the largest, for bohb, hyperband and successive_halving; for fabolas and mtbo shares
            of the data, such as (1 / 64, 1).
        workers: 1 evaluates in this process; more are processes on this machine, or of the Dask scheduler whose address
            is in the environment variable HPO_SCHEDULER, where at most as many trials are under way.
        seed: seed of everything random, a whole number from 0.
        journal: a file to which every event is written. The same call continues an interrupted run; for a finished
            run it returns what was found. More evaluations prolong a run.
        worst_loss: of failed evaluations, for methods that use the loss itself. Without it, failures rank behind all
            successes, see `core.optimizers.bayesopt` for models.
        progress: whether to show a bar, or without a terminal a line now and then.
        earlier: searches of similar functions over the same space, from which methods that learn from other tasks
            (ablr, mt_bohamiann, mt_gp) start: their results, traces or records, see `core.study.earlier`.

    Raises:
        UserError: an argument that is not allowed, or a journal of another run, before any work; a scheduler that does
            not answer, or no worker left.
        KeyboardInterrupt: the run was interrupted, after one line that says what was kept.
    """
    space = as_space(space)
    CubeEncoding(space)  # refuses a space with nothing to choose
    evaluations, seed = check_run(evaluations, seed)
    workers = require_count("workers", workers)
    budgets = _checked(budgets)
    settings = None if _asks_and_tells(method) else method_of(method)
    if settings is not None:
        settings.check_budgets(budgets)
        if settings.needs_curves:
            raise UserError(
                f"method {settings.method!r} needs learning curves, which a function does not return; allowed: "
                "core.study.simulate or run_serial, and an objective whose evaluations tell them"
            )
    tasks = _tasks(earlier, settings, space)
    objective = _objective(function, space, budgets, worst_loss)
    header = {**_described(settings, method, space, budgets, seed, tasks), "worst_loss": worst_loss}
    tally = Tally(evaluations)
    try:
        with open_journal(journal, header) as book:
            records = book.records
            if len(records) < evaluations and not book.ended:
                optimizer = _optimizer(settings, method, space, seed, budgets, evaluations, tasks)
                with _pool(objective, seed, workers) as pool, shown(tally, records, progress) as report:
                    records = drive(optimizer, pool, evaluations, book, report)
    except KeyboardInterrupt:
        print(_farewell(tally, journal), file=sys.stderr)
        raise KeyboardInterrupt from None  # without the traceback through the loop
    return _finished(records[:evaluations])


@dataclass(frozen=True)
class _Function:
    """A user's function as `FunctionObjective` calls it."""

    function: Callable[..., float]
    budgeted: bool
    drawing: bool

    def __call__(self, configuration: Mapping[str, Any], budget: float | None, generator: np.random.Generator) -> float:
        arguments = (configuration, budget) if self.budgeted else (configuration,)
        return self.function(*arguments, **({"generator": generator} if self.drawing else {}))


def _objective(
    function: Callable[..., float], space: ConfigurationSpace, budgets: Budgets | None, worst_loss: float | None
) -> FunctionObjective:
    if not callable(function):
        raise UserError(f"function is {function!r}; allowed: a callable that takes a configuration")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some callables written in C have no signature
        signature = None
    drawing = signature is not None and "generator" in signature.parameters
    wanted = ("configuration",) if budgets is None else ("configuration", "budget")
    if signature is not None:
        try:
            signature.bind(*wanted, **({"generator": None} if drawing else {}))
        except TypeError as error:
            name = getattr(function, "__name__", type(function).__name__)
            raise UserError(
                f"function {name}{signature} cannot be called as {name}({', '.join(wanted)}): {error}; allowed: these "
                "arguments, and `generator` if it draws random numbers"
            ) from error
    fidelity = None if budgets is None else Fidelity("budget", *budgets)
    worst = WORST_LOSS if worst_loss is None else worst_loss
    return FunctionObjective(_Function(function, budgets is not None, drawing), space, worst, fidelity=fidelity)


def _checked(budgets: Any) -> Budgets | None:
    if budgets is None:
        return None
    try:
        smallest, largest = budgets
    except (TypeError, ValueError) as error:
        raise UserError(f"budgets is {budgets!r}; allowed: the smallest and the largest, such as (1, 81)") from error
    rung_budgets(smallest, largest, 3)  # refuses what is not positive and ascending
    return float(smallest), float(largest)


def _asks_and_tells(method: Any) -> bool:
    return not isinstance(method, (str, Mapping, MethodSettings)) and hasattr(method, "ask") and hasattr(method, "tell")


def _tasks(earlier: Sequence[Any], settings: MethodSettings | None, space: ConfigurationSpace) -> list[Task]:
    if isinstance(earlier, Sequence) and not earlier:
        return []
    if settings is None:
        raise UserError("earlier is given, but the method is an object of one's own; allowed: one of them")
    from core.study.earlier import check_list, tasks_of  # imports torch, which most methods do without

    settings.check_earlier(check_list(earlier))
    return tasks_of(earlier, CubeEncoding(space))


def _digest(tasks: Sequence[Task]) -> str | None:
    if not tasks:
        return None
    from core.study.earlier import digest

    return digest(tasks)


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


def _described(
    settings: MethodSettings | None,
    method: Any,
    space: ConfigurationSpace,
    budgets: Budgets | None,
    seed: int,
    tasks: Sequence[Task],
) -> dict[str, Any]:
    """What distinguishes this run's journal from another's."""
    if isinstance(method, Optimizer):
        run = run_header(method, seed)
    else:
        run = {"method": type(method).__name__ if settings is None else settings.model_dump(mode="json"), "seed": seed}
    parts = [*(space[name] for name in space), *space.conditions, *space.forbidden_clauses]
    return plain({**run, "space": [str(part) for part in parts], "budgets": budgets, "earlier": _digest(tasks)})


def _pool(objective: FunctionObjective, seed: int, workers: int) -> AbstractContextManager[Pool]:
    if workers == 1:
        return nullcontext(Here(objective, seed))
    from core.study.pool import worker_pool

    return worker_pool(objective, seed, workers)


def _farewell(tally: Tally, journal: str | Path | None) -> str:
    done = f"interrupted after {tally.done} of {tally.total} evaluations"
    if journal is None:
        return f"{done}, which are lost; journal='run.jsonl' would keep them"
    return f"{done}, which are kept in {journal}; the same call resumes from there"


def _finished(records: list[Record]) -> Result:
    if all(record.failure for record in records):
        warnings.warn(
            f"all {len(records)} evaluations failed, the first with {records[0].failure!r}: there is no best "
            "configuration"
            if records
            else "nothing was evaluated: there is no best configuration",
            stacklevel=3,
        )
    return Result(records)
