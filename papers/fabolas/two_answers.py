"""A claim that was asked twice: of our own runs, and of the authors' data by the same function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.report import Check, NotRunError
from core.report.statistics.bootstrap import Interval


def two_answers(replicated: Callable[[], Check], reproduced: Callable[[], Check], source: str) -> Check:
    """The check of our runs, whose detail has the outcome on the authors' data, where these were read.

    Args:
        source: The authors' data in words.

    Raises:
        NotRunError: we have no runs.
    """
    ours = replicated()
    try:
        theirs = reproduced()
    except NotRunError:
        return ours
    value = theirs.ours if isinstance(theirs.ours, str) else Interval(theirs.ours, theirs.low, theirs.high).text(".3g")
    found = f"{source}: {theirs.holds}, {value}" + (f" ({theirs.detail})" if theirs.detail else "")
    return replace(ours, detail="; ".join(filter(None, [ours.detail, found])))
