"""Drawing an artifact: call its function with the results and write everything that a reader gets.

The files are <stem>.pdf and .png, for tables .csv, .md and .tex, for figures .csv if they give their data, .rst with
the whole caption, of which images have two lines, and last the sidecar <stem>.json: what was drawn, from which runs,
with which verdicts and claims. The comparison page is made from sidecars and images alone. An artifact whose runs are
missing is drawn as `not run`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.experiment.paper import Artifact
from core.experiment.results import results_of
from core.experiment.schema import split_reference
from core.foundation.errors import UserError
from core.report import style
from core.report.figures.figure import Figure, add_caption, placeholder
from core.report.figures.files import render, write_file
from core.report.page.records import FORMAT, table_record, to_json
from core.report.provenance import nothing_run, provenance_brief, provenance_caption, provenance_record
from core.report.runs.frames import NotRunError, reading
from core.report.tables.compare import absent_table
from core.report.tables.image import table_figure
from core.report.tables.table import ReportTable, sentence
from core.report.tables.text import to_csv, to_markdown, to_rst, to_tex
from core.report.verdicts.checks import not_run
from core.report.verdicts.claim_tables import claims_about
from core.report.verdicts.claims import Claim, run_check
from core.report.verdicts.names import check_experiments, check_places, published_numbers
from core.report.verdicts.protocol import Protocol
from core.report.verdicts.published import Published


def draw_artifact(artifact: Artifact) -> Path:
    """Draw an artifact of a paper; returns the stem of its files. Raises as `drawing_of` and `draw`."""
    return draw(drawing_of(artifact)).with_suffix("")


@dataclass(frozen=True)
class Drawing:
    """What one drawing is made of: an artifact with its runs, its published numbers and the claims about it.

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


def drawing_of(artifact: Artifact) -> Drawing:
    """What an artifact of a paper is drawn from. Claims are judged without ablations.

    Raises:
        UserError: published numbers or claims are invalid, or ablations are requested but there are none.
    """
    paper, spec, scale = artifact.paper, artifact.spec, artifact.scale
    published, claims = published_numbers(artifact), claims_about(artifact)
    experiments = {split_reference(reference)[1]: each for reference, each in artifact.experiments.items()}
    check_places(claims, paper)
    check_experiments(claims, experiments)
    results = results_of(artifact)
    protocols = {name: each.protocol(scale) for name, each in experiments.items()}
    grids: dict[str, set[tuple[str, str]]] = {name: set() for name in experiments}
    for cell in artifact.cells_at("paper"):
        grids[cell.experiment].add((cell.benchmark, cell.variant))
    return Drawing(
        paper=paper.id,
        name=artifact.id,
        spec=spec,
        results=results,
        stem=paper.among.root / artifact.stem,
        function=artifact.function,
        published=published,
        claims=claims,
        document=paper.spec.documents[spec.source.document],
        source=artifact.source,
        scale=scale,
        judged=results.without_ablations() if artifact.ablations else None,
        cuts={name: protocol.cut for name, protocol in protocols.items()},
        looks={name: protocol.looks for name, protocol in protocols.items()},
        grids=grids,
    )


def draw(job: Drawing) -> Path:
    """Draw one artifact and write its files; returns the path of the sidecar, which is written last.

    Raises:
        UserError: a function returns the wrong type, or a file cannot be written.
    """
    spec, results, stem = job.spec, job.results, job.stem
    document = job.document or spec.source.document
    with style.context():
        product = _product(job)
        absent = _is_absent(product)
        caption = provenance_caption(results, document, spec.source.place, job.source, absent, job.cuts)
        brief = provenance_brief(results, job.source, absent)
        title = sentence(f"{spec.source.place}. {spec.title}")
        if isinstance(product, ReportTable):
            product = replace(product, title=product.title or title.rstrip("."))
            table: ReportTable | None = product
            image = table_figure(product, brief)
            files: dict[str, bytes | str] = {
                "csv": to_csv(product),
                "md": to_markdown(product, caption),
                "tex": to_tex(product, caption, job.name),
            }
        else:
            image = add_caption(product.figure, f"{title} {sentence(product.caption)}".strip(), brief)
            table = product.table
            files = {} if product.data is None else {"csv": product.data.to_csv(index=False, lineterminator="\n")}
        whole = " ".join(filter(None, [sentence(product.caption), caption]))
        files = {**render(image, f"{job.paper}/{job.name}: {spec.title}", crop=isinstance(product, Figure)), **files}
        files["rst"] = to_rst(f"{title} {whole}")
    record = {
        "format": FORMAT,
        "paper": job.paper,
        "artifact": job.name,
        "title": spec.title,
        "kind": spec.kind,
        "comparison": spec.comparison,
        "repeats": spec.repeats,
        "document": document,
        "place": spec.source.place,
        "caption": whole,
        "provenance": caption,
        "source": job.source,
        "drawn_at": job.scale,
        "absent": absent,
        **provenance_record(results, absent),
        "files": sorted(f"{stem.name}.{suffix}" for suffix in files),
        "table": None if table is None else table_record(table),
        "claims": judged_claims(job),
    }
    for suffix, content in files.items():
        write_file(stem.with_name(f"{stem.name}.{suffix}"), content)
    return write_file(stem.with_name(f"{stem.name}.json"), to_json(record))


def judged_claims(job: Drawing) -> list[dict[str, Any]]:
    """The claims about an artifact with their outcomes, as the sidecar has them."""
    protocol, records = Protocol(job.judged or job.results, job.grids), []
    for claim in job.claims:
        often = max((job.looks[name] for name in claim.experiments or job.looks), default=1)
        check = not_run() if nothing_run(protocol.results) else run_check(claim, protocol.results, often)
        records.append({**claim.record, **vars(check), "reduced": protocol.is_reduced(claim, check, often)})
    return records


def _product(job: Drawing) -> ReportTable | Figure:
    spec, results = job.spec, job.results
    if nothing_run(results) and spec.kind == "figure":
        return placeholder(spec.title)
    try:
        with reading(results):
            product = job.function(results, job.published)
    except NotRunError as missing:
        reason = f"not run: {missing}" if str(missing) else "not run"
        return absent_table(job.published) if spec.kind == "table" else placeholder(spec.title, reason)
    expected = ReportTable if spec.kind == "table" else Figure
    if not isinstance(product, expected):
        raise UserError(f"artifact {job.name!r}: returned a {type(product).__name__}; allowed: a {expected.__name__}")
    return product


def _is_absent(product: ReportTable | Figure) -> bool:
    """Whether the runs of the artifact itself are missing, even if others of its experiments are there."""
    if isinstance(product, Figure):
        return product.absent
    unrun = any(verdict.kind == "not run" for verdict in product.verdicts)
    # Anything of ours is a text, or runs, even if all of them failed.
    ours = any(cell.text or cell.runs > 0 or not math.isnan(cell.ours) for cell in product.cells.values())
    return not product.rows or (unrun and not ours)
