"""A method's next configuration of a group of parameters, given the trials of a study.

No optimizer is remembered between trials: it is made anew, takes over the trials of the study, whoever proposed them,
and is asked once. A proposal thus depends on the seed, the number of the trial and what the storage says, and on
nothing else: a study goes on after an interruption or in another process, and enqueued trials, fixed parameters and a
space that changes are the usual case. What it costs is that chains of samplers never continue: a suggestion takes as
long as a method's first one on as many observations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.foundation.errors import UserError
from core.integrations.optuna_history import History, budget_attribute
from core.integrations.optuna_space import Group
from core.optimizers.base import Optimizer, Trial
from core.optimizers.bohb import BOHB
from core.optimizers.settings import Budgets, MethodSettings
from core.study.arguments import learns_constraints
from core.study.methods import RandomSettings
from core.study.search import LearningConstraints

LEAST_COST = 1e-6  # of a trial that took no time, for methods that take logarithms of costs
PRUNING = ("hyperband", "successive_halving", "bohb")
"""The methods whose budgets are a pruner's."""

Proposal = tuple[Mapping[str, Any], float | None]
"""A configuration of the group's space, and the budget on which to evaluate it, None if the method has none."""


def propose(
    settings: MethodSettings, group: Group, history: History, seed: int, budgets: Budgets | None, evaluations: int
) -> Proposal | None:
    """The next proposal; None where the method has to wait for results.

    Raises:
        UserError: a space that the method cannot search.
    """
    if settings.method == "bohb":
        return _of_bohb(settings, group, history, seed, budgets)
    if settings.method in PRUNING:
        settings, budgets = RandomSettings(), None
    optimizer = settings.build(group.space, seed, budgets, evaluations)
    if settings.method != "random":
        if history.constrained and learns_constraints(settings) and isinstance(optimizer, LearningConstraints):
            optimizer.learn_constraints()
        if not _adopt(optimizer, group, history):
            return None
    trials = optimizer.ask(1)
    return (trials[0].configuration, trials[0].budget) if trials else None


def _adopt(optimizer: Optimizer, group: Group, history: History) -> bool:
    """Tell the optimizer of all trials that have the group's parameters, and let those under way be pending.

    Returns:
        Whether it could take in those under way: a generation of CMA-ES may be full.
    """
    past = history.past(group)
    if optimizer.weighs_costs:
        past = replace(past, costs=past.costs.clip(min=LEAST_COST))
    optimizer.take_over(past)
    for trial in history.running:
        configuration = group.configuration(trial)
        if configuration is not None:
            try:
                optimizer.adopt(Trial(optimizer.asked, configuration, budget_attribute(trial)))
            except UserError:
                return False
    return True


def _of_bohb(settings: MethodSettings, group: Group, history: History, seed: int, budgets: Budgets | None) -> Proposal:
    """BOHB's choice: its models learn what trials reported on the budgets of the rungs, pruned or under way."""
    optimizer = settings.build(group.space, seed, budgets)
    if not isinstance(optimizer, BOHB):
        raise TypeError(f"{settings.method} builds {type(optimizer).__name__}")
    for rung, (points, losses) in enumerate(history.on_rungs(group, optimizer.budgets)):
        optimizer.learn_on(points, rung, losses)
    return optimizer.choose()[0], None
