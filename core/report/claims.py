"""Claims: what a paper says in words or shows as a curve, checked on our raw runs.

published/claims.yaml is a list of entries

    - id: adaptive_beats_best_average      # unique in the file
      artifact: table1                     # the artifact it is about
      kind: claim                          # claim: about a result; shape: about the form of a curve or a fit
      sentence: ...                        # what is claimed, in our own words
      place: Table 1                       # where it stands
      check: adaptive_beats_best_average   # function of the paper's claims module, results -> Check

What a check is, and when a claim holds, stands in checks.py.
"""

from __future__ import annotations

from collections.abc import Container
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import UserError
from core.report.checks import OUTCOMES, Check, NotRunError, not_run, reading


class Claim(BaseModel):
    """One entry of claims.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    artifact: str = Field(min_length=1)
    kind: Literal["claim", "shape"]
    sentence: str = Field(min_length=10)
    place: str = Field(min_length=1)
    check: str = Field(pattern=r"^[a-z][a-z0-9_]*$")


def read_claims(path: Path, artifacts: Container[str] | None = None) -> list[Claim]:
    """Read and validate a claims.yaml; a paper without one has no claims.

    Args:
        artifacts: the paper's artifacts, to refuse a claim about none of them.

    Raises:
        UserError: naming the file, the entry, the key, the value, and what is allowed.
    """
    if not path.is_file():
        return []
    try:
        entries = _parsed(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error
    if entries is None:
        return []
    if not isinstance(entries, list):
        raise UserError(f"{path}: must be a list of entries with the keys {', '.join(Claim.model_fields)}")
    claims: dict[str, Claim] = {}
    for number, entry in enumerate(entries, 1):
        claim = _claim(path, number, entry)
        if claim.id in claims:
            raise UserError(f"{path}, entry {number}, id = {claim.id!r} is there already; allowed: each id once")
        if artifacts is not None and claim.artifact not in artifacts:
            raise UserError(f"{path}, entry {number}, artifact = {claim.artifact!r}: no artifact of this paper")
        claims[claim.id] = claim
    return list(claims.values())


def run_check(claim: Claim, functions: Any, results: Any) -> Check:
    """Evaluate a claim with the function of its name in `functions` (a module or any object with that attribute).

    Raises:
        UserError: there is no such function, or it does not return a Check.
    """
    function = getattr(functions, claim.check, None)
    if not callable(function):
        raise UserError(f"claim {claim.id!r}: check = {claim.check!r} is no function of the paper's claims module")
    try:
        with reading(results):
            check = function(results)
    except NotRunError as error:
        return not_run(detail=str(error))
    if not isinstance(check, Check) or check.holds not in OUTCOMES:
        raise UserError(f"claim {claim.id!r}: check {claim.check!r} must return a Check that is one of {OUTCOMES}")
    return check


@lru_cache(maxsize=16)
def _parsed(text: str) -> Any:
    """Each paper's file is read for each of its artifacts, and parsing is what takes the time."""
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _claim(path: Path, number: int, entry: Any) -> Claim:
    try:
        return Claim.model_validate(entry)
    except ValidationError as error:
        item = error.errors()[0]
        key = ".".join(map(str, item["loc"])) or "entry"
        value = "" if item["type"] == "missing" else f" = {item['input']!r}"
        known = ", ".join(Claim.model_fields)
        raise UserError(f"{path}, entry {number}, {key}{value}: {item['msg']}; the keys are {known}") from error
