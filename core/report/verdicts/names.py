"""The names in published/ must be known to the paper: a mistyped one is an error, not a cell that was never run.

Rows of published/<artifact>.csv are methods and columns are benchmarks of the artifact's experiments, at any scale;
if an artifact's rows and columns are something else, its function says so:

    @published_names(rows=PROBLEMS, columns=METHODS)
    def table1(results, published): ...

Each row has each column: a cell that the paper lacks is present but empty, so that an absent one must have been
mistyped. A source begins with a document of paper.yaml. A CSV is named after an artifact, with `RUNS` at the end where
it has published runs. The figures and tables in the place of a claim are those of the paper's artifacts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from core.experiment.paper import Artifact, Paper
from core.foundation.errors import UserError, nearest
from core.report.verdicts.claims import Claim
from core.report.verdicts.published import RUNS, Published, read_published_of

F = TypeVar("F", bound=Callable[..., Any])
Names = Iterable[str] | Callable[[], Iterable[str]] | None
"""Names, or a function that computes them when needed; None: those of the experiments."""

PLACE = re.compile(r"(Fig|Table)s? ([A-Z]?[._]?\d+(?:\.\d+)*)")


def published_names(rows: Names = None, columns: Names = None) -> Callable[[F], F]:
    """Mark an artifact's function with the rows and columns that its published numbers may have."""

    def mark(function: F) -> F:
        vars(function)["published_names"] = (rows, columns)
        return function

    return mark


def published_numbers(artifact: Artifact) -> Published | None:
    """The published numbers of an artifact, None if there are none. All names in them must be known.

    Raises:
        UserError: naming the file, the line, the name and those near it; or the files cannot be read.
    """
    paper, file = artifact.paper, artifact.published
    for each in sorted(file.parent.glob("*.csv")):
        if each.stem.removesuffix(RUNS) not in paper.artifacts:
            raise UserError(f"{each}: not an artifact of {paper.id}; {nearest(each.stem, paper.artifacts)}")
    if not file.is_file():
        return None
    published = read_published_of(file, artifact.spec.comparison)
    rows, columns = getattr(artifact.function, "published_names", (None, None))
    experiments = list(artifact.experiments.values())
    _check_table(published, _known(rows, methods_of(experiments)), _known(columns, benchmarks_of(experiments)))
    _check_sources(published, paper.spec.documents)
    return published


def check_places(claims: Iterable[Claim], paper: Paper) -> None:
    """Make sure that the figures and tables in the places of claims are those of the paper's artifacts.

    Raises:
        UserError: naming the file, the line, the function, the place and those near it.
    """
    known = {named for artifact in paper.artifacts.values() for named in PLACE.findall(artifact.source.place)}
    for claim in claims:
        if unknown := [named for named in PLACE.findall(claim.place) if named not in known]:
            place, places = " ".join(unknown[0]), sorted(map(" ".join, known))
            raise UserError(f"{claim.where}: place = {claim.place!r}: no {place}; {nearest(place, places)}")


def check_experiments(claims: Iterable[Claim], known: Iterable[str]) -> None:
    """Make sure that claims name experiments of their artifact.

    Raises:
        UserError: naming the file, the line, the function, the experiment and those near it.
    """
    for claim in claims:
        for name in claim.experiments:
            if name not in known:
                raise UserError(f"{claim.where}: experiments: {name!r} is none of its artifact; {nearest(name, known)}")


def _check_table(published: Published, rows: list[str], columns: list[str]) -> None:
    for row, column in published:
        for kind, given, known in (("row", row, rows), ("column", column, columns)):
            if given not in known:
                hint = nearest(given, known) if known else "the artifact has no experiments: declare @published_names"
                raise published.error((row, column), kind, given, hint)
    for row in published.rows:
        own = [column for each, column in published if each == row]
        if missing := [column for column in published.columns if column not in own]:
            hint = f"it has no column {missing[0]!r}; allowed: each column, empty if the paper has no such cell"
            raise published.error((row, own[0]), "row", row, hint)


def _check_sources(published: Published, documents: dict[str, str]) -> None:
    for key in published:
        source = published[key].source
        document, _, place = source.partition(" ")
        if document not in documents or not place:
            hint = f"allowed: a document of paper.yaml and a place in it; {nearest(document, documents)}"
            raise published.error(key, "source", source, hint)


def _known(names: Names, default: list[str]) -> list[str]:
    return default if names is None else list(map(str, names() if callable(names) else names))


def methods_of(experiments: list[Any]) -> list[str]:
    """Methods of experiments of paper.yaml, each once."""
    return list(dict.fromkeys(name for experiment in experiments for name in experiment.methods))


def benchmarks_of(experiments: list[Any]) -> list[str]:
    """Benchmarks, including those of the scales: the smallest scale has a bundled data set that is in no other."""
    own = [name for experiment in experiments for name in experiment.benchmarks]
    scales = [scale for experiment in experiments for scale in experiment.scales.values()]
    return list(dict.fromkeys([*own, *(name for scale in scales for name in getattr(scale, "benchmarks", None) or ())]))
