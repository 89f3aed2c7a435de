"""What the trials of a study say about groups of parameters: losses to be minimized, failures, constraints and budgets.

* A completed trial counts with its value, of a study that maximizes with the negative.
* A failed one, also one whose value is infinite, counts as a failure, which a method does not search near. (Optuna's
  own samplers forget failures, and may repeat what failed.)
* One with a value of a constraint above 0 (`trial.set_constraint`, or a sampler's `constraints_func`) is a failure as
  well, whose loss a method that learns constraints still knows. One whose constraints could not be evaluated, or are
  nan, is a failure like any other. One without any is feasible, as for `study.best_trial`.
* A pruned one counts with its last report, but as no better than the median of the completed ones: it was stopped
  because others were better, and what it would have come to is not known. One without a report is a failure.

A trial that has finished never changes: each is read once, and encoded once, together with all that are new.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.foundation.installation import needed_for
from core.integrations.optuna_space import Distributions, Group, Parameter
from core.optimizers.trial import Past

with needed_for("core.integrations"):
    from optuna.distributions import BaseDistribution
    from optuna.study import Study, StudyDirection
    from optuna.trial import FrozenTrial, TrialState

BUDGET = "hpo:budget"  # the key of a trial's system attributes for the budget on which it is to be evaluated
CONSTRAINTS = "constraints"  # the key under which Optuna's samplers store what their `constraints_func` returned
COST = "cost"  # the key of a trial's user attributes for what it cost


class Reading:
    """Passes over the trials of a study that meet each of them once when it has finished."""

    def __init__(self) -> None:
        self._settled = 0  # all trials with smaller numbers have been met
        self._met: set[int] = set()  # the others that have

    def pass_over(self, study: Study) -> tuple[list[FrozenTrial], list[FrozenTrial]]:
        """The trials that have finished since the last pass, and those that are running."""
        trials = study.get_trials(deepcopy=False)
        rest = trials[self._settled :]
        finished = [trial for trial in rest if trial.state.is_finished() and trial.number not in self._met]
        self._met.update(trial.number for trial in finished)
        while self._settled in self._met and trials[self._settled].number == self._settled:
            self._met.remove(self._settled)
            self._settled += 1
        return finished, [trial for trial in rest if trial.state == TrialState.RUNNING]


class Outcomes(NamedTuple):
    """The outcomes of finished trials, (n,) each: as in `core.optimizers.trial.Past`."""

    losses: NDArray[np.float64]
    failed: NDArray[np.bool_]
    observed: NDArray[np.float64]


@dataclass
class Known:
    """A parameter that trials had: the first and the last of them, its distribution in the last, and all as bits."""

    first: tuple[int, int]
    last: int
    distribution: BaseDistribution
    occurrences: int = 0


@dataclass
class Table:
    """The finished trials that have the parameters of a group: their places in the history, values and points."""

    read: int = 0
    places: list[int] = field(default_factory=list)
    configurations: list[dict[str, Any]] = field(default_factory=list)
    points: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))


class History:
    """The trials of a study. Lists have an entry for each finished trial, in the order in which they were read.

    Attributes:
        sign: 1 if the study minimizes, -1 if it maximizes.
        trials: Finished trials.
        running: Other trials that are under way.
        constrained: Whether any trial has values of constraints.
        unknown: Number of a completed trial without such values; None if there is none.
    """

    def __init__(self) -> None:
        self.sign = 1.0
        self.trials: list[FrozenTrial] = []
        self.running: list[FrozenTrial] = []
        self.constrained = False
        self.unknown: int | None = None
        self._reading = Reading()
        self._numbers: list[int] = []
        self._budgets: list[float | None] = []
        self._losses: list[float] = []  # infinite without one
        self._costs: list[float] = []
        self._pruned: list[bool] = []
        self._violated: list[bool] = []
        self._rungs: list[list[float]] = []
        self._parameters: dict[str, Known] = {}
        self._tables: dict[tuple[Parameter, ...], tuple[Group, Table]] = {}
        self._outcomes: Outcomes | None = None

    @classmethod
    def before(cls, study: Study, trial: FrozenTrial) -> History:
        """The history of all other trials of a study."""
        history = cls()
        history.update(study, trial)
        return history

    def update(self, study: Study, trial: FrozenTrial) -> None:
        """Read what has finished, and see what else is running now."""
        self.sign = -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0
        finished, running = self._reading.pass_over(study)
        self.running = [other for other in running if other.number != trial.number]
        for other in finished:
            self._read(other)
        if finished:
            self._outcomes = None

    def _read(self, trial: FrozenTrial) -> None:
        self.trials.append(trial)
        values = constraints_of(trial)
        unusable = any(math.isnan(value) for value in values)
        self._losses.append(math.inf if unusable else self.loss(trial))
        self._numbers.append(trial.number)
        self._budgets.append(budget_attribute(trial))
        self._costs.append(cost_of(trial))
        self._pruned.append(trial.state == TrialState.PRUNED)
        self._violated.append(any(value > 0 for value in values))
        self.constrained = self.constrained or bool(values)
        if not values and trial.state == TrialState.COMPLETE and self.unknown is None:
            self.unknown = trial.number
        for place, (name, distribution) in enumerate(trial.distributions.items()):
            at = trial.number, place
            known = self._parameters.setdefault(name, Known(at, trial.number, distribution))
            known.first = min(known.first, at)
            known.occurrences |= 1 << trial.number
            if trial.number >= known.last:
                known.last, known.distribution = trial.number, distribution

    def distributions(self) -> dict[str, BaseDistribution]:
        """The latest distribution of every parameter that a trial had, in the order of their first trials."""
        known = sorted(self._parameters.items(), key=lambda item: item[1].first)
        return {name: each.distribution for name, each in known}

    def groups(self, distributions: Distributions) -> list[Group]:
        """The parameters by the trials in which they occurred; those that occurred in none form a group as well."""
        together: dict[int, dict[str, BaseDistribution]] = {}
        for name, distribution in distributions.items():
            occurrences = self._parameters[name].occurrences if name in self._parameters else 0
            together.setdefault(occurrences, {})[name] = distribution
        found = [Group.of(members) for members in together.values()]
        kept = {each.parameters: self._tables.get(each.parameters, (each, Table())) for each in found}
        self._tables = kept  # those of spaces that have changed since are dropped
        return [kept[each.parameters][0] for each in found]

    def past(self, group: Group) -> Past:
        """The finished trials that have a group's parameters, in the order of their numbers."""
        table, order = self._encoded(group)
        places, outcomes = np.array(table.places, dtype=np.int64)[order], self.outcomes()
        return Past(
            [table.configurations[row] for row in order.tolist()],
            table.points[order],
            [self._budgets[place] for place in places.tolist()],
            outcomes.losses[places],
            np.array(self._costs, dtype=np.float64)[places],
            outcomes.failed[places],
            outcomes.observed[places],
        )

    def on_rungs(
        self, group: Group, budgets: Sequence[float]
    ) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """For each budget the points (n, d) and losses (n,) of the trials with a group's parameters that reached it.

        The loss is what a trial reported at the last step up to the budget, on the last budget also the value of a
        completed trial without a report there. It is infinite for what violates a constraint or is no number, and on
        the first budget for failures. Trials under way come last.
        """
        table, order = self._encoded(group)
        for trial in self.trials[len(self._rungs) :]:
            self._rungs.append(self._by_rung(trial, budgets))
        losses = np.array([self._rungs[table.places[row]] for row in order.tolist()]).reshape(-1, len(budgets))
        points = table.points[order]
        for trial in self.running:
            if (configuration := group.configuration(trial)) is not None:
                points = np.concatenate([points, group.encoding.encode([configuration])])
                losses = np.concatenate([losses, [self._by_rung(trial, budgets)]])
        for rung in range(len(budgets)):
            reached = ~np.isnan(losses[:, rung])
            yield points[reached], losses[reached, rung]

    def outcomes(self) -> Outcomes:
        """The outcomes of all finished trials; failures have the largest loss of the others."""
        if self._outcomes is None:
            losses, pruned = np.array(self._losses, dtype=np.float64), np.array(self._pruned, dtype=bool)
            violated = np.array(self._violated, dtype=bool)
            if pruned.any():
                complete = losses[np.isfinite(losses) & ~pruned & ~violated]
                losses[pruned] = np.maximum(losses[pruned], np.median(complete) if len(complete) else -np.inf)
            failed = violated | ~np.isfinite(losses)
            worst = losses[~failed].max(initial=-np.inf)
            told = np.where(failed, worst if np.isfinite(worst) else 0.0, losses)
            self._outcomes = Outcomes(told, failed, np.where(np.isfinite(losses), losses, np.nan))
        return self._outcomes

    def loss(self, trial: FrozenTrial) -> float:
        """The value of a completed trial or the last report of a pruned one, to be minimized; else infinite."""
        value = trial.value if trial.state == TrialState.COMPLETE else _report(trial, math.inf)
        return math.inf if value is None or not math.isfinite(value) else self.sign * value

    def _encoded(self, group: Group) -> tuple[Table, NDArray[np.int64]]:
        """The trials that have a group's parameters, and the order of their numbers, (n,)."""
        table = self._tables.setdefault(group.parameters, (group, Table()))[1]
        new = []
        for place in range(table.read, len(self.trials)):
            configuration = group.configuration(self.trials[place])
            if configuration is not None:
                table.places.append(place)
                new.append(configuration)
        table.read = len(self.trials)
        table.configurations += new
        if new or not table.places:
            table.points = np.concatenate(
                [table.points.reshape(-1, group.encoding.dimension), group.encoding.encode(new)]
            )
        return table, np.argsort([self._numbers[place] for place in table.places], kind="stable")

    def _by_rung(self, trial: FrozenTrial, budgets: Sequence[float]) -> list[float]:
        """The losses of a trial on budgets, nan where it has none; see `on_rungs`."""
        losses = [math.nan] * len(budgets)
        finished = trial.state.is_finished()
        values = constraints_of(trial)
        if finished and (any(map(math.isnan, values)) or not math.isfinite(self.loss(trial))):
            return [math.inf, *losses[1:]]
        reached = max(trial.intermediate_values, default=-1)
        for rung, budget in enumerate(budgets):
            value = _report(trial, budget)
            if value is not None and budget <= reached:
                losses[rung] = self.sign * value if math.isfinite(value) else math.inf
        if trial.state == TrialState.COMPLETE and reached < budgets[-1]:
            losses[-1] = self.loss(trial)  # the value is that of all its budget
        if violates(trial):
            losses = [each if math.isnan(each) else math.inf for each in losses]
            if finished and all(map(math.isnan, losses)):
                losses[0] = math.inf
        return losses


