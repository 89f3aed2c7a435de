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
`reproduced` has the values by which the same shapes judge the authors' data, which is the claim's second outcome:

        check: {typical_error: {benchmark: [cnn, lr], first: forest, second: last_seen_value, below: 1.5}}
        reproduced: {benchmark: [authors_cnn]}

What was not run makes the claim `not run`, but for two cases. `missing` says what a part is whose benchmark was not run
at all: `left out`, the claim is judged without it; `pending`, the claim is open unless another part refutes it. A part
about one of the `optional` methods, which not everybody can run, is `outside`, see `outcomes.absent`.

What rows share stands once, under `defaults`, at the top of a table or of an artifact's rows: `kind`, `place`,
`reproduced`, `published`, `missing`, `optional`, and values for the shapes that have a parameter of that name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from core.experiment.catalogue import Catalogue
from core.foundation.errors import UserError, brief, nearest
from core.foundation.files import read_mapping
from core.foundation.strict import explain
from core.report.verdicts.claim_rows import Part, Parts, Row, RowCheck
from core.report.verdicts.claims import Cause, Claim
from core.report.verdicts.names import benchmarks_of, methods_of
from core.report.verdicts.shapes.shape import Shape

DEFAULTS = "defaults"
SHARED = ("kind", "place", "reproduced", "published", "missing", "optional")
"""The keys of a row that the defaults may have."""


def table_claims(catalogue: Catalogue, paper: str, shapes: Mapping[str, Shape]) -> Iterator[Claim]:
    """The claims in a paper's tables, table by table.

    Args:
        shapes: The shapes that rows may name.

    Raises:
        UserError: naming the file, the claim, the key, the value and what is allowed.
    """
    root = catalogue.code
    folder = root / catalogue.package / paper
    for file in sorted([*folder.glob("claims.yaml"), *folder.glob("claims/*.yaml")]):
        table, place = read_mapping(file, "artifacts and their claims"), file.relative_to(root)
        of_table = _defaults(table, shapes, f"{place}: ")
        for artifact, rows in table.items():
            if artifact not in catalogue.paper(paper).artifacts:
                hint = nearest(artifact, catalogue.paper(paper).artifacts)
                raise UserError(f"{place}: {artifact}: not an artifact of this paper; {hint}")
            rows = _mapping(rows, f"{place}: {artifact}", "claims")
            defaults = of_table | _defaults(rows, shapes, f"{place}: {artifact}.")
            vocabulary = Vocabulary(shapes, defaults, _names(catalogue, paper, artifact))
            for name, given in rows.items():
                where = f"{place}: {artifact}.{name}"
                row = _row(_mapping(given, where, "keys of a claim"), defaults, where)
                yield _claim(name, where, artifact, row, vocabulary.check(row, where))


@dataclass(frozen=True)
class Vocabulary:
    """What the checks of the rows about an artifact are made of.

    Attributes:
        shapes: The shapes by name.
        defaults: Values of shapes that the table states once.
        names: The names in paper.yaml by their kind, see `Name`.
    """

    shapes: Mapping[str, Shape]
    defaults: Mapping[str, Any]
    names: Mapping[str, list[str]]

    def check(self, row: Row, where: str) -> RowCheck:
        """The check of a row; raises UserError."""
        ours = self._parts(row, {}, where)
        if row.at_least is not None and row.at_least > len(ours.each):
            raise UserError(
                f"{where}: at_least = {row.at_least}; allowed: at most the number of parts, {len(ours.each)}"
            )
        if row.reproduced is None:
            return RowCheck(row, ours)
        return RowCheck(row, ours, self._parts(row, row.reproduced, f"{where}: reproduced"))

    def _parts(self, row: Row, changes: Mapping[str, Any], where: str) -> Parts:
        """The parts of a row, some of whose values are changed."""
        parts: list[Part] = []
        single = len(row.check) == 1
        for each in row.check:
            ((name, own),) = each.items()
            if name not in self.shapes:
                raise UserError(f"{where}: check = {name!r}: not a shape; {nearest(name, self.shapes)}")
            shape = self.shapes[name]
            given = {key: value for key, value in self.defaults.items() if key in shape.values.model_fields}
            given |= own | changes
            single = single and not shape.is_several(given)
            try:
                parts += [Part(shape, values) for values in shape.parts(given)]
            except ValidationError as error:
                raise UserError(f"{where}: check.{name}: {explain(error)}") from error
            self._check_names(shape, given, f"{where}: check.{name}")
        return Parts(tuple(parts), single)

    def _check_names(self, shape: Shape, given: Mapping[str, Any], where: str) -> None:
        for key, kind in shape.names.items():
            values = given.get(key, [])
            for value in values if isinstance(values, list | dict) else [values]:
                if value is not None and value not in self.names[kind]:
                    hint = f"not a {kind} of the artifact's experiments; {nearest(value, self.names[kind])}"
                    raise UserError(f"{where}.{key} = {value!r}: {hint}")


def _defaults(rows: dict[str, Any], shapes: Mapping[str, Shape], where: str) -> dict[str, Any]:
    """What is under `defaults`, which is taken out of the rows."""
    defaults = _mapping(rows.pop(DEFAULTS, {}), f"{where}{DEFAULTS}", "values of shapes")
    values = {*SHARED, *(key for each in shapes.values() for key in each.values.model_fields)}
    for key, value in defaults.items():
        if key not in values:
            hint = nearest(key, values)
            raise UserError(f"{where}{DEFAULTS}.{key} = {brief(value)}: no shape has such a value; {hint}")
    return defaults


def _names(catalogue: Catalogue, paper: str, artifact: str) -> dict[str, list[str]]:
    """The names in paper.yaml that rows about an artifact may use, by their kind."""
    experiments = catalogue.experiments_of(paper, artifact)
    specs = list(experiments.values())
    return {"experiment": list(experiments), "benchmark": benchmarks_of(specs), "method": methods_of(specs)}


def _row(given: dict[str, Any], defaults: Mapping[str, Any], where: str) -> Row:
    try:
        return Row.model_validate({name: defaults[name] for name in SHARED if name in defaults} | given)
    except ValidationError as error:
        raise UserError(f"{where}: {explain(error)}") from error


def _claim(name: str, where: str, artifact: str, row: Row, check: RowCheck) -> Claim:
    return Claim(
        id=name,
        where=where,
        artifact=artifact,
        kind=row.kind,
        sentence=row.sentence,
        place=row.place,
        published=row.published,
        check=check,
        criterion=row.criterion or check.summary,
        headline=row.headline,
        cause=None if row.cause is None else Cause(row.cause.kind, row.cause.evidence),
        experiments=row.experiments or check.experiments,
    )


def _mapping(value: Any, where: str, content: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UserError(f"{where} = {brief(value)}; allowed: a mapping with {content}")
    return value
