"""A method's next configuration of a group of parameters, given the trials of a study.

Nothing is remembered between trials: the optimizer is made anew, adopts the trials of the study, whoever proposed them,
and is asked once. A proposal thus depends on the seed, the number of the trial and what the storage says, and on
nothing else: a study goes on after an interruption or in another process, and enqueued trials, fixed parameters and a
space that changes are the usual case. What it costs is that chains of samplers never continue: a suggestion takes as
long as a method's first one on as many observations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.benchmarks.base import FAILURE
from core.integrations.optuna_history import History, budget_attribute
from core.integrations.optuna_space import Group
from core.optimizers.base import Optimizer, Trial
from core.optimizers.bohb import BOHB
from core.study.methods import RandomSettings
from core.study.methods.settings import Budgets, MethodSettings

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
        _adopt(optimizer, group, history)
    trials = optimizer.ask(1)
    return (trials[0].configuration, trials[0].budget) if trials else None


def _adopt(optimizer: Optimizer, group: Group, history: History) -> None:
    """Tell the optimizer of all trials that have the group's parameters, and let those under way be pending."""
    evaluations = history.evaluations()
    for trial in history.finished:
        configuration = group.configuration(trial)
        if configuration is not None:
            own = Trial(optimizer.asked, configuration, budget_attribute(trial))
            optimizer.adopt(own)
            evaluation = evaluations[trial.number]
            if optimizer.weighs_costs:
                evaluation.cost[:] = evaluation.cost.clip(min=LEAST_COST)
            optimizer.tell(own, evaluation)
    for trial in history.running:
        configuration = group.configuration(trial)
        if configuration is not None:
            optimizer.adopt(Trial(optimizer.asked, configuration, budget_attribute(trial)))


def _of_bohb(settings: MethodSettings, group: Group, history: History, seed: int, budgets: Budgets | None) -> Proposal:
    """BOHB's choice: its models learn what trials reported on the budgets of the rungs, pruned or under way."""
    optimizer = settings.build(group.space, seed, budgets)
    if not isinstance(optimizer, BOHB):
        raise TypeError(f"{settings.method} builds {type(optimizer).__name__}")
    evaluations, top = history.evaluations(), len(optimizer.budgets) - 1
    for trial in [*history.finished, *history.running]:
        configuration = group.configuration(trial)
        if configuration is None:
            continue
        evaluation = evaluations.get(trial.number)
        if evaluation is not None and FAILURE in evaluation.info[0]:
            optimizer.learn_on(configuration, 0, float("inf"))
            continue
        reached = max(trial.intermediate_values, default=-1)
        for rung, budget in enumerate(optimizer.budgets):
            value = history.report(trial, budget)
            if value is not None and budget <= reached:
                optimizer.learn_on(configuration, rung, history.sign * value)
        if (
            trial.state.name == "COMPLETE" and evaluation is not None and reached < optimizer.budgets[top]
        ):  # the value is that of all its budget
            optimizer.learn_on(configuration, top, float(evaluation.loss[0]))
    return optimizer.choose()[0], None
