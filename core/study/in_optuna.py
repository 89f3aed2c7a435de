"""A search as a study of Optuna, for its own plots, importances and dashboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ConfigSpace import ConfigurationSpace

from core.foundation.installation import needed_for
from core.spaces import Column
from core.study.evaluation import plain
from core.study.record import CONSTRAINTS, PRUNED, REPORTS, Record

if TYPE_CHECKING:
    import optuna

CHOICES = (type(None), bool, int, float, str)  # which Optuna can store; others become text


def study_of(records: Sequence[Record], space: ConfigurationSpace, maximize: bool) -> optuna.Study:
    """A study in memory with a trial for each record, in their order.

    A failed evaluation is a failed trial. One that was pruned is a pruned trial, and so is one on a smaller budget,
    with its loss as the intermediate value of step budget, rounded: otherwise it could be the best. Values of
    constraints are the trials' constraints, by name, by which `study.best_trial` goes. User attributes are the trial's
    number, its cost, its budget, and the failure.

    Raises:
        UnavailableError: Optuna is not installed.
    """
    with needed_for("result.to_optuna()"):
        import optuna
    sign = -1 if maximize else 1
    columns = [Column.of(space[name]) for name in space]
    distributions = {column.name: _distribution(optuna, column) for column in columns}
    largest = max((record.budget or 0.0 for record in records), default=0.0)
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)  # or it would announce the study
    study = optuna.create_study(direction="maximize" if maximize else "minimize")
    optuna.logging.set_verbosity(verbosity)
    for record in records:
        active = [column for column in columns if column.name in record.configuration]
        reported = {int(step): sign * loss for step, loss in record.marks.get(REPORTS, ())}
        state, value = optuna.trial.TrialState.COMPLETE, sign * record.loss
        if record.failure:
            state = optuna.trial.TrialState.FAIL
        elif PRUNED in record.marks:
            state = optuna.trial.TrialState.PRUNED
        elif (record.budget or 0.0) < largest:
            state, reported = optuna.trial.TrialState.PRUNED, {round(record.budget or 0.0): value}
        attributes = {"number": record.number, "cost": record.cost, "budget": record.budget, "failure": record.failure}
        study.add_trial(
            optuna.trial.create_trial(
                state=state,
                value=None if record.failure else value,
                params={column.name: _param(record.configuration, column) for column in active},
                distributions={column.name: distributions[column.name] for column in active},
                intermediate_values=reported,
                user_attrs={name: plain(entry) for name, entry in attributes.items() if entry not in (None, "")},
                constraints={name: float(value) for name, value in record.marks.get(CONSTRAINTS, {}).items()},
            )
        )
    return study


def _param(configuration: Mapping[str, Any], column: Column) -> Any:
    value = configuration[column.name]
    return _storable(value) if column.choices and not isinstance(column.choices, range) else value


def _distribution(optuna: Any, column: Column) -> Any:
    if isinstance(column.choices, range):
        ends = column.choices[0], column.choices[-1]
        return optuna.distributions.IntDistribution(min(ends), max(ends), step=abs(column.choices.step))
    if column.choices:
        return optuna.distributions.CategoricalDistribution([_storable(choice) for choice in column.choices])
    low, high = column.bounds
    if column.kind == "integer":
        return optuna.distributions.IntDistribution(int(low), int(high), log=column.log)
    return optuna.distributions.FloatDistribution(low, high, log=column.log)


def _storable(choice: Any) -> Any:
    return choice if isinstance(choice, CHOICES) else repr(choice)
