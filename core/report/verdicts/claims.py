"""Claims: what a paper says in words or shows as a curve, beside the check of it on our raw runs.

Claims of a shape that recurs are rows of tables, see claim_tables.py. Any other is a function:

    @claim(artifact="table1", place="Table 1", sentence="The adaptive sampler is best on all sets.", published="4 of 4")
    def adaptive_beats_best_average(results: Results) -> Check: ...

The function's name is the claim's id, the only one of its name in the paper, and its docstring is the criterion. For
what a check is and when a claim holds, see checks.py.

A claim that a reader takes the paper to be about has a `headline`, its words in the README's figure. Any claim that
fails states its cause:

    @claim(..., headline="Faster than random search", cause=Cause("our substitute", "1,000 configurations, not 10,000"))
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from core.foundation.errors import UserError
from core.report.runs.frames import NotRunError, reading
from core.report.verdicts.checks import OUTCOMES, Check, after_looks, not_run

Kind = Literal["claim", "shape", "check"]
CauseKind = Literal["reduced protocol", "our substitute", "our code", "the paper", "unknown"]
KINDS: tuple[str, ...] = get_args(Kind)
CAUSES: tuple[str, ...] = get_args(CauseKind)
"""Of an unknown cause, the evidence says what was checked."""
SHORTEST = 10  # characters in a sentence
LONGEST = 46  # characters in a headline, which has one line of a figure


@dataclass(frozen=True)
class Cause:
    """Why a claim fails: one of the kinds in `CAUSES`, and the evidence for it.

    Raises:
        UserError: another kind, or no evidence.
    """

    kind: str
    evidence: str

    def __post_init__(self) -> None:
        if self.kind not in CAUSES:
            raise UserError(f"cause: kind = {self.kind!r}; allowed: {' or '.join(CAUSES)}")
        if len(self.evidence) < SHORTEST:
            raise UserError(f"cause: evidence = {self.evidence!r}; allowed: at least {SHORTEST} characters")


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
        cause = None if self.cause is None else {"kind": self.cause.kind, "evidence": self.cause.evidence}
        return {"id": self.id, **said, "headline": self.headline, "cause": cause}


def claim(
    artifact: str,
    place: str,
    sentence: str,
    published: float | str,
    kind: str = "claim",
    headline: str = "",
    cause: Cause | None = None,
    experiments: Sequence[str] = (),
) -> Callable[[Callable[[Any], Check]], Callable[[Any], Check]]:
    """Mark a function of the results as the check of a claim; see `Claim`.

    Raises:
        UserError: naming the file, the line, the function, the value and what is allowed.
    """

    def mark(function: Callable[[Any], Check]) -> Callable[[Any], Check]:
        said = {"artifact": artifact, "place": place, "sentence": sentence}
        for name, value in said.items():
            if not isinstance(value, str) or not value:
                raise UserError(f"{place_of(function)}: {name} = {value!r}; allowed: text, one {name} per claim")
        if len(sentence) < SHORTEST:
            raise UserError(f"{place_of(function)}: sentence = {sentence!r}; allowed: at least {SHORTEST} characters")
        if not isinstance(headline, str) or len(headline) > LONGEST:
            allowed = f"text of at most {LONGEST} characters"
            raise UserError(f"{place_of(function)}: headline = {headline!r}; allowed: {allowed}")
        if kind not in KINDS:
            raise UserError(f"{place_of(function)}: kind = {kind!r}; allowed: {' or '.join(KINDS)}")
        if hasattr(function, "claim") or hasattr(function.__globals__.get(function.__name__), "claim"):
            raise UserError(f"{place_of(function)}: two claims; allowed: one per function, each with a name of its own")
        if (parameters := list(inspect.signature(function).parameters)) != ["results"]:
            taken = ", ".join(parameters) or "nothing"
            raise UserError(f"{place_of(function)}: takes {taken}; allowed: one parameter, results")
        name, where = function.__name__, place_of(function)
        criterion = " ".join((function.__doc__ or "").split())
        vars(function)["claim"] = Claim(
            name, where, artifact, kind, sentence, place, published, function, criterion, headline, cause,
            tuple(experiments),
        )  # fmt: skip
        return function

    return mark


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
