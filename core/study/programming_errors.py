"""Programming errors of a function: what is wrong with the code rather than with a configuration.

A training that diverges is a failure to learn from; a misspelt name fails whatever the configuration, and a hundred
evaluations later nothing has been learned. Such an error among the first evaluations of a search is therefore raised
from `minimize`. Later ones, in a branch that is rarely taken, are failures like others: a long search is not lost.
"""

from __future__ import annotations

import builtins
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.benchmarks.returned import WrongReturnError
from core.errors import UserError, brief

KINDS = (NameError, AttributeError, ImportError, SyntaxError, StopIteration, WrongReturnError)
FIRST = 10  # evaluations of a search in which they are raised
TRACEBACK = "traceback"  # the key of `info` by which a programming error is known
HERE = Path(__file__).parent


def is_programming_error(error: Exception) -> bool:
    """Whether it is of `KINDS`, or raised by the call itself rather than by the user's code.

    The latter are a TypeError of a call that does not fit, and a UserError about what was reported or is to be kept.
    """
    if isinstance(error, KINDS):
        return True
    if not isinstance(error, (TypeError, UserError)):
        return False
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and Path(last.tb_frame.f_code.co_filename).parent == HERE


def described(error: Exception) -> dict[str, Any]:
    """What an evaluation's `info` holds about a programming error besides its message."""
    return {TRACEBACK: "".join(traceback.format_exception(error))}


def raised_again(
    failure: str, info: Mapping[str, Any], configuration: Mapping[str, Any], error: Exception | None
) -> Exception:
    """The error to raise for a failed evaluation.

    Args:
        failure: Its message, as recorded: the error's name, a colon, and what it says.
        info: What `described` returned.
        error: The error itself, if it was raised in this process.
    """
    name, _, said = failure.partition(": ")
    if name in (WrongReturnError.__name__, UserError.__name__):
        return UserError(said)
    if error is None:
        kind = getattr(builtins, name, RuntimeError)
        error = kind(said)
        error.add_note(f"in a worker process:\n{info[TRACEBACK]}")
    error.add_note(
        f"The function raised this at {brief(dict(configuration))}. Among the first {FIRST} evaluations a programming "
        "error stops the search; raise another error, or return nan, for a configuration that cannot be evaluated."
    )
    return error
