"""Giving up single evaluations early, from the values that they report on the way.

    def loss(configuration, trial):
        for epoch in range(1, 31):
            ...
            trial.report(value, epoch)
            if trial.should_prune():
                break
        return value

A rule turns what other evaluations have reported into limits, one for each step: who reports more than the limit is to
be given up. Limits are made where the search runs, from the evaluations told by then, and travel with the trial, so
that workers need not know each other and a resumed run prunes as the first did.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from numbers import Integral
from statistics import median
from typing import Any, Protocol

from core.foundation.errors import UnknownNameError, UserError, brief
from core.foundation.validation import require_count, require_number
from core.objectives.base import WrongReturnError, number
from core.optimizers.base import Trial
from core.optimizers.brackets import promoted
from core.study.record import PRUNED, REPORTS, Record

LIMITS = "limits"  # the key of a trial's `info` for the largest loss at each step
Limits = Mapping[int, float]
Curves = Sequence[tuple[Sequence[tuple[int, float]], bool]]
"""For each evaluation its reports, steps ascending, and whether it was pruned."""


class Pruned(Exception):
    """Raise it to give up an evaluation; it counts with the value that it reported last."""


class Rule(Protocol):
    """How limits are made."""

    def limits(self, curves: Curves) -> Limits:
        """The largest loss at each step with which an evaluation goes on."""


@dataclass(frozen=True)
class MedianRule:
    """Give up who is worse than half of the others (Golovin et al. 2017, section 3.2.2, on values instead of averages).

    An evaluation is given up after a step at which it reports more than the median of what completed evaluations
    reported there. This is the rule of Optuna's MedianPruner.

    Attributes:
        startup: Number of completed evaluations that are needed.
        warmup: Steps up to this one are not compared.

    Raises:
        UserError: a number that is not whole or too small.
    """

    startup: int = 5
    warmup: int = 0

    def __post_init__(self) -> None:
        require_count("MedianRule.startup", self.startup)
        require_count("MedianRule.warmup", self.warmup, least=0)

    def limits(self, curves: Curves) -> Limits:
        """Medians of the evaluations that were not pruned."""
        complete = [dict(reports) for reports, pruned in curves if not pruned and reports]
        steps = {step for reports in complete for step in reports if step > self.warmup}
        values = {step: [reports[step] for reports in complete if step in reports] for step in sorted(steps)}
        return {step: median(some) for step, some in values.items() if len(some) >= self.startup}


@dataclass(frozen=True)
class HalvingRule:
    """Asynchronous successive halving (Li et al. 2020, Algorithm 2): at steps first, first eta, first eta^2 ... an
    evaluation goes on if it is among the best 1/eta of all that have got there, itself included, or is the best.

    Attributes:
        eta: Share that goes on is 1 / eta.
        first: First step at which evaluations are compared.

    Raises:
        UserError: eta below 2, or a first step below 1.
    """

    eta: float = 3
    first: int = 1

    def __post_init__(self) -> None:
        require_number("HalvingRule.eta", self.eta, lambda value: 2 <= value < math.inf, "finite numbers from 2")
        require_count("HalvingRule.first", self.first)

    def limits(self, curves: Curves) -> Limits:
        """At each rung the m-th smallest value, where m is how many of all and one more go on."""
        limits, rung = {}, float(self.first)
        last = max((reports[-1][0] for reports, _ in curves if reports), default=0)
        while rung <= last:
            step = round(rung)
            values = sorted(dict(reports)[step] for reports, _ in curves if step in dict(reports))
            places = promoted(len(values) + 1, self.eta)
            if len(values) >= places:
                limits[step] = values[places - 1]
            rung *= self.eta
        return limits


RULES: dict[str, type[Rule]] = {"median": MedianRule, "successive_halving": HalvingRule}


def rule_of(pruning: Any) -> Rule | None:
    """The rule by its name, or an object with `limits`; raises UserError for anything else."""
    if isinstance(pruning, str):
        if pruning not in RULES:
            raise UnknownNameError("pruning rule", pruning, RULES)
        return RULES[pruning]()
    if pruning is not None and (isinstance(pruning, type) or not callable(getattr(pruning, "limits", None))):
        raise UserError(f"pruning is {brief(pruning)}; allowed: None, {', '.join(map(repr, RULES))} or a rule")
    rule: Rule | None = pruning
    return rule


def description(rule: Rule) -> str:
    """By what a journal recognizes a rule: its settings, or at least its type."""
    return repr(rule) if is_dataclass(rule) else type(rule).__name__


def curves_of(records: Sequence[Record]) -> Curves:
    """What evaluations have reported; failed ones are left out."""
    return [
        ([(int(step), float(loss)) for step, loss in record.marks[REPORTS]], PRUNED in record.marks)
        for record in records
        if not record.failure and record.marks.get(REPORTS)
    ]


class RunningTrial:
    """What a function gets as `trial`: it reports values on the way, and asks whether to go on.

    Attributes:
        number: Number of the trial.
        configuration: Values by name.
        budget: Budget of the evaluation; None without budgets.
        reports: Pairs (step, loss) of what was reported; with `maximize` losses are minus the values.
        pruned: Whether `should_prune` has said yes.
    """

    def __init__(self, trial: Trial, budget: float | None, sign: int) -> None:
        self.number, self.configuration, self.budget = trial.number, dict(trial.configuration), budget
        self.reports: list[tuple[int, float]] = []
        self.pruned = False
        self._limits, self._sign = dict(trial.info.get(LIMITS, ())), sign

    def report(self, value: float, step: int) -> None:
        """Say what the function would return if it ended now.

        Args:
            value: Number of any type, as `core.objectives.base.number` reads it; nan counts as worse than all.
            step: Whole number from 0, larger than at the last report, such as the epoch.

        Raises:
            UserError: something else; it is a failure of the evaluation.
        """
        try:
            reported = number(value, "report: value is", "allowed: a number")
        except WrongReturnError as error:
            raise UserError(str(error)) from error
        least = self.reports[-1][0] + 1 if self.reports else 0
        if isinstance(step, bool) or not isinstance(step, Integral) or step < least:
            raise UserError(f"report: step is {brief(step)}; allowed: a whole number from {least}")
        self.reports.append((int(step), self._sign * reported))

    def should_prune(self) -> bool:
        """Whether to give up; if so, the evaluation counts as given up however it ends."""
        if self.reports:
            step, loss = self.reports[-1]
            self.pruned = self.pruned or not loss <= self._limits.get(step, math.inf)
        return self.pruned
