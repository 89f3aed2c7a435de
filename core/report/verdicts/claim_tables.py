"""Tables of claims: the claims of a paper that share a shape, row by row, for a reader who has the paper open.

papers/<paper>/claims/<table>.yaml maps artifacts to their claims, in the order of the page:

    fig6_2:
      hyperband_starts_ahead_of_tpe:
        place: thesis 6.4.1, Fig 6.2
        sentence: At first Hyperband works better than SMAC and TPE.
        criterion: With 8 + 8 dimensions Hyperband is below both after two brackets.
        check: {lower_than: {benchmark: d16, better: hyperband, worse: [tpe, smac], at: 10}}
        published: SMAC and TPE

`check` names a shape, one of `core.report.verdicts.shapes` or of the paper's own claims/ folder, and gives its values.
A list stands for several parts, see `shape`, and so does a list of such checks. A claim of several parts holds if all
of them hold or, where the row says so, `at_least` some. `outside` is the reason why our runs cannot show the claim.

What was not run makes the claim `not run`, but for two cases. `missing` says what a part is whose benchmark was not run
at all: `left out`, the claim is judged without it; `pending`, the claim is open unless another part refutes it. A part
about one of the `optional` methods, which not everybody can run, is `outside`, see `outcomes.absent`.

What most rows share stands once, at the top of a table, under `defaults`: `missing`, `optional`, and values for the
shapes that have a parameter of that name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator

from core.errors import UserError, brief, nearest
from core.experiment.catalogue import Catalogue
from core.report.verdicts.checks import CellNotRunError, Check
from core.report.verdicts.claims import CAUSES, KINDS, SHORTEST, Cause, Claim
from core.report.verdicts.names import benchmarks_of, methods_of
from core.report.verdicts.outcomes import absent, all_of, at_least, left_out, outside, pending
from core.report.verdicts.shapes.shape import Shape
from core.strict import Strict, explain
from core.yaml_files import read_mapping

DEFAULTS = "defaults"
SHARED = ("missing", "optional")
"""The keys of a row that the defaults may have."""
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
        criterion: The region in which the statistic makes the claim true, in words; by default those of the shape.
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
    headline: bool = False
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
        row, found = self.row, [part.check(results) for part in self.parts]
        if all(isinstance(each, CellNotRunError) for each in found):
            raise found[0]
        checks = [self._without(each) if isinstance(each, CellNotRunError) else each for each in found]
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


def table_claims(catalogue: Catalogue, paper: str, shapes: Mapping[str, Shape]) -> Iterator[Claim]:
    """The claims in a paper's tables, table by table.

    Args:
        shapes: The shapes that rows may name.

    Raises:
        UserError: naming the file, the claim, the key, the value and what is allowed.
    """
    root = catalogue.root
    for file in sorted((root / catalogue.package / paper / "claims").glob("*.yaml")):
        table, place = read_mapping(file, "artifacts and their claims"), file.relative_to(root)
        defaults = _mapping(table.pop(DEFAULTS, {}), f"{place}: {DEFAULTS}", "values of shapes")
        values = {*SHARED, *(key for each in shapes.values() for key in each.values.model_fields)}
        for key, value in defaults.items():
            if key not in values:
                hint = nearest(key, values)
                raise UserError(f"{place}: {DEFAULTS}.{key} = {brief(value)}: no shape has such a value; {hint}")
        for artifact, rows in table.items():
            if artifact not in catalogue.paper(paper).artifacts:
                hint = nearest(artifact, catalogue.paper(paper).artifacts)
                raise UserError(f"{place}: {artifact}: not an artifact of this paper; {hint}")
            known = _known(catalogue, paper, artifact)
            for name, given in _mapping(rows, f"{place}: {artifact}", "claims").items():
                where = f"{place}: {artifact}.{name}"
                row = _row(_mapping(given, where, "keys of a claim"), defaults, where)
                check = _check(row, shapes, defaults, known, where)
                cause = None if row.cause is None else Cause(row.cause.kind, row.cause.evidence)
                yield Claim(name, where, artifact, row.kind, row.sentence, row.place, check, row.headline, cause)


def _mapping(value: Any, where: str, content: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UserError(f"{where} = {brief(value)}; allowed: a mapping with {content}")
    return value


def _row(given: dict[str, Any], defaults: Mapping[str, Any], where: str) -> Row:
    try:
        return Row.model_validate({name: defaults[name] for name in SHARED if name in defaults} | given)
    except ValidationError as error:
        raise UserError(f"{where}: {explain(error)}") from error


def _check(
    row: Row, shapes: Mapping[str, Shape], defaults: Mapping[str, Any], known: Mapping[str, list[str]], where: str
) -> RowCheck:
    parts: list[Part] = []
    single = len(row.check) == 1
    for each in row.check:
        ((name, given),) = each.items()
        if name not in shapes:
            raise UserError(f"{where}: check = {name!r}: not a shape; {nearest(name, shapes)}")
        shape = shapes[name]
        given = {key: value for key, value in defaults.items() if key in shape.values.model_fields} | given
        single = single and not shape.is_several(given)
        try:
            parts += [Part(shape, values) for values in shape.parts(given)]
        except ValidationError as error:
            raise UserError(f"{where}: check.{name}: {explain(error)}") from error
        _check_names(shape, given, known, f"{where}: check.{name}")
    if row.at_least is not None and row.at_least > len(parts):
        raise UserError(f"{where}: at_least = {row.at_least}; allowed: at most the number of parts, {len(parts)}")
    return RowCheck(row, tuple(parts), single)


def _known(catalogue: Catalogue, paper: str, artifact: str) -> dict[str, list[str]]:
    """The names in paper.yaml that rows about an artifact may use, by their kind."""
    experiments = catalogue.experiments_of(paper, artifact)
    specs = list(experiments.values())
    return {"experiment": list(experiments), "benchmark": benchmarks_of(specs), "method": methods_of(specs)}


def _check_names(shape: Shape, given: Mapping[str, Any], known: Mapping[str, list[str]], where: str) -> None:
    for key, kind in shape.names.items():
        values = given.get(key, [])
        for value in values if isinstance(values, list | dict) else [values]:
            if value is not None and value not in known[kind]:
                hint = f"not a {kind} of the artifact's experiments; {nearest(value, known[kind])}"
                raise UserError(f"{where}.{key} = {value!r}: {hint}")
