"""An artifact resolved: everything that drawing, comparing and the page need to know about it, in one plain value.

`resolve` asks the catalogue for the entry of paper.yaml, the runs, the claims and the published numbers, once each, and
checks their names; what it returns no longer knows the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.experiment.catalogue import Catalogue
from core.experiment.drawings import Drawing
from core.experiment.results import results_of
from core.experiment.schema import split_reference
from core.report.verdicts.claims import Claim
from core.report.verdicts.names import check_experiments, check_places, published_numbers
from core.report.verdicts.paper_claims import claims_about
from core.report.verdicts.published import Published


@dataclass(frozen=True)
class Resolved:
    """What one drawing is made of.

    Attributes:
        paper, name: Folder name of the paper and id of the artifact.
        spec: Its entry of paper.yaml: kind (`table` or `figure`), comparison (`cells`, `claims`, `shape` or `spec`),
            title, source.document, source.place.
        results: The runs it draws from: frame(experiment), scale(experiment), cells, reduced.
        stem: Path to write to, without suffix.
        function: Function (results, published or None) -> ReportTable or Figure.
        published: Published numbers; None if there are none.
        claims: Claims of the paper about it.
        document: The published document in words, for the caption.
        source: Source of the runs, `reference` or `run`.
        scale: The scale at which it was asked for, for the sidecar: experiments may resolve it to another.
        judged: The results that claims are judged by, if they differ from those drawn.
        cuts: Parts of the paper's protocol that the scale of each experiment leaves out, in words.
        looks: Number of times that claims were looked at while runs of each experiment were added.
        grids: Benchmark and method of each cell that the paper's protocol has, by experiment.
    """

    paper: str
    name: str
    spec: Any
    results: Any
    stem: Path
    function: Callable[..., Any]
    published: Published | None = None
    claims: Sequence[Claim] = ()
    document: str = ""
    source: str = "reference"
    scale: str = "quick"
    judged: Any = None
    cuts: Mapping[str, str] = field(default_factory=dict)
    looks: Mapping[str, int] = field(default_factory=dict)
    grids: Mapping[str, Collection[tuple[str, str]]] = field(default_factory=dict)


def resolve(catalogue: Catalogue, drawing: Drawing) -> Resolved:
    """Everything about a drawing of the catalogue. Claims are judged without ablations.

    Raises:
        UserError: published numbers or claims are invalid, or ablations are requested but there are none.
    """
    paper, name = catalogue.paper(drawing.paper), drawing.artifact
    spec = paper.artifacts[name]
    published = published_numbers(catalogue, drawing.paper, name)
    claims = claims_about(catalogue, drawing.paper, name)
    check_places(claims, paper)
    homes = {
        split_reference(key, drawing.paper): each for key, each in catalogue.experiments_of(drawing.paper, name).items()
    }
    experiments = {key: each for (_, key), each in homes.items()}
    check_experiments(claims, experiments)
    results = results_of(catalogue, drawing)
    protocols = {key: each.protocol(drawing.scale) for key, each in experiments.items()}
    return Resolved(
        paper=drawing.paper,
        name=name,
        spec=spec,
        results=results,
        stem=catalogue.root / drawing.stem,
        function=catalogue.artifact_function(drawing.paper, name),
        published=published,
        claims=claims,
        document=paper.documents[spec.source.document],
        source=drawing.source,
        scale=drawing.scale,
        judged=results.without_ablations() if drawing.ablations else None,
        cuts={key: scale.cut for key, scale in protocols.items()},
        looks={key: scale.looks for key, scale in protocols.items()},
        grids={home[1]: {(cell.benchmark, cell.variant) for cell in catalogue.cells(*home, "paper")} for home in homes},
    )
