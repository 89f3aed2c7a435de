"""Recommended configurations: those with the best prediction, for methods that do not recommend the best one seen."""

from __future__ import annotations

from collections.abc import Sequence

from core.study.record import Record, counts


def recommends(records: Sequence[Record]) -> bool:
    """Whether the method noted a configuration that it recommends."""
    return any("recommended" in record.notes for record in records)


def recommended(records: Sequence[Record], last: int | None = None, successes: bool = False) -> list[int]:
    """The trials whose configurations the method recommends after each record, for methods that note a recommendation.

    A method fits its model when it makes a proposal, so the effect of the last result is noted with the next trial.
    With several workers, results arrive in another order than that of asking: the latest proposal among the trials told
    counts. As long as nothing was noted, the recommendation is the trial with the smallest loss on any budget, as in
    the authors' code of Fabolas.

    Args:
        last: Recommendation after the last record; the default is the one before that record.
        successes: Whether a recommended trial that does not count, which a model may predict to be the best, is passed
            over. The papers' cells keep the method's recommendation.

    A recommendation of an evaluation that another search has made is passed over.
    """
    failed = {record.number for record in records if not counts(record)} if successes else set()
    trials, noted, latest, best = [], None, -1, None
    for record, following in zip(records, [*records[1:], None]):
        if counts(record) and (best is None or record.loss < best.loss):
            best = record
        named = last if following is None else following.notes.get("recommended")
        if (
            named is not None
            and named >= 0
            and named not in failed
            and (following is None or following.number > latest)
        ):
            noted, latest = named, latest if following is None else following.number
        trials.append((best or records[0]).number if noted is None else noted)
    return trials
