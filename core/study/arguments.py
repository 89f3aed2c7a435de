"""The arguments of `minimize`: checked before any work, and brought into the form in which they are used."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.foundation.errors import UserError, brief
from core.foundation.validation import require_number
from core.objectives.base import (
    Configurations,
    Evaluation,
    Fidelity,
    Objective,
    check_budget,
    checked_worst_loss,
)
from core.optimizers.base import Optimizer
from core.optimizers.brackets import rung_budgets
from core.optimizers.settings import Budgets, MethodSettings
from core.spaces import CubeEncoding, SpaceLike, as_space, describe_space
from core.study.evaluation import plain
from core.study.function import RESULTS, Judged, UserFunction, taken
from core.study.replay import run_header
from core.study.time_limit import time_limit

if TYPE_CHECKING:  # imports torch
    from core.study.earlier import EarlierSearch

RESERVED = (*RESULTS, "cost")
ROUNDING = 1e-9
WORST_LOSS = 1e100  # loss of failures if none is given: larger than all others, for methods that rank losses


@dataclass(frozen=True)
class _Benchmark:
    """An object with `evaluate` and `space`, and possibly other attributes of an `Objective`."""

    given: Any
    space: ConfigurationSpace
    fidelity: Fidelity | None
    worst_loss: float
    seconds: float | None = None

    @property
    def optimum(self) -> float | None:
        optimum: float | None = getattr(self.given, "optimum", None)
        return optimum

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        with time_limit(self.seconds):
            evaluation: Evaluation = self.given.evaluate(configurations, budget, generator)
        return evaluation


def is_benchmark(function: Any) -> bool:
    """Whether the argument is an object such as an `Objective` rather than a function."""
    return (
        not isinstance(function, type) and callable(getattr(function, "evaluate", None)) and hasattr(function, "space")
    )


def space_of(function: Any, space: SpaceLike | None) -> ConfigurationSpace:
    """The space to search; raises UserError if there is none, or another than the benchmark's, or for its class."""
    if isinstance(function, type) and hasattr(function, "evaluate"):
        raise UserError(f"function is the class {function.__name__}; allowed: an object of it")
    if not is_benchmark(function):
        return as_space(space)
    own = as_space(function.space)
    if space is not None and describe_space(as_space(space)) != describe_space(own):
        theirs = describe_space(as_space(space))
        raise UserError(f"space is {theirs}, but {brief(function)} has {describe_space(own)}; allowed: None")
    return own


def budgets_of(function: Any, budgets: Any, needed: bool) -> Budgets | None:
    """The budgets given, or where they are needed those of the benchmark; raises UserError for what is not allowed."""
    fidelity = getattr(function, "fidelity", None) if is_benchmark(function) else None
    if budgets is None and needed and fidelity is not None:
        return float(fidelity.minimum), float(fidelity.maximum)
    checked = checked_budgets(budgets)
    for budget in checked or ():
        if is_benchmark(function):
            check_budget(fidelity, budget)
    return checked


def objective_of(
    function: Any,
    space: ConfigurationSpace,
    budgets: Budgets | None,
    worst_loss: float | None,
    maximize: bool = False,
    constraints: Sequence[str] = (),
    seconds: float | None = None,
) -> Judged:
    """The objective; its `worst_loss` is one of losses, also where values are maximized.

    Raises:
        UserError: a function that cannot be called as announced, or another argument that is not allowed.
    """
    sign = -1 if maximize else 1
    if worst_loss is None:
        own = getattr(function, "worst_loss", WORST_LOSS) if is_benchmark(function) and not maximize else WORST_LOSS
        worst = checked_worst_loss(own)
    else:
        worst = sign * checked_worst_loss(worst_loss)
    if seconds is not None:
        allowed = "positive and finite numbers, or None"
        require_number("evaluation_seconds", seconds, lambda value: 0 < value < math.inf, allowed)
    return Judged(_inner(function, space, budgets, worst, sign, seconds), worst, sign, tuple(constraints))


def _inner(
    function: Any,
    space: ConfigurationSpace,
    budgets: Budgets | None,
    worst: float,
    sign: int,
    seconds: float | None,
) -> Objective:
    if is_benchmark(function):
        return _Benchmark(function, space, getattr(function, "fidelity", None), worst, seconds)
    if not callable(function):
        raise UserError(
            f"function is {brief(function)}; allowed: a callable that takes a configuration, or an object with "
            "`evaluate` and `space`"
        )
    takes = taken(function, budgets is not None)
    fidelity = None if budgets is None else Fidelity("budget", *budgets)
    return UserFunction(function, space, fidelity, worst, takes, sign=sign, seconds=seconds)


