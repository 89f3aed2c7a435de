"""The configurations that a method recommends where these are not the best seen: those with the best prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # which imports this module
    from core.study.trace import Record


def recommends(records: Sequence[Record]) -> bool:
    """Whether the method noted a configuration that it recommends."""
    return any("recommended" in record.notes for record in records)


def recommended(records: Sequence[Record], last: int | None = None, successes: bool = False) -> list[int]:
    """The trials whose configurations the method recommends after each record, for methods that note one.

    A method fits its model when it proposes, so it notes at the next trial what the last result led to. With several
    workers results arrive in another order than that of asking: the latest proposal of those told counts. As long as
    nothing was noted, it is the trial with the smallest loss on any budget, as in the authors' code of Fabolas.

    Args:
        last: what it recommends after the last record; by default what it recommended before that.
        successes: whether a note of a failed trial, which a model may predict to be the best, is passed over. The
            papers' cells keep what the method said.
    """
    failed = {record.number for record in records if record.failure} if successes else set()
    found, noted, latest, best = [], None, -1, None
    for record, following in zip(records, [*records[1:], None]):
        if not record.failure and (best is None or record.loss < best.loss):
            best = record
        told = last if following is None else following.notes.get("recommended")
        if told is not None and told not in failed and (following is None or following.number > latest):
            noted, latest = told, latest if following is None else following.number
        found.append((best or records[0]).number if noted is None else noted)
    return found