def constraints_of(trial: FrozenTrial) -> tuple[float, ...]:
    """The values of a trial's constraints, of which one above 0 is violated; nan if they could not be evaluated."""
    if trial.system_attrs.get(CONSTRAINTS, ()) is None:  # what is stored where `constraints_func` has raised
        return (math.nan,)
    return tuple(trial.constraints.values())


def violates(trial: FrozenTrial) -> bool:
    """Whether a trial violates a constraint."""
    return any(value > 0 for value in constraints_of(trial))


def cost_of(trial: FrozenTrial) -> float:
    """The user attribute `cost` of a trial, if that is a number, or the seconds that it took."""
    given = trial.user_attrs.get(COST)
    if isinstance(given, Real) and not isinstance(given, bool) and math.isfinite(given):
        return float(given)
    return trial.duration.total_seconds() if trial.duration is not None else math.nan


def budget_attribute(trial: FrozenTrial) -> float | None:
    """The budget that the sampler gave a trial."""
    budget: Any = trial.system_attrs.get(BUDGET)
    return None if budget is None else float(budget)


def _report(trial: FrozenTrial, budget: float) -> float | None:
    """What a trial reported at the last step up to a budget; None if it failed or reported nothing until then."""
    steps = [step for step in trial.intermediate_values if step <= budget]
    return trial.intermediate_values[max(steps)] if steps and trial.state != TrialState.FAIL else None
