"""Programming errors of a function: what is wrong with the code rather than with a configuration.

A training that diverges is a failure to learn from; a misspelt name fails whatever the configuration, and a hundred
evaluations later nothing has been learned. Such an error among the first evaluations of a search is therefore raised
from `minimize`: `ScreenedPool` lets none of them among the first results. Later ones, in a branch that is rarely taken,
are failures like others: a long search is not lost. The pool's trials also know the limits of a pruning rule.

A KeyError is one where code that has the configuration at hand asks for a name that is neither a hyperparameter nor a
value of the configuration, as in `configuration["lerning_rate"]`. A name that the space has may be inactive, and a
table of the user's own may lack an entry for a choice: these are failures of the configuration, as are KeyErrors of
functions that do not have it, IndexError, ValueError and ZeroDivisionError.
"""

from __future__ import annotations

import builtins
import traceback
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.foundation.errors import UserError, brief, nearest
from core.objectives.base import WrongReturnError
from core.optimizers.base import Trial
from core.study.evaluation import TrialResult
from core.study.loop import Pool
from core.study.pruning import LIMITS, Rule, curves_of
from core.study.record import TRACEBACK, Record


class ScreenedPool:
    """The pool around another.

    Args:
        pool: Pool that evaluates.
        records: Records of the run, which grow as it is told.
        rule: Pruning rule; None if nothing is pruned.
        errors: Where the objective leaves a programming error that it raises in this process.
    """

    def __init__(self, pool: Pool, records: Sequence[Record], rule: Rule | None, errors: Sequence[Exception]) -> None:
        self.pool, self.records, self.rule, self.errors = pool, records, rule, errors
        self._submitted: dict[int, Trial] = {}

    @property
    def worst_loss(self) -> float:
        """The loss of failed evaluations."""
        return self.pool.worst_loss

    def now(self) -> float:
        """Seconds since the pool was created."""
        return self.pool.now()

    def proposing(self) -> AbstractContextManager[object]:
        """The context in which a proposal is made."""
        return self.pool.proposing()

    def slots(self) -> int:
        """The number of trials that can be under way at once."""
        return self.pool.slots()

    def submit(self, trial: Trial) -> None:
        """Start a trial, with the limits that hold by now."""
        self._submitted[trial.number] = trial
        if self.rule is not None:
            limits = dict(self.rule.limits(curves_of(self.records)))
            trial = replace(trial, info={**trial.info, LIMITS: limits})
        self.pool.submit(trial)

    def wait(self, seconds: float | None) -> list[tuple[Trial, TrialResult]] | None:
        """As `Pool.wait`.

        Raises:
            Exception: one of the first evaluations of the run failed by a programming error: that error.
        """
        arrived = self.pool.wait(seconds)
        if arrived is None:
            return None
        results = [(self._submitted.pop(trial.number), result) for trial, result in arrived]
        for trial, result in results:
            if seconds is None and TRACEBACK in result.marks and len(self.records) < FIRST:
                error = self.errors[-1] if self.errors else None
                raise raised_again(result.failure, result.marks, trial.configuration, error)
        if seconds is not None and len(self.records) < FIRST:  # the run is ending: it is evaluated again
            return [each for each in results if TRACEBACK not in each[1].marks]
        return results


KINDS = (NameError, AttributeError, ImportError, SyntaxError, StopIteration, WrongReturnError)
FIRST = 10  # evaluations of a search in which they are raised
LONGEST = 20_000  # characters of a traceback, whose end counts
HERE = Path(__file__).parent


def is_programming_error(error: Exception, configuration: Mapping[str, Any], names: Collection[str]) -> bool:
    """Whether it is of `KINDS`, a name that no configuration has, or raised by the call itself, alone or in a group.

    The last are a TypeError of a call that does not fit, and a UserError about what was reported or is to be kept.

    Args:
        configuration: Configuration that the function was called with.
        names: Names of all hyperparameters.
    """
    if isinstance(error, ExceptionGroup):
        return any(is_programming_error(each, configuration, names) for each in error.exceptions)
    if isinstance(error, KINDS):
        return True
    if not isinstance(error, (TypeError, UserError, KeyError)) or error.__traceback__ is None:
        return False
    last = error.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    if not isinstance(error, KeyError):
        return Path(last.tb_frame.f_code.co_filename).parent == HERE
    key = error.args[0] if error.args else None
    if not isinstance(key, str) or key in names or key in map(str, configuration.values()):
        return False
    if not any(_is(configuration, each) for each in list(last.tb_frame.f_locals.values())):
        return False
    error.add_note(f"The configuration has no {key!r}; {nearest(key, names)}")
    return True


def _is(configuration: Mapping[str, Any], value: Any) -> bool:
    """Whether a value is the configuration or a copy."""
    try:
        return value is configuration or (type(value) is dict and bool(value == dict(configuration)))
    except Exception:  # of what the user's values compare to
        return False


def described(error: Exception) -> dict[str, Any]:
    """The marks of an evaluation that failed by a programming error."""
    return {TRACEBACK: "".join(traceback.format_exception(error))[-LONGEST:]}


def raised_again(
    failure: str, marks: Mapping[str, Any], configuration: Mapping[str, Any], error: Exception | None
) -> Exception:
    """The error to raise for a failed evaluation.

    Args:
        failure: Its message, as recorded: the error's name, a colon, and what it says.
        marks: What `described` returned.
        error: The error itself, if it was raised in this process.
    """
    name, _, said = failure.partition(": ")
    if name in (WrongReturnError.__name__, UserError.__name__):
        return UserError(said)
    if error is None:
        kind = getattr(builtins, name, RuntimeError)
        try:
            error = kind(said.strip("'\"") if kind is KeyError else said)  # whose text is in quotes
        except TypeError:  # one that takes other arguments, such as a group
            error = RuntimeError(failure)
        error.add_note(f"in a worker process:\n{marks[TRACEBACK]}")
    error.add_note(
        f"The function raised this at {brief(dict(configuration))}. Among the first {FIRST} evaluations a programming "
        "error stops the search; raise another error, or return nan, for a configuration that cannot be evaluated."
    )
    return error
