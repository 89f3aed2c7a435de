"""What `minimize` is called with: checked before any work, and brought into the form in which it is used."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.benchmarks.objective import Fidelity, FunctionObjective
from core.errors import UserError
from core.optimizers.base import Optimizer
from core.optimizers.brackets import rung_budgets
from core.spaces import CubeEncoding, describe_space
from core.study.evaluation import plain
from core.study.replay import run_header
from core.study.settings import Budgets, MethodSettings

if TYPE_CHECKING:  # imports torch
    from core.models.tasks import Task

ROUNDING = 1e-9
WORST_LOSS = 1e100  # the loss of failures if none is given: above all others for methods that rank losses


@dataclass(frozen=True)
class _Function:
    """A user's function as `FunctionObjective` calls it."""

    function: Callable[..., float]
    budgeted: bool
    drawing: bool

    def __call__(self, configuration: Mapping[str, Any], budget: float | None, generator: np.random.Generator) -> float:
        arguments = (configuration, budget) if self.budgeted else (configuration,)
        return self.function(*arguments, **({"generator": generator} if self.drawing else {}))


def objective_of(
    function: Callable[..., float], space: ConfigurationSpace, budgets: Budgets | None, worst_loss: float | None
) -> FunctionObjective:
    """The objective; raises UserError for a function that cannot be called as announced, or a wrong worst loss."""
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


def checked_budgets(budgets: Any) -> Budgets | None:
    """The smallest and the largest as floats; raises UserError for what is not positive and ascending."""
    if budgets is None:
        return None
    try:
        smallest, largest = budgets
    except (TypeError, ValueError) as error:
        raise UserError(f"budgets is {budgets!r}; allowed: the smallest and the largest, such as (1, 81)") from error
    rung_budgets(smallest, largest, 3)  # refuses what is not positive and ascending
    return float(smallest), float(largest)


def asks_and_tells(method: Any) -> bool:
    """Whether the method is an optimizer object rather than settings or their name."""
    named = isinstance(method, (str, Mapping, MethodSettings, type))
    return not named and hasattr(method, "ask") and hasattr(method, "tell")


def check_optimizer(method: Any, space: ConfigurationSpace, budgets: Budgets | None) -> None:
    """Raise UserError for an optimizer of ours that was made for another space or for other budgets."""
    if not isinstance(method, Optimizer):
        return
    name, theirs, ours = type(method).__name__, describe_space(method.space), describe_space(space)
    if theirs != ours:
        raise UserError(f"method is a {name} of the space {theirs}, but space is {ours}; allowed: the same")
    theirs = getattr(method, "budgets", None)
    if theirs is not None and (
        budgets is None or max(theirs) != budgets[1] or min(theirs) < budgets[0] * (1 - ROUNDING)
    ):
        raise UserError(
            f"method is a {name} that evaluates on budgets from {min(theirs):g} to {max(theirs):g}, but budgets is "
            f"{budgets!r}; allowed: the same"
        )


def earlier_tasks(earlier: Sequence[Any], settings: MethodSettings | None, space: ConfigurationSpace) -> list[Task]:
    """What was evaluated earlier, as tasks; raises UserError where the method cannot learn from it."""
    if isinstance(earlier, Sequence) and not earlier:
        return []
    if settings is None:
        raise UserError("earlier is given, but the method is an object of one's own; allowed: one of them")
    from core.study.earlier import check_list, tasks_of  # imports torch, which most methods do without

    settings.check_earlier(check_list(earlier))
    return tasks_of(earlier, CubeEncoding(space))


def identity(
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
    return plain({**run, "space": describe_space(space), "budgets": budgets, "earlier": _digest(tasks)})


def _digest(tasks: Sequence[Task]) -> str | None:
    if not tasks:
        return None
    from core.study.earlier import digest

    return digest(tasks)
