"""How a trial is evaluated wherever it runs, and what comes back.

The random numbers of a trial depend only on its number and the seed of the run, so that a loss depends neither on the
order in which trials finish nor on the worker, and a trial that is repeated after its worker died repeats exactly.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.foundation.errors import UserError, brief
from core.objectives.base import FAILURE, Evaluation, Objective, Own, check_budget, failure_of
from core.objectives.guard import guarded_evaluate, message_of, writable
from core.optimizers.base import Trial
from core.optimizers.trial import OBSERVED
from core.study.record import CONSTRAINTS, MARKS, TOLD_LOSS, Record, violated

DEEPEST = 50  # levels of an outcome that are recorded
LARGEST = 1_000_000  # numbers, and characters of texts, of an evaluation's outcomes that are recorded
LONGEST_TEXT = 10_000  # characters of a name, and of the text that stands for a value without a counterpart in JSON
LONGEST_INTEGER = 1024  # bits


@dataclass(frozen=True)
class TrialResult:
    """The outcome of one trial, in plain values only, so that it can be sent and stored whatever the objective.

    Attributes:
        loss, cost: Loss and cost returned by the objective; a failed evaluation has the worst-case loss and the seconds
            until it failed.
        failure: Reason for the failure, empty if there was none.
        info: Everything else that the objective returned, as `recorded`.
        marks: What is noted about the evaluation, see `core.study.record.MARKED`.
        budget: Budget of the evaluation; the largest if the trial left the choice to the objective.
    """

    loss: float
    cost: float
    failure: str = ""
    info: Mapping[str, Any] = field(default_factory=dict)
    budget: float | None = None
    marks: Mapping[str, Any] = field(default_factory=dict)


def evaluate_trial(objective: Objective, trial: Trial, seed: int) -> TrialResult:
    """Evaluate one trial with the generator of (seed, trial.number); failures are results too.

    An objective whose evaluation depends on the trial, on its number or on what the loop gave it, has a method
    `of_trial` that returns the objective for this trial.

    An objective that calls `sys.exit`, or raises something else that is no Exception, counts as failed; the worker goes
    on. Only a KeyboardInterrupt passes, alone or in a group.

    Raises:
        UserError: the trial's budget is outside the objective's fidelity range.
        WriteError: a file that the evaluation needed cannot be written.
        KeyboardInterrupt: the run is interrupted.
    """
    generator = np.random.default_rng([seed, trial.number])
    budget = check_budget(objective.fidelity, trial.budget)
    if (of_trial := getattr(objective, "of_trial", None)) is not None:  # quicker than a protocol
        objective = of_trial(trial)
    start = time.perf_counter()
    try:
        evaluation = guarded_evaluate(objective, [dict(trial.configuration)], trial.budget, generator)
    except UserError:
        raise
    except BaseException as error:
        if _interrupts(error):
            raise
        seconds = time.perf_counter() - start
        return TrialResult(float(objective.worst_loss), seconds, message_of(error), budget=budget)
    said = evaluation.info[0]
    failure, marks = failure_of(said), plain(said.get(MARKS, {}))
    info = recorded({key: value for key, value in said.items() if key not in (FAILURE, MARKS)})
    return TrialResult(float(evaluation.loss[0]), float(evaluation.cost[0]), failure, info, budget, marks)


def _interrupts(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return any(map(_interrupts, error.exceptions))
    return isinstance(error, KeyboardInterrupt)


def evaluation_of(record: Record) -> Evaluation:
    """The form in which an optimizer is told about a record: a violated constraint is a failure to it.

    Values of constraints have their own names, as the function returned them. An outcome named "failure" is left out.
    """
    info: dict[Any, Any] = {**record.info, **record.marks.get(CONSTRAINTS, {})}
    info.pop(FAILURE, None)
    if record.failure:
        info[FAILURE] = record.failure
    elif names := violated(record):
        info |= {FAILURE: f"violates {', '.join(names)}", OBSERVED: record.loss}
    return Evaluation(np.array([record.marks.get(TOLD_LOSS, record.loss)]), np.array([record.cost]), (info,))


def plain(value: Any) -> Any:
    """The value in types that JSON can write: arrays become lists, and values without a counterpart their `repr`."""
    if isinstance(value, np.generic):
        item = value.item()
        return repr(item) if isinstance(item, np.generic) else plain(item)  # one of more bits than Python's numbers
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return plain(value.tolist()) if hasattr(value, "tolist") else repr(value)


def recorded(outcomes: Mapping[Any, Any]) -> dict[str, Any]:
    """Outcomes as `plain`, whatever they are: nothing that a function returns beside its loss ends a search.

    What is nested deeper than `DEEPEST`, contains itself, or finds no room among `LARGEST` values is recorded as a
    short text; so is what raises when it is looked at.
    """
    room = _Room(LARGEST)
    return {_text(key): room.recorded(value, ()) for key, value in outcomes.items()}


class _Room:
    """Records values as long as there is room.

    Attributes:
        left: How many numbers and characters more.
    """

    def __init__(self, left: int) -> None:
        self.left = left

    def recorded(self, value: Any, above: tuple[int, ...]) -> Any:
        """The value; `above` identifies those that contain it."""
        try:
            return self._recorded(value, above)
        except Exception:  # of the user's class
            return f"<{type(value).__name__}>"

    def _recorded(self, value: Any, above: tuple[int, ...]) -> Any:
        self.left -= 1
        if value is None or isinstance(value, (bool, float)):
            return value if value is None or isinstance(value, bool) else float.__float__(value)
        if isinstance(value, int):
            return int.__int__(value) if value.bit_length() <= LONGEST_INTEGER else brief(value)
        if isinstance(value, str):
            return writable(str.__str__(value)) if self._takes(len(value)) else brief(value)
        if isinstance(value, np.generic):
            item = float(value) if isinstance(value, np.floating) else value.item()
            return repr(item) if isinstance(item, np.generic) else self.recorded(item, above)
        if id(value) in above or len(above) >= DEEPEST or self.left <= 0:
            return "..."
        above = (*above, id(value))
        shape = getattr(value, "shape", None)
        size = math.prod(shape) if isinstance(shape, tuple) else len(value) if hasattr(value, "__len__") else 1
        if size > self.left:
            return f"<{type(value).__name__} of {size:,}>"
        if isinstance(value, Mapping):
            return {_text(key): self.recorded(entry, above) for key, entry in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.recorded(entry, above) for entry in value]
        return self.recorded(value.tolist(), above) if hasattr(value, "tolist") else self._shown(value)

    def _takes(self, characters: int) -> bool:
        fits = characters <= self.left
        self.left -= characters if fits else 0
        return fits

    def _shown(self, value: Any) -> str:
        text = repr(value)
        text = text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 4]} ..."
        self.left -= len(text)
        return text


def _text(key: Any) -> str:
    """The name of an outcome."""
    try:
        return writable(str(key.value if isinstance(key, Own) else key)[:LONGEST_TEXT])
    except Exception:  # of the user's class
        return f"<{type(key).__name__}>"
