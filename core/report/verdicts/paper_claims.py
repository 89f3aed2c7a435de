"""All claims of a paper: the rows of its tables and the marked functions of its checks.py.

The page lists an artifact's claims in this order: first the rows of the tables, table by table, then the functions of
the modules, module by module, in the order of their definition. Tables and modules are in alphabetical order.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from core.experiment.catalogue import Catalogue
from core.foundation.errors import UserError, nearest
from core.report.runs.frames import once
from core.report.verdicts.claim_tables import table_claims
from core.report.verdicts.claims import Claim, place_of
from core.report.verdicts.shapes import searches, suggestion_times
from core.report.verdicts.shapes.shape import Shape

SHARED = (searches, suggestion_times)
"""The modules with the shapes that papers share."""


def claims_about(catalogue: Catalogue, paper: str, artifact: str) -> list[Claim]:
    """The claims about one artifact in the order of the page; none if the paper states none.

    Raises:
        UserError: a claim of the paper is invalid, or one of its modules with claims cannot be imported.
    """
    return [each for each in claims_of(catalogue, paper) if each.artifact == artifact]


@once
def claims_of(catalogue: Catalogue, paper: str) -> list[Claim]:
    """All claims of a paper in the order of the page, read once per catalogue; raises as `claims_about`."""
    modules = catalogue.functions(paper, "claims").modules()
    shapes: dict[str, Shape] = {}
    for each in _marked([*SHARED, *modules], "shape"):
        if shapes.setdefault(each.name, each) is not each:
            first = place_of(shapes[each.name].function)
            raise UserError(f"{place_of(each.function)}: {first} has the same name; allowed: each name once")
    claims: list[Claim] = [*table_claims(catalogue, paper, shapes), *_marked(modules, "claim")]
    artifacts, first = catalogue.paper(paper).artifacts, {}
    for each in claims:
        if each.artifact not in artifacts:
            hint = f"not an artifact of this paper; {nearest(each.artifact, artifacts)}"
            raise UserError(f"{each.where}: artifact = {each.artifact!r}: {hint}")
        if first.setdefault(each.id, each) is not each:
            raise UserError(f"{each.where}: {first[each.id].where} has the same name; allowed: each name once")
    return claims


def _marked(modules: Iterable[ModuleType], mark: str) -> list[Any]:
    """The marks of the functions that modules define."""
    return [
        getattr(value, mark)
        for module in modules
        for value in vars(module).values()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and hasattr(value, mark)
    ]
