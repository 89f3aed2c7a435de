"""Claims: what a paper says in words or shows as a curve, beside the check of it on our raw runs.

Each is a row of the paper's claims.yaml, see claim_tables.py; the row's name is the claim's id, the only one of its
name in the paper. For what a check is and when a claim holds, see checks.py. A claim that a reader takes the paper to
be about has a `headline`, its words in the README's figure. Any claim that fails states its cause.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from core.foundation.errors import UserError
from core.foundation.strict import Strict
from core.report.runs.frames import NotRunError, reading
from core.report.verdicts.checks import OUTCOMES, Check, after_looks, not_run

Kind = Literal["claim", "shape", "check"]
CauseKind = Literal["reduced protocol", "our substitute", "our code", "the paper", "unknown"]
CAUSES: tuple[str, ...] = get_args(CauseKind)
"""Of an unknown cause, the evidence says what was checked."""
SHORTEST = 10  # characters in a sentence
LONGEST = 46  # characters in a headline, which has one line of a figure


class Cause(Strict):
    """Why a claim fails, and the evidence for it."""

    kind: CauseKind
    evidence: Annotated[str, Field(min_length=SHORTEST)]


@dataclass(frozen=True)
class Claim:
    """What is claimed and the function that checks it.

    Attributes:
        id: The claim's name in the paper.
        where: The place in the repository: file, line and function, or file, artifact and row.
        artifact: The table or figure that the claim is about.
        kind: `claim`, about a result; `shape`, about the form of a curve or a fit; `check`, true by the definition of
            what is drawn, so that it tests only our code and is not counted.
        sentence: The claim in our own words.
        place: Place where the paper says or shows it.
        published: Value or words of the paper that ours stands beside.
        check: A function of the results.
        criterion: The statistic and the region in which it makes the claim true, in words.
        headline: The claim in at most `LONGEST` characters, if readers take the paper to be about it; otherwise empty.
        cause: Reason why it fails, if it does.
        experiments: Experiments of the artifact that the check reads; empty for all of them.
    """

    id: str
    where: str
    artifact: str
    kind: str
    sentence: str
    place: str
    published: float | str
    check: Callable[[Any], Check]
    criterion: str = ""
    headline: str = ""
    cause: Cause | None = None
    experiments: tuple[str, ...] = ()

    @property
    def record(self) -> dict[str, Any]:
        """The claim as plain values for the sidecar."""
        said: dict[str, Any] = {"artifact": self.artifact, "kind": self.kind, "sentence": self.sentence}
        said |= {"place": self.place, "published": self.published, "criterion": self.criterion, "where": self.where}
        cause = None if self.cause is None else self.cause.model_dump()
        return {"id": self.id, **said, "headline": self.headline, "cause": cause}


def run_check(claim: Claim, results: Any, looks: int = 1) -> Check:
    """The Check that a claim's function returns; `not run` if runs are missing.

    Args:
        looks: Number of times that the outcome was seen while runs were added, see `outcomes.after_looks`.

    Raises:
        UserError: the function does not return a Check.
    """
    try:
        with reading(results):
            check = claim.check(results)
    except NotRunError as error:
        return not_run(str(error))
    if not isinstance(check, Check) or check.holds not in OUTCOMES:
        raise UserError(f"{claim.where}: must return a Check that is one of {OUTCOMES}")
    return after_looks(check, looks)


def place_of(function: Callable[..., Any]) -> str:
    """File, line and name of a function."""
    file = f"{function.__module__.replace('.', '/')}.py"
    return f"{file}, line {function.__code__.co_firstlineno}, {function.__name__}"
