"""A row of a table of claims, validated, and its check; see claim_tables.py for what a table looks like."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from core.report.verdicts.checks import CellNotRunError, Check
from core.report.verdicts.claims import CAUSES, KINDS, LONGEST, SHORTEST
from core.report.verdicts.outcomes import absent, all_of, at_least, left_out, outside, pending
from core.report.verdicts.shapes.shape import Shape
from core.strict import Strict

MISSING = {"left out": left_out, "pending": pending}
Text = Annotated[str, Field(min_length=1)]
Long = Annotated[str, Field(min_length=SHORTEST)]


class CauseRow(Strict):
    """A cause in a table, see `Cause`."""

    kind: Literal[CAUSES]
    evidence: Long


class Row(Strict):
    """A claim in a table.

    Attributes:
        criterion: The statistic and the region in which it makes the claim true; by default the words of the shape.
        check: Shapes and their values.
        published: Value or words of the paper that ours stand beside.
        at_least: Number of parts that must hold; by default all.
        detail: Words before the details of the parts.
        missing: Outcome of a part whose benchmark was not run.
        optional: Methods without which a part is outside.
        outside: Reason why our runs cannot show the claim.
    """

    place: Text
    sentence: Long
    criterion: str = ""
    check: list[dict[str, dict[str, Any]]]
    published: float | Text
    kind: Literal[KINDS] = "claim"
    headline: Annotated[str, Field(max_length=LONGEST)] = ""
    cause: CauseRow | None = None
    at_least: Annotated[int, Field(ge=1)] | None = None
    detail: str = ""
    missing: Literal[tuple(MISSING)] | None = None
    optional: tuple[str, ...] = ()
    outside: str = ""

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

    def check(self, results: Any) -> Check | CellNotRunError:
        """The Check, or the error that says which cell was not run."""
        try:
            return self.shape.function(results, **self.values)
        except CellNotRunError as error:
            return error


@dataclass(frozen=True)
class RowCheck:
    """The check of a row: a function of the results.

    Attributes:
        single: Whether the row is about one part alone, whose value and interval are those of the claim.
    """

    row: Row
    parts: tuple[Part, ...]
    single: bool

    def __call__(self, results: Any) -> Check:
        row, outcomes = self.row, [part.check(results) for part in self.parts]
        if all(isinstance(each, CellNotRunError) for each in outcomes):
            raise outcomes[0]
        checks = [self._without(each) if isinstance(each, CellNotRunError) else each for each in outcomes]
        if self.single:
            joined = replace(checks[0], published=row.published)
        elif row.at_least is None:
            joined = all_of(checks, row.published, row.detail)
        else:
            joined = at_least(row.at_least, checks, row.published, row.detail)
        return outside(joined, row.outside) if row.outside else joined

    def _without(self, cell: CellNotRunError) -> Check:
        """The part about a cell that was not run."""
        if not cell.alone and self.row.missing is not None:
            return MISSING[self.row.missing](cell.benchmark)
        if cell.method in self.row.optional:
            return absent(f"{cell.benchmark}: {cell.method}")
        raise cell

    @property
    def summary(self) -> str:
        """What the shapes say of themselves."""
        return " ".join(dict.fromkeys(part.shape.summary for part in self.parts))
