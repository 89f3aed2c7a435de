"""A row of a table of claims, validated, and its check; see claim_tables.py for what a table looks like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from core.experiment.schema import split_reference
from core.foundation.strict import Strict
from core.report.runs.frames import CellNotRunError
from core.report.verdicts.checks import Check, absent, all_of, at_least, both, left_out, outside, pending
from core.report.verdicts.claims import LONGEST, SHORTEST, Cause, Kind
from core.report.verdicts.shapes.shape import Shape

MISSING = {"left out": left_out, "pending": pending}
Text = Annotated[str, Field(min_length=1)]


class Row(Strict):
    """A claim in a table.

    Attributes:
        criterion: The statistic and the region in which it makes the claim true; by default the words of the shape.
        check: Shapes and their values; by default the shape that has the row's name, without values.
        reproduced: Values by which the same shapes judge the authors' data, in place of some of `check`; None if they
            have none.
        published: Value or words of the paper that ours stand beside.
        at_least: Number of parts that must hold; by default all.
        detail: Words before the details of the parts.
        missing: Outcome of a part whose benchmark was not run.
        optional: Methods without which a part is outside.
        outside: Reason why our runs cannot show the claim.
        experiments: Experiments of the artifact that the check reads; by default those that its values name.
    """

    place: Text
    sentence: Annotated[str, Field(min_length=SHORTEST)]
    criterion: str = ""
    check: list[dict[str, dict[str, Any]]]
    reproduced: dict[str, Any] | None = None
    published: int | float | Text
    kind: Kind = "claim"
    headline: Annotated[str, Field(max_length=LONGEST)] = ""
    cause: Cause | None = None
    at_least: Annotated[int, Field(ge=1)] | None = None
    detail: str = ""
    missing: Literal["left out", "pending"] | None = None
    optional: tuple[str, ...] = ()
    outside: str = ""
    experiments: tuple[Text, ...] = ()

    @field_validator("check", mode="before")
    @classmethod
    def _is_a_list(cls, value: Any) -> Any:
        return value if isinstance(value, list) else [value]

    @field_validator("check")
    @classmethod
    def _each_is_one_shape(cls, value: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if not value or any(len(each) != 1 for each in value):
            raise ValueError("allowed: a shape and its values, or a list of such")
        return value


@dataclass(frozen=True)
class Part:
    """A shape and the validated values of one part."""

    shape: Shape
    values: dict[str, Any]

    @property
    def experiments(self) -> tuple[str, ...]:
        """The experiments that its values name."""
        given = [self.values[key] for key, kind in self.shape.names.items() if kind == "experiment"]
        names = [name for each in given for name in ([each] if isinstance(each, str) else each or ())]
        return tuple(split_reference(name)[1] for name in names)

    def check(self, results: Any) -> Check | list[Check] | CellNotRunError:
        """What the shape returns, or the error that says which cell was not run."""
        try:
            return self.shape.function(results, **self.values)
        except CellNotRunError as error:
            return error


@dataclass(frozen=True)
class Parts:
    """The parts of a row.

    Attributes:
        single: Whether there is one part alone, whose value and interval are those of the claim.
    """

    each: tuple[Part, ...]
    single: bool


@dataclass(frozen=True)
class RowCheck:
    """The check of a row: a function of the results.

    Attributes:
        parts: The parts that our runs are judged by.
        reproduced: Those that the authors' data are judged by; None if they are not.
    """

    row: Row
    parts: Parts
    reproduced: Parts | None = None

    def __call__(self, results: Any) -> Check:
        if (theirs := self.reproduced) is None:
            return self._ours(results)
        return both(lambda: self._ours(results), lambda: self._joined(theirs, results))

    def _ours(self, results: Any) -> Check:
        joined = self._joined(self.parts, results)
        return outside(joined, self.row.outside) if self.row.outside else joined

    def _joined(self, parts: Parts, results: Any) -> Check:
        outcomes = [part.check(results) for part in parts.each]
        missing = [each for each in outcomes if isinstance(each, CellNotRunError)]
        if len(missing) == len(outcomes):
            raise missing[0]
        if parts.single and isinstance(outcomes[0], Check):
            return outcomes[0]
        checks = [check for each in outcomes for check in self._checks(each)]
        if self.row.at_least is None:
            return all_of(checks, self.row.detail)
        return at_least(self.row.at_least, checks, self.row.detail)

    def _checks(self, outcome: Check | list[Check] | CellNotRunError) -> list[Check]:
        """What a shape returned as a list, with the part about a cell that was not run."""
        if isinstance(outcome, CellNotRunError):
            return [self._without(outcome)]
        return outcome if isinstance(outcome, list) else [outcome]

    def _without(self, cell: CellNotRunError) -> Check:
        """The part about a cell that was not run."""
        if not cell.alone and self.row.missing is not None:
            return MISSING[self.row.missing](cell.words)
        if cell.method in self.row.optional:
            return absent(cell.words)
        raise cell

    @property
    def experiments(self) -> tuple[str, ...]:
        """The experiments that the parts read; empty if one of them does not name its own."""
        each = [part.experiments for part in self.parts.each]
        return tuple(dict.fromkeys(name for names in each for name in names)) if all(each) else ()

    @property
    def summary(self) -> str:
        """What the shapes say of themselves."""
        return " ".join(dict.fromkeys(part.shape.summary for part in self.parts.each))