def checked_constraints(constraints: Any, settings: MethodSettings | None) -> tuple[str, ...]:
    """The names of constraints; raises UserError for anything else, or if the method cannot respect them."""
    names = isinstance(constraints, Sequence) and not isinstance(constraints, str)
    if not names or not all(isinstance(name, str) and name not in RESERVED for name in constraints):
        raise UserError(
            f"constraints is {brief(constraints)}; allowed: a list of names of outcomes, other than "
            f"{', '.join(map(repr, RESERVED))}, such as ['memory']"
        )
    if twice := [name for place, name in enumerate(constraints) if name in constraints[:place]]:
        raise UserError(f"constraints: {twice[0]!r} is there twice; allowed: each name once")
    if constraints and settings is not None and not learns_constraints(settings):
        acquisition = getattr(settings, "acquisition", None)
        raise UserError(f"constraints are given, but the acquisition is {acquisition!r}; allowed: 'ei' or 'pi'")
    return tuple(constraints)


def learns_constraints(settings: MethodSettings) -> bool:
    """Whether the method can respect constraints: an acquisition function, if it has one, is times a probability."""
    return getattr(settings, "acquisition", "ei") in ("ei", "pi")


def checked_initial(initial: Any, space: ConfigurationSpace) -> list[dict[str, Any]]:
    """The known configurations; raises UserError for anything else than a list of configurations of the space."""
    if not isinstance(initial, Sequence) or not all(isinstance(one, Mapping) for one in initial):
        raise UserError(f"initial is {brief(initial)}; allowed: a list of configurations, dictionaries")
    try:
        return CubeEncoding(space).checked(initial)
    except UserError as error:
        raise UserError(f"initial: {error}") from error


def default_of(space: ConfigurationSpace, known: Sequence[Mapping[str, Any]], method: Any) -> dict[str, Any] | None:
    """The configuration of the defaults, if one was set and the search is to begin with it.

    It is not, if it is among the known ones, or the method is an optimizer, which begins as it likes.
    """
    default = None if asks_and_tells(method) else CubeEncoding(space).default_configuration()
    return None if default in known else default


def checked_budgets(budgets: Any) -> Budgets | None:
    """The smallest and the largest as floats; raises UserError for what is not positive and ascending."""
    if budgets is None:
        return None
    pair: Any = () if isinstance(budgets, str) else budgets
    try:
        smallest, largest = pair
    except (TypeError, ValueError) as error:
        raise UserError(
            f"budgets is {brief(budgets)}; allowed: the smallest and the largest, such as (1, 81)"
        ) from error
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
    rungs: Sequence[float] | None = getattr(method, "budgets", None)
    if rungs is None:
        return
    smallest, largest = min(rungs), max(rungs)
    if budgets is None or largest != budgets[1] or smallest < budgets[0] * (1 - ROUNDING):
        raise UserError(
            f"method is a {name} that evaluates on budgets from {smallest:g} to {largest:g}, but budgets is "
            f"{brief(budgets)}; allowed: the same"
        )


def least_evaluations(
    method: Any, settings: MethodSettings | None, space: ConfigurationSpace, budgets: Budgets | None
) -> int:
    """The evaluations that a method with brackets needs to reach the largest budget; 1 for all others."""
    if settings is not None:
        if not settings.needs_budgets or settings.method in ("fabolas", "mtbo"):  # these choose any budget at any time
            return 1
        method = settings.build(space, 0, budgets)
    return getattr(method, "evaluations_to_largest", 1) if isinstance(method, Optimizer) else 1


def earlier_searches(
    earlier: Sequence[Any],
    settings: MethodSettings | None,
    space: ConfigurationSpace,
    maximize: bool = False,
    constraints: Sequence[str] = (),
) -> list[EarlierSearch]:
    """The earlier searches; raises UserError for an optimizer of one's own, and for what is no search."""
    if isinstance(earlier, Sequence) and not earlier:
        return []
    if settings is None:
        raise UserError("earlier is given, but the method is an object of one's own; allowed: one of them")
    from core.optimizers.base import usual_settings
    from core.study.earlier import check_list, searches_of  # imports torch, which most methods do without

    for place, each in enumerate(check_list(earlier)):
        if getattr(each, "maximize", maximize) != maximize:
            raise UserError(f"earlier[{place}] has maximize={not maximize}; allowed: {maximize}, as in this search")
    with usual_settings():
        return searches_of(earlier, CubeEncoding(space), bool(constraints) and not settings.learns_from_tasks)


def identity(
    settings: MethodSettings | None,
    method: Any,
    space: ConfigurationSpace,
    budgets: Budgets | None,
    seed: int,
    searches: Sequence[EarlierSearch],
    **others: Any,
) -> dict[str, Any]:
    """What distinguishes this run's journal from another's; of the others, what is empty or False counts as None."""
    if isinstance(method, Optimizer):
        run = run_header(method, seed)
    else:
        run = {"method": type(method).__name__ if settings is None else settings.model_dump(mode="json"), "seed": seed}
    given = {name: value or None for name, value in others.items()}
    header: dict[str, Any] = plain(
        {**run, "space": describe_space(space), "budgets": budgets, "earlier": _digest(searches), **given}
    )
    return header


def _digest(searches: Sequence[EarlierSearch]) -> str | None:
    if not searches:
        return None
    from core.study.earlier import digest

    return digest(searches)
