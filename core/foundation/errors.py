"""Errors a user can act on: one line that names the thing, the value and what is allowed.

The rule for all of `core`:

* What a caller can correct is a `UserError`: a setting, a name, a file, data of the wrong shape, data that are missing.
  The command line and the Snakefile print its message and stop.
* A model that cannot be fitted to valid data raises `ModelError`, which costs a search one uniform point.
* Any other exception is a bug of ours and keeps its traceback. TypeError and RuntimeError mark states that no caller
  can reach.
* Two kinds of TypeError and ValueError never reach a caller: those of pydantic's validators, which pydantic collects,
  and those of an evaluation, which `core.objectives.guard.guarded_evaluate` records as its failure.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LISTED = 10  # names that a message has at most
LONGEST = 120  # characters of a value that a message has at most
MESSAGE = 1000  # characters of another exception's message that a message has at most


class UserError(ValueError):
    """Bad input, missing data or an unusable file, explained in one message."""


class UnavailableError(UserError):
    """Something that the work needs is not here: a data set, or records of another experiment. Other work may go on."""


class WriteError(UserError):
    """A file of ours that cannot be written: the disk is full, say.

    It is no outcome of the evaluation that needed the file, so it stops a search instead of being recorded.
    """


class ModelError(UserError):
    """A model that cannot be fitted to its data, or whose predictions are not numbers.

    In a search it costs a uniform point; nothing else that a model raises is taken for such a failure.
    """


class UnknownNameError(UserError):
    """A name that does not exist; the message suggests the nearest existing ones, as `nearest` does."""

    def __init__(self, kind: str, name: object, existing: Iterable[str], where: str = "") -> None:
        super().__init__(f"unknown {kind} {name!r}; {nearest(name, existing, where)}")


def nearest(name: object, existing: Iterable[str], where: str = "") -> str:
    """A hint for a mistyped name: the existing names like it, or if none is all of them, or the first of many.

    Args:
        where: what has all of them, for example a command that lists them.
    """
    existing = list(existing)
    if near := difflib.get_close_matches(str(name), existing, n=3, cutoff=0.4):
        return f"did you mean {' or '.join(map(repr, near))}?"
    if len(existing) <= LISTED:
        return f"existing: {', '.join(existing) or 'none'}"
    rest = f"{len(existing) - LISTED} more" + (f", see {where}" if where else "")
    return f"existing: {', '.join(existing[:LISTED])} and {rest}"


def brief(value: object) -> str:
    """A value as messages show it: its representation on one line, cut where it is long."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # the user's class, whose `__repr__` may need what it lacks
        text = f"<{type(value).__name__}>"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."


def said(error: BaseException) -> str:
    """What an exception says, on one line and cut where it is long."""
    text = " ".join(text_of(error).split())
    return text if len(text) <= MESSAGE else f"{text[: MESSAGE - 4]} ..."


def text_of(error: BaseException) -> str:
    """The message of an exception, which may be the user's code, too."""
    try:
        return str(error)
    except Exception as another:
        return f"its message cannot be read ({type(another).__name__})"
