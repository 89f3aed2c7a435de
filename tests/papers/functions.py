"""A paper's functions and claims by name, as the harness finds them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.experiment.paper import Papers
from core.report.verdicts.claim_tables import claims_about, claims_of
from core.report.verdicts.claims import Claim

PAPERS = Papers(Path(__file__).resolve().parents[2])


class Functions:
    """The functions of a folder by name, `Functions("bohb", "artifacts").fig6_1`; of claims/, the checks by id."""

    def __init__(self, paper: str, folder: str) -> None:
        self._functions = PAPERS.paper(paper).functions(folder)
        self._checks = {each.id: each.check for each in claims_of(PAPERS.paper(paper))} if folder == "claims" else {}

    def __getattr__(self, name: str) -> Callable:
        return self._checks[name] if name in self._checks else self._functions[name]


def all_claims(paper: str) -> list[Claim]:
    """In the order of the page."""
    return [
        claim
        for artifact in PAPERS.paper(paper).artifacts
        for claim in claims_about(PAPERS.artifact(f"{paper}/{artifact}"))
    ]
