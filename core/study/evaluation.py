"""How a trial is evaluated wherever it runs, and what comes back.

The random numbers of a trial depend only on its number and the seed of the run, so that a loss depends neither on the
order in which trials finish nor on the worker, and a trial that is repeated after its worker died repeats exactly.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from core.benchmarks.base import FAILURE, Evaluation, Objective, check_budget, failure_of
from core.benchmarks.guard import guarded_evaluate
from core.optimizers.base import Trial
from core.optimizers.trial import OBSERVED
from core.study.record import Record, violated

TOLD_LOSS = "told loss"  # the key of `info` for the loss that an optimizer is told if the evaluation is not allowed


@dataclass(frozen=True)
class TrialResult:
    """The outcome of one trial, in plain values only, so that it can be sent and stored whatever the objective.

    Attributes:
        loss, cost: Loss and cost returned by the objective; a failed evaluation has the worst-case loss and the seconds
            until it failed.
        failure: Reason for the failure, empty if there was none.
        info: Everything else that the objective returned.
        budget: Budget of the evaluation; the largest if the trial left the choice to the objective.
    """

    loss: float
    cost: float
    failure: str = ""
    info: Mapping[str, Any] = field(default_factory=dict)
    budget: float | None = None


@runtime_checkable
class PerTrial(Protocol):
    """An objective whose evaluation depends on the trial: on its number, or on what the loop gave it."""

    def of_trial(self, trial: Trial) -> Objective:
        """The objective for the evaluation of this trial."""
        ...


def evaluate_trial(objective: Objective, trial: Trial, seed: int) -> TrialResult:
    """Evaluate one trial with the generator of (seed, trial.number); failures are results too.

    An objective that calls `sys.exit` counts as failed; the worker goes on.

    Raises:
        UserError: the trial's budget is outside the objective's fidelity range.
    """
    generator = np.random.default_rng([seed, trial.number])
    budget = check_budget(objective.fidelity, trial.budget)
    if isinstance(objective, PerTrial):
        objective = objective.of_trial(trial)
    start = time.perf_counter()
    try:
        evaluation = guarded_evaluate(objective, [dict(trial.configuration)], trial.budget, generator)
    except SystemExit as error:
        return TrialResult(
            float(objective.worst_loss), time.perf_counter() - start, f"SystemExit: {error}", budget=budget
        )
    said = evaluation.info[0]
    info = {str(key): plain(value) for key, value in said.items() if key != FAILURE}
    return TrialResult(float(evaluation.loss[0]), float(evaluation.cost[0]), failure_of(said), info, budget)


def evaluation_of(record: Record) -> Evaluation:
    """The form in which an optimizer is told about a record: a violated constraint is a failure to it."""
    info = {**record.info, FAILURE: record.failure} if record.failure else dict(record.info)
    if not record.failure and (names := violated(record)):
        info |= {FAILURE: f"violates {', '.join(names)}", OBSERVED: record.loss}
    return Evaluation(np.array([info.get(TOLD_LOSS, record.loss)]), np.array([record.cost]), (info,))


def plain(value: Any) -> Any:
    """The value in types that JSON can write: arrays become lists, and values without a counterpart their `repr`."""
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return plain(value.tolist()) if hasattr(value, "tolist") else repr(value)
