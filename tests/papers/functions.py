"""A paper's functions and claims by name, as the harness finds them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.experiment.paper import Papers
from core.report.verdicts.claim_tables import claims_about, claims_of
from core.report.verdicts.claims import Claim

PAPERS = Papers(Path(__file__).resolve().parents[2])


class Functions:
    """The functions of a role by name: artifacts as paper.yaml has them, `Functions("bohb", "artifacts").fig6_1`, and
    checks by their claim's id."""

    def __init__(self, paper: str, role: str) -> None:
        self._paper, self._role = PAPERS.paper(paper), role
        self._checks = {each.id: each.check for each in claims_of(self._paper)} if role == "claims" else {}

    def __getattr__(self, name: str) -> Callable:
        if self._role == "artifacts" and name in self._paper.artifacts:
            return self._paper.artifact(name).function
        return self._checks[name] if name in self._checks else self._paper.functions(self._role)[name]


def all_claims(paper: str) -> list[Claim]:
    """In the order of the page."""
    return [
        claim
        for artifact in PAPERS.paper(paper).artifacts
        for claim in claims_about(PAPERS.artifact(f"{paper}/{artifact}"))
    ]
