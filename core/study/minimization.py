"""The one call for users: minimize a function of a configuration.

from core import minimize

result = minimize(lambda configuration: (configuration["x"] - 1) ** 2, {"x": (-5.0, 5.0)}, evaluations=30)
print(result.best_configuration, result.best_loss)
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.foundation.errors import UserError, brief
from core.foundation.validation import require_count, require_flag
from core.objectives.base import Objective
from core.optimizers.settings import Budgets, MethodSettings
from core.optimizers.trial import LARGEST
from core.spaces import CubeEncoding, SpaceLike
from core.study.arguments import (
    WORST_LOSS,
    asks_and_tells,
    budgets_of,
    check_optimizer,
    checked_constraints,
    checked_initial,
    default_of,
    earlier_searches,
    identity,
    is_benchmark,
    least_evaluations,
    objective_of,
    space_of,
)
from core.study.evaluation import plain
from core.study.journal import open_journal
from core.study.methods import method_of
from core.study.pruning import Rule, description, rule_of
from core.study.record import Record, why_none_counts
from core.study.result import Result
from core.study.search import Search
from core.study.stopping import DEFAULT_EVALUATIONS, Callback, InterruptedSearch, Stop

ON_INTERRUPT = ("raise", "return")

GAP = 1e8
"""Where the distances of losses from the smallest make such a jump, models, which standardize losses, cannot tell those
before it apart: the noise that they assume is larger. A search that converges makes smaller ones."""
WHAT_TO_DO = "raise an exception or return nan where an evaluation fails, or return the logarithm of the loss"


def minimize(
    function: Callable[..., Any] | Objective,
    space: SpaceLike | None = None,
    method: str | Mapping[str, Any] | MethodSettings | Any = "gp",
    evaluations: int | None = None,
    *,
    maximize: bool = False,
    budgets: Budgets | None = None,
    constraints: Sequence[str] = (),
    initial: Sequence[Mapping[str, Any]] = (),
    earlier: Sequence[Any] = (),
    seconds: float | None = None,
    target: float | None = None,
    callback: Callback | None = None,
    evaluation_seconds: float | None = None,
    pruning: str | Rule | None = None,
    on_interrupt: str = "raise",
    workers: int = 1,
    seed: int = 0,
    journal: str | Path | None = None,
    worst_loss: float | None = None,
    progress: bool = True,
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
            It returns the loss, or a pair (loss, cost), where the cost is that of the evaluation in any unit, or a
            dictionary with "loss", maybe "cost", constraints and whatever else is to be recorded. Without a cost, it is
            the duration of the call in seconds. A pair never stands for two objectives. A parameter named `generator`
            gets a `numpy.random.Generator` of the trial's own, `state` a dictionary that is kept for larger budgets
            (`core.study.states`), `trial` an object to report values on the way (`core.study.pruning`). A call that
            raises, or returns anything but a finite loss and cost, or a negative cost, is a failed evaluation: the run
            goes on. A programming error among the first ten evaluations is raised instead, see
            `core.study.screened`. An evaluation that costs nothing also fails for fabolas and mtbo, whose
            `overhead` is 1.0 in the unit of these costs. The function can also be a benchmark: any object with
            `evaluate` and `space`, and optionally `fidelity`, see `core.objectives.base.Objective`.
        space: Search space: a ConfigurationSpace, or a dictionary such as {"x": (-5.0, 5.0), "n": (1, 9), "kind": ["a",
            "b"], "rate": ("log", 1e-5, 1e-1)}. A benchmark has its own.
        method: Name from `core.study.METHODS`, settings such as `BOHBSettings(eta=2)`, or your own object with `ask(n)`
            and `tell(trial, evaluation)`, see `core.study.own`.
        evaluations: Number of evaluations on all budgets together. The default is any number with `seconds`, and else
            100, or as many as bohb, hyperband and successive_halving need to reach the largest budget. A method that
            ends by itself may need fewer. In a space with fewer configurations than evaluations, all methods go on and
            repeat some, except smac, which then ends.
        maximize: Whether the values that the function returns are maximized. Losses, in records and traces, are then
            minus the values; `target` and `worst_loss` are values, as the function returns them.
        budgets: Smallest and largest budget, for bohb, hyperband and successive_halving; for fabolas and mtbo shares of
            the data, such as (1 / 64, 1). The default is the range of the benchmark's fidelity.
        constraints: Names of outcomes that must be at most 0, which the function returns in a dictionary. An evaluation
            that violates one is never the best. Models (all but those of entropy_search, fabolas, mtbo) learn where
            constraints are satisfied and evaluations succeed; to other methods a violation is a failure.
        initial: Known configurations, evaluated first, on the largest budget. After them comes the configuration of the
            space's defaults if one was set, such as `Float(0.0, 1.0, default=0.1)`, to another value than ConfigSpace's
            automatic one; an optimizer of your own begins as it likes.
        earlier: Earlier searches: their results, traces or records, see `core.study.earlier`. To ablr, mt_bohamiann and
            mt_gp they are searches of similar functions over the same space. To other methods with a model they are
            evaluations of this very function.
        seconds: Time after which nothing new begins, on the clock of the whole run, before and after interruptions. One
            worker finishes what it evaluates; several drop what is under way.
        target: Loss that is good enough, on the largest budget.
        callback: Function of the result so far, called after each new evaluation; the run stops if it returns something
            true or raises StopIteration.
        evaluation_seconds: How long one evaluation may take; one that takes longer is stopped, and has failed whatever
            it returns. See `core.study.time_limit` for what cannot be stopped.
        pruning: Rule by which `trial.should_prune()` gives evaluations up: "median", "successive_halving", or an object
            of `core.study.pruning` such as `MedianRule(startup=10)`. Without one it never does.
        on_interrupt: "raise" passes a KeyboardInterrupt on, with the result so far as its attribute `result`; "return"
            returns that result, whose `stopped` is "interrupted". In both cases everything that has finished is in the
            journal.
        workers: Number of workers: 1 evaluates in this process; more are processes on this machine, or of the Dask
            scheduler whose address is in the environment variable HPO_SCHEDULER, where this is the maximum number of
            trials under way.
        seed: Seed of everything random, a whole number from 0.
        journal: Path of a file to which every event is written. The same call continues an interrupted run, and returns
            the result of a finished one. More evaluations or seconds prolong a run, except for smac, whose initial
            design depends on the number of evaluations. With one worker, an evaluation in which the process died three
            times in a row has failed, see `core.study.loop`. See `core.study.journal` for files that are lost.
        worst_loss: Loss of failed evaluations, for methods that use the loss itself. Without it, failures rank behind
            all successes, see `core.optimizers.bayesopt` for models. The default is that of the benchmark.
        progress: Whether to show a bar, or, without a terminal, a line now and then.

    Raises:
        UserError: an argument that is not allowed, or a journal of another run, before any work; a function that
            returns what can be no loss; a scheduler that does not answer, or no worker left; a journal that could not
            be written to the end; a child that the function has forked and that has returned.
        NameError, AttributeError, ImportError, SyntaxError, StopIteration, TypeError, KeyError: raised by one of the
            first ten evaluations.
        KeyboardInterrupt: the run was interrupted, after one line that says what was kept.
    """
    space = space_of(function, space)
    CubeEncoding(space)  # refuses a space without a choice
    evaluations = None if evaluations is None else require_count("evaluations", evaluations)
    seed, workers = require_count("seed", seed, least=0), require_count("workers", workers)
    maximize, progress = require_flag("maximize", maximize), require_flag("progress", progress)
    if not isinstance(on_interrupt, str) or on_interrupt not in ON_INTERRUPT:
        raise UserError(f"on_interrupt is {brief(on_interrupt)}; allowed: {', '.join(map(repr, ON_INTERRUPT))}")
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
    least = least_evaluations(method, settings, space, budgets)
    limit: float = max(DEFAULT_EVALUATIONS, least) if seconds is None else math.inf
    limit = limit if evaluations is None else evaluations
    constraints = checked_constraints(constraints, settings)
    searches = earlier_searches(earlier, settings, space, maximize, constraints)
    known, rule = checked_initial(initial, space), rule_of(pruning)
    default = default_of(space, known, method)
    objective = objective_of(function, space, budgets, worst_loss, maximize, constraints, evaluation_seconds)
    failing = None if worst_loss is None and not is_benchmark(function) else objective.worst_loss
    header = identity(
        *(settings, method, space, budgets, seed, searches),
        maximize=maximize,
        constraints=constraints,
        initial=known,
        pruning=None if rule is None else description(rule),
    )
    if default is not None:  # without one the journal is that of earlier versions
        header["default"] = plain(default)
        known.append(default)
    if limit < least and budgets is not None:
        warnings.warn(
            f"{limit} evaluations are too few for one on the largest budget, {budgets[1]:g}: that takes {least}",
            stacklevel=2,
        )
    stop = Stop(seconds, target, budgets and budgets[1], callback, objective.sign)
    search = Search(
        objective, space, method, settings, budgets, seed, searches, known, rule, workers, limit, stop, progress
    )
    try:
        with open_journal(journal, {**header, "worst_loss": failing}, space) as book:
            search.run(book)
    except KeyboardInterrupt:
        print(_farewell(search, journal, on_interrupt), file=sys.stderr)
        result = search.result(interrupted=True)
        if on_interrupt == "raise":
            raise InterruptedSearch(result) from None  # without the traceback through the loop
        return result
    result = search.result()
    _warn(result, budgets[1] if budgets is not None and 1 < least <= limit else None)
    return result


