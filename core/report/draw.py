"""Drawing an artifact: call its function with the results and write everything that a reader gets.

The files are <stem>.pdf and .png, for tables .csv, .md and .tex, for figures .csv if they give their data, and last
the sidecar <stem>.json: what was drawn, from which runs, with which verdicts and claims. The comparison page is made
from sidecars and images alone. An artifact whose runs are missing is drawn as `not run`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.errors import UserError
from core.experiment.catalogue import Catalogue
from core.experiment.drawings import Drawing
from core.experiment.schema import split_reference
from core.report.figures import style
from core.report.figures.figure import Figure, add_caption, placeholder
from core.report.figures.files import render, write_file
from core.report.page.records import FORMAT, table_record, to_json
from core.report.provenance import nothing_run, provenance_caption, provenance_record
from core.report.tables.image import table_figure
from core.report.tables.table import ReportCell, ReportTable, absent_table
from core.report.tables.text import sentence, to_csv, to_markdown, to_tex
from core.report.verdicts.checks import NotRunError, reading
from core.report.verdicts.claims import Claim, claims_about, run_check
from core.report.verdicts.names import check_places, check_published
from core.report.verdicts.outcomes import not_run
from core.report.verdicts.published import Published, read_published_of


@dataclass(frozen=True)
class Job:
    """What one drawing is made of.

    Attributes:
        paper, name: Folder name of the paper and id of the artifact.
        spec: Its entry of paper.yaml: kind (`table` or `figure`), comparison (`cells`, `claims`, `shape` or `spec`),
            title, source.document, source.place.
        results: The runs it draws from: frame(experiment), scale(experiment), cells, reduced.
        folder: The paper's folder, which has published/<name>.csv where numbers were published.
        stem: Path to write to, without suffix.
        function: Function (results, published or None) -> ReportTable or Figure.
        claims: Claims of the paper about it.
        document: The published document in words, for the caption.
        source: Source of the runs, `reference` or `run`.
        scale: The scale at which it was asked for, for the sidecar: experiments may resolve it to another.
        judged: The results that claims are judged by, if they differ from those drawn.
        cuts: Parts of the paper's protocol that the scale of each experiment leaves out, in words.
        looks: Number of times that claims were looked at while runs were added.
    """

    paper: str
    name: str
    spec: Any
    results: Any
    folder: Path
    stem: Path
    function: Callable[..., Any]
    claims: Sequence[Claim] = ()
    document: str = ""
    source: str = "reference"
    scale: str = "quick"
    judged: Any = None
    cuts: Mapping[str, str] = field(default_factory=dict)
    looks: int = 1


def draw_artifact(catalogue: Catalogue, drawing: Drawing) -> Path:
    """Draw an artifact of a catalogue; returns the stem of its files. Claims are judged without ablations.

    Raises:
        UserError: as `draw`, and if ablations are requested but there are none.
    """
    paper, name = drawing.paper, drawing.artifact
    spec = catalogue.paper(paper).artifacts[name]
    check_published(catalogue, paper, name)
    claims = claims_about(catalogue, paper, name)
    check_places(claims, catalogue.paper(paper))
    folder = catalogue.root / catalogue.package / paper
    results = catalogue.results(paper, name, drawing.scale, drawing.source, drawing.ablations)
    if drawing.ablations and not any(cell.ablation for cell in results.cells):
        again = f"python -m papers run CELL --scale {drawing.scale} --set KEY=VALUE"
        raise UserError(f"none of its cells was run with changed settings at scale {drawing.scale}; run one: {again}")
    experiments = {split_reference(name)[1]: each for name, each in catalogue.experiments_of(paper, name).items()}
    scales = {name: each.scales[results.scale(name)] for name, each in experiments.items()}
    job = Job(
        paper=paper,
        name=name,
        spec=spec,
        results=results,
        folder=folder,
        stem=catalogue.root / drawing.stem,
        function=catalogue.artifact_function(paper, name),
        claims=claims,
        document=catalogue.paper(paper).documents[spec.source.document],
        source=drawing.source,
        scale=drawing.scale,
        judged=results.without_ablations() if drawing.ablations else None,
        cuts={name: scale.cut for name, scale in scales.items()},
        looks=max((scale.looks for scale in scales.values()), default=1),
    )
    draw(job)
    return job.stem


def draw(job: Job) -> Path:
    """Draw one artifact and write its files; returns the path of the sidecar, which is written last.

    Raises:
        UserError: a function returns the wrong type, published numbers are invalid, or a file cannot be written.
    """
    spec, results, stem = job.spec, job.results, job.stem
    numbers = job.folder / "published" / f"{job.name}.csv"
    published = read_published_of(numbers, spec.comparison) if numbers.is_file() else None
    document = job.document or spec.source.document
    with style.context():
        product = _product(job, published)
        absent = _is_absent(product)
        caption = provenance_caption(results, document, spec.source.place, job.source, absent, job.cuts)
        title = sentence(f"{spec.source.place}. {spec.title}")
        if isinstance(product, ReportTable):
            product = replace(product, title=product.title or title.rstrip("."))
            table, image = product, table_figure(product, caption)
            files: dict[str, bytes | str] = {
                "csv": to_csv(product),
                "md": to_markdown(product, caption),
                "tex": to_tex(product, caption, job.name),
            }
        else:
            image = add_caption(product.figure, " ".join(filter(None, [title, sentence(product.caption), caption])))
            table = product.table
            files = {} if product.data is None else {"csv": product.data.to_csv(index=False, lineterminator="\n")}
        files = {**render(image, f"{job.paper}/{job.name}: {spec.title}", crop=isinstance(product, Figure)), **files}
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
        "caption": " ".join(filter(None, [sentence(product.caption), caption])),
        "provenance": caption,
        "source": job.source,
        "drawn_at": job.scale,
        **provenance_record(results, absent),
        "files": sorted(f"{stem.name}.{suffix}" for suffix in files),
        "table": None if table is None else table_record(table),
        "claims": [_judged(claim, job.judged or results, job.looks) for claim in job.claims],
    }
    for suffix, content in files.items():
        write_file(stem.with_name(f"{stem.name}.{suffix}"), content)
    return write_file(stem.with_name(f"{stem.name}.json"), to_json(record))


def _product(job: Job, published: Published | None) -> ReportTable | Figure:
    spec, results = job.spec, job.results
    if nothing_run(results) and spec.kind == "figure":
        return placeholder(spec.title)
    try:
        with reading(results):
            product = job.function(results, published)
    except NotRunError as missing:
        reason = f"not run: {missing}" if str(missing) else "not run"
        return absent_table(published) if spec.kind == "table" else placeholder(spec.title, reason)
    expected = ReportTable if spec.kind == "table" else Figure
    if not isinstance(product, expected):
        raise UserError(f"artifact {job.name!r}: returned a {type(product).__name__}; allowed: a {expected.__name__}")
    return product


def _is_absent(product: ReportTable | Figure) -> bool:
    """Whether the runs of the artifact itself are missing, even if others of its experiments are there."""
    if isinstance(product, Figure):
        return product.absent
    unrun = any(verdict.kind == "not run" for verdict in product.verdicts)
    return not product.rows or (unrun and not any(map(_has_result, product.cells.values())))


def _has_result(cell: ReportCell) -> bool:
    """Whether a cell has anything of ours: a text, or runs, even if all of them failed."""
    return bool(cell.text) or cell.runs > 0 or not math.isnan(cell.ours)


def _judged(claim: Claim, results: Any, looks: int) -> dict[str, Any]:
    check = not_run() if nothing_run(results) else run_check(claim, results, looks)
    return {**claim.record, **vars(check), "reduced": bool(results.reduced)}
