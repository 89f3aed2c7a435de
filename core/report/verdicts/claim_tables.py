"""All claims of a paper: the rows of its tables of claims, for a reader who has the paper open.

papers/<paper>/claims.yaml (or claims/<table>.yaml) maps artifacts to their claims, in the order of the page:

    fig6_2:
      hyperband_starts_ahead_of_tpe:
        place: thesis 6.4.1, Fig 6.2
        sentence: At first Hyperband works better than SMAC and TPE.
        criterion: With 8 + 8 dimensions Hyperband is below both after two brackets.
        check: {lower_than: {benchmark: d16, better: hyperband, worse: [tpe, smac], at: 10}}
        published: SMAC and TPE

`check` names a shape, one of `core.report.verdicts.shapes` or of the paper's own checks.py, and gives its values. A row
without `check` is judged by the shape that has its own name, which then takes no values or those under `defaults`.
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

The page lists an artifact's claims in the order of the rows, table by table in alphabetical order.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from core.experiment.paper import Artifact, Paper
from core.foundation.errors import UserError, brief, nearest
from core.foundation.strict import explain
from core.report.runs.frames import once
from core.report.verdicts.claim_rows import Part, Parts, Row, RowCheck
from core.report.verdicts.claims import Claim, place_of
from core.report.verdicts.names import benchmarks_of, methods_of
from core.report.verdicts.shapes import searches, suggestion_times
from core.report.verdicts.shapes.shape import Shape

DEFAULTS = "defaults"
SHARED = ("kind", "place", "reproduced", "published", "missing", "optional")
"""The keys of a row that the defaults may have."""
SHARED_SHAPES = (searches, suggestion_times)
"""The modules with the shapes that papers share."""


def claims_about(artifact: Artifact) -> list[Claim]:
    """The claims about one artifact in the order of the page; none if the paper states none.

    Raises:
        UserError: a claim of the paper is invalid, or one of its modules with claims cannot be imported.
    """
    return [each for each in claims_of(artifact.paper) if each.artifact == artifact.id]


@once
def claims_of(paper: Paper) -> list[Claim]:
    """All claims of a paper in the order of the page, read once per paper; raises as `claims_about`."""
    shapes: dict[str, Shape] = {}
    for each in [*shared_shapes(), *_shapes(paper.functions("claims").modules())]:
        if shapes.setdefault(each.name, each) is not each:
            first = place_of(shapes[each.name].function)
            raise UserError(f"{place_of(each.function)}: {first} has the same name; allowed: each name once")
    claims, firsts = list(_table_claims(paper, shapes)), dict[str, Claim]()
    for claim in claims:
        if firsts.setdefault(claim.id, claim) is not claim:
            raise UserError(f"{claim.where}: {firsts[claim.id].where} has the same name; allowed: each name once")
    return claims


def shared_shapes() -> list[Shape]:
    """The shapes that papers share."""
    return _shapes(SHARED_SHAPES)


def _shapes(modules: Iterable[ModuleType]) -> list[Shape]:
    """The shapes that modules define."""
    return [
        value.shape
        for module in modules
        for value in vars(module).values()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and hasattr(value, "shape")
    ]


def _table_claims(paper: Paper, shapes: Mapping[str, Shape]) -> Iterator[Claim]:
    """The claims in a paper's tables, table by table.

    Args:
        shapes: The shapes that rows may name.

    Raises:
        UserError: naming the file, the claim, the key, the value and what is allowed.
    """
    for place, table in paper.claims:
        of_table = _defaults(table, shapes, f"{place}: ")
        for name, rows in table.items():
            if name == DEFAULTS:
                continue
            if name not in paper.artifacts:
                hint = nearest(name, paper.artifacts)
                raise UserError(f"{place}: {name}: not an artifact of this paper; {hint}")
            rows = _mapping(rows, f"{place}: {name}", "claims")
            experiments = paper.artifact(name).experiments
            specs = list(experiments.values())
            names = {"experiment": list(experiments), "benchmark": benchmarks_of(specs), "method": methods_of(specs)}
            defaults = of_table | _defaults(rows, shapes, f"{place}: {name}.")
            vocabulary = Vocabulary(shapes, defaults, names)
            for claim, given in rows.items():
                if claim != DEFAULTS:
                    where = f"{place}: {name}.{claim}"
                    row = _row(claim, _mapping(given, where, "keys of a claim"), defaults, shapes, where)
                    yield _claim(claim, where, name, row, vocabulary.check(row, where))


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
            given |= {**own, **changes}
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
    """What is under `defaults`."""
    defaults = _mapping(rows.get(DEFAULTS, {}), f"{where}{DEFAULTS}", "values of shapes")
    values = {*SHARED, *(key for each in shapes.values() for key in each.values.model_fields)}
    for key, value in defaults.items():
        if key not in values:
            hint = nearest(key, values)
            raise UserError(f"{where}{DEFAULTS}.{key} = {brief(value)}: no shape has such a value; {hint}")
    return defaults


def _row(name: str, given: dict[str, Any], defaults: Mapping[str, Any], shapes: Mapping[str, Shape], where: str) -> Row:
    if "check" not in given and name not in shapes:
        raise UserError(f"{where}: no check, and no shape has the row's name; {nearest(name, shapes)}")
    shared = {key: defaults[key] for key in SHARED if key in defaults}
    try:
        return Row.model_validate({"check": {name: {}}} | shared | given)
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
        cause=row.cause,
        experiments=row.experiments or check.experiments,
    )


def _mapping(value: Any, where: str, content: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UserError(f"{where} = {brief(value)}; allowed: a mapping with {content}")
    return value