def _farewell(search: Search, journal: str | Path | None, on_interrupt: str) -> str:
    total = f" of {search.limit}" if isinstance(search.limit, int) else ""
    done = f"interrupted after {len(search.records)}{total} evaluations"
    if journal is not None:
        return f"{done}, which are kept in {journal}; the same call resumes from there"
    if on_interrupt == "return":
        return f"{done}, which are returned"
    return f"{done}, which are lost unless the exception's `result` is used; journal='run.jsonl' would keep them"


def _warn(result: Result, largest: float | None) -> None:
    """Warn where there is no best, of losses that hide others, and if nothing was evaluated on the largest budget."""
    if result.records and largest is not None and all(record.budget != largest for record in result.records):
        seen = max(record.budget or 0.0 for record in result.records)
        warnings.warn(
            f"nothing was evaluated on the largest budget, {largest:g}, but at most on {seen:g}: the search ended too "
            "early for that",
            stacklevel=3,
        )
    if result.best is None:
        warnings.warn(f"{why_none_counts(result.records)}: there is no best configuration", stacklevel=3)
    if text := about_huge_losses(result.records):
        warnings.warn(text, stacklevel=3)


def about_huge_losses(records: Sequence[Record]) -> str:
    """The warning about losses so large that they hide the others; empty if there are none, or if nothing succeeded.

    They are finite, so they are no failures and nothing else reports them.
    """
    losses = np.array([record.loss for record in records if not record.failure])
    if not losses.size:
        return ""
    if (largest := losses.max()) >= WORST_LOSS:
        return f"losses are up to {largest:.3g}, and from {WORST_LOSS:g} on they rank behind failures; {WHAT_TO_DO}"
    if (lowest := losses.min()) < -LARGEST:
        return f"losses are down to {lowest:.3g}, and beyond {-LARGEST:g} methods see only logarithms; rescale them"
    values = np.unique(losses)
    distances = values[1:] - values[0]
    jumps = np.flatnonzero(distances[2:] > GAP * distances[1:-1])  # three different losses or more before it
    if not jumps.size:
        return ""
    return (
        f"losses are up to {values[-1]:.3g}, but {values[0]:.3g} to {values[jumps[0] + 2]:.3g} otherwise: models that "
        f"standardize losses cannot tell the small ones apart; {WHAT_TO_DO}"
    )
