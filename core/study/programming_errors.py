"""Programming errors of a function: what is wrong with the code rather than with a configuration.

A training that diverges is a failure to learn from; a misspelt name fails whatever the configuration, and a hundred
evaluations later nothing has been learned. Such an error among the first evaluations of a search is therefore raised
from `minimize`. Later ones, in a branch that is rarely taken, are failures like others: a long search is not lost.

A KeyError is one where the configuration itself, or a copy, is asked for a name that the space does not have, as in
`configuration["lerning_rate"]`. A name that the space has may be inactive, and a table of the user's own may lack an
entry for a choice: these are failures of the configuration, as are IndexError, ValueError and ZeroDivisionError. Which
mapping was asked stands in the bytecode; where it does not, as in `"{rate}".format(**configuration)`, the error is a
failure too.
"""

from __future__ import annotations

import builtins
import dis
import traceback
from collections.abc import Collection, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from core.benchmarks.returned import WrongReturnError
from core.errors import UserError, brief, nearest
from core.study.record import TRACEBACK

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
    if not isinstance(key, str) or key in names or not _asked(last, configuration):
        return False
    error.add_note(f"The configuration has no {key!r}; {nearest(key, names)}")
    return True


def _asked(last: TracebackType, configuration: Mapping[str, Any]) -> bool:
    """Whether what failed is `name[...]` or `name.pop(...)`, where the name stands for the configuration or a copy."""
    steps = list(dis.get_instructions(last.tb_frame.f_code))
    failed = next((step for step in steps if step.offset == last.tb_lasti), None)
    if failed is None or failed.positions is None or None in failed.positions:
        return False
    # The steps of an expression begin with the load of its first name; those with the same start belong to its head.
    start = failed.positions.lineno, failed.positions.col_offset
    head = [step for step in steps if step.offset <= failed.offset and step.positions is not None]
    head = [step for step in head if step.positions and (step.positions.lineno, step.positions.col_offset) == start]
    kinds = [step.opname for step in head if step.opname != "PRECALL" or step is failed]
    pops = len(head) > 1 and head[1].argval == "pop"
    if not kinds[0].startswith("LOAD_") or len(kinds) != (3 if pops else 2):
        return False
    name = head[0].argval[0] if isinstance(head[0].argval, tuple) else head[0].argval
    frame = last.tb_frame
    asked = frame.f_locals.get(name, frame.f_globals.get(name))
    return asked is configuration or (type(asked) is dict and asked == dict(configuration))


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
            error = kind(said)
        except TypeError:  # one that takes other arguments, such as a group
            error = RuntimeError(failure)
        error.add_note(f"in a worker process:\n{marks[TRACEBACK]}")
    error.add_note(
        f"The function raised this at {brief(dict(configuration))}. Among the first {FIRST} evaluations a programming "
        "error stops the search; raise another error, or return nan, for a configuration that cannot be evaluated."
    )
    return error
