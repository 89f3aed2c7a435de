"""The commands that draw and compare: (papers, parsed options, console) -> exit status.

`draw` draws what it is asked for, in this process. `compare` prints verdicts and writes the page; with `--against` it
shows your own runs and ablations of cells beside the shipped ones.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import PurePosixPath

from rich.console import Console
from rich.markup import escape
from rich.table import Column
from rich.table import Table as RichTable

from core.experiment import SCALES, SOURCES
from core.experiment.cells import Cell
from core.experiment.paper import ABLATION, EXTENSIONS, OWN, Artifact, Papers
from core.experiment.selection import find_ablations, find_cells
from core.foundation.errors import UserError
from core.foundation.files import write_whole

SUFFIXES = {f".{extension}" for extensions in EXTENSIONS.values() for extension in extensions}
FILE_WIDTH = 120  # characters per line, where no terminal sets a width
NOTES = (
    "Means over the runs compared (failed ones are left out), own minus shipped, with its 95% interval: Student's of "
    "pairs, which are runs of the same number, or else Welch's.",
    "What is measured depends on the speed of the machine and gets no verdict.",
)


def draw(papers: Papers, options: argparse.Namespace, console: Console) -> int:
    """Draw artifacts; those that cannot be drawn are reported, and the others are drawn all the same."""
    chosen = _chosen(papers, options.name, options, console)
    if options.additions == "ablation":
        chosen = [replace(artifact, ablations=True) for artifact in chosen]
    files = all(PurePosixPath(name).parts[:1] == ("figures",) for name in options.name)  # which Snakemake asks for
    status = _draw(chosen, options.source or (SOURCES[0] if files else None), console)
    for name in options.name if options.additions is None else ():  # what has ablations has no short name
        _copy_to_short_name(papers, PurePosixPath(name), options.scale)
    return status


def compare(papers: Papers, options: argparse.Namespace, console: Console) -> int:
    """Print verdicts and write the comparison page.

    Artifacts that are named are drawn first. Of all of them only those that have no drawing at the scale are drawn:
    Snakemake keeps drawings up to date. With `--against`, your own runs of cells are compared with the shipped ones.
    """
    if options.against:
        return _compare_runs(papers, options.name, options.scale, console)
    chosen = _chosen(papers, options.name or list(papers.valid), options, console)
    if with_ablations := [artifact.stem for artifact in chosen if artifact.ablations]:
        raise UserError(f"{with_ablations[0]}: the page has no ablations; compare them: --against reference CELL")
    wanted = chosen if options.name else [artifact for artifact in chosen if not artifact.is_drawn]
    if wanted:
        console.print(f"drawing {len(wanted)} of {len(chosen)} artifacts first")
        if status := _draw(wanted, options.source, console):
            return status
    from core.report.page.comparison import drawn_sidecars, summary, write_page

    for source in dict.fromkeys([artifact.source for artifact in chosen] or [options.source or SOURCES[0]]):
        sidecars = drawn_sidecars(papers, source)
        names = {artifact.name for artifact in chosen if artifact.source == source}
        for part in summary([s for s in sidecars if f"{s['paper']}/{s['artifact']}" in names]):
            console.print(part)
        page = write_page(papers, source, sidecars, options.single_file)
        console.print(f"wrote {page.relative_to(papers.root)}")
    if not options.name:
        papers.require_all()
    return 0


def drawings(papers: Papers, names: list[str], scale: str, source: str | None) -> list[Artifact]:
    """The artifacts that names refer to, each once: paper/artifact, a short name, a paper, or a file below figures/.

    Args:
        source: Source of the runs. None stands for the shipped ones and, for an artifact of whose runs none is shipped
            at the scale, your own if there are any; files below figures/ say themselves.

    Raises:
        UserError: an unknown or ambiguous name.
    """
    chosen: dict[Artifact, None] = {}
    for name in names:
        path = PurePosixPath(name)
        if path.parts[:1] == ("figures",):
            chosen[_artifact_of_file(papers, path, scale)] = None
            continue
        given = source or SOURCES[0]
        if name in papers.names:
            found = papers.paper(name).drawings(scale, given)
        else:
            found = [papers.artifact(name, scale, given)]
        chosen |= {artifact if source else _own_if_alone(artifact): None for artifact in found}
    return list(chosen)


def _own_if_alone(artifact: Artifact) -> Artifact:
    """The artifact from your own runs, if there are any and none is shipped; else from the shipped ones."""
    own = replace(artifact, source="run")
    return own if own.has_runs and not artifact.has_runs else artifact


def _chosen(papers: Papers, names: list[str], options: argparse.Namespace, console: Console) -> list[Artifact]:
    """`drawings` of the command's options; which of them are from your own runs is said if that was not asked for."""
    chosen = drawings(papers, names, options.scale, options.source)
    if options.source is None:
        shipped = set(drawings(papers, names, options.scale, SOURCES[0]))
        if own := [artifact.name for artifact in chosen if artifact not in shipped]:
            console.print(f"nothing is shipped for {', '.join(own)}: drawn from your own runs", soft_wrap=True)
    return chosen


def _artifact_of_file(papers: Papers, path: PurePosixPath, scale: str) -> Artifact:
    """The artifact that a file below figures/ belongs to, by its own name or by its short one."""
    inner, source, ablations = list(path.parts[1:]), "reference", False
    if inner[:1] == [OWN.rstrip("/")]:
        inner, source = inner[1:], "run"
    if inner[:1] == [ABLATION.rstrip("/")]:
        inner, ablations = inner[1:], True
    if not inner:
        raise UserError(f"{path}: a folder; allowed: a file in it, paper/artifact, a short name or a paper")
    name = PurePosixPath(*inner)
    name = name.with_suffix("") if name.suffix in SUFFIXES else name
    return replace(papers.artifact(str(name), scale, source), ablations=ablations)


def _copy_to_short_name(papers: Papers, path: PurePosixPath, scale: str) -> None:
    """If a file below figures/ was requested by its short name, it is there under that name as well."""
    if path.parts[:1] != ("figures",) or path.suffix not in SUFFIXES - {".json"}:
        return
    original = papers.root / f"{_artifact_of_file(papers, path, scale).stem}{path.suffix}"
    if original != papers.root / path and original.is_file():
        write_whole(papers.root / path, lambda stream: stream.write(original.read_bytes()))


def _draw(chosen: list[Artifact], source: str | None, console: Console) -> int:
    """Draw one after the other; 2 if one could not be drawn.

    What was never run is drawn as such. But where no source was asked for and there are own runs at another scale,
    these are what the user means: an error names that scale, and nothing is written.
    """
    from core.report.draw import draw_artifact

    status = 0
    for artifact in chosen:
        try:
            if source is None and not artifact.has_runs and (scales := _own_scales(artifact)):
                given = " or ".join(f"--scale {scale}" for scale in scales)
                raise UserError(f"was not run at scale {artifact.scale}; your own runs are drawn with {given}")
            draw_artifact(artifact)
            absent = "" if artifact.has_runs or not artifact.spec.experiments else ": not run"
            console.print(f"drew {artifact.stem}.pdf{absent}", soft_wrap=True)
        except UserError as error:
            print(f"error: {artifact.name}: {str(error).removeprefix(f'{artifact.name}: ')}", file=sys.stderr)
            status = 2
    return status


def _own_scales(artifact: Artifact) -> list[str]:
    """The scales at which you have runs of an artifact."""
    return [scale for scale in SCALES if replace(artifact, scale=scale, source="run").has_runs]


def _compare_runs(papers: Papers, names: list[str], scale: str, console: Console) -> int:
    """Print, for each own run and ablation of the named cells, how its numbers differ from the shipped ones.

    Raises:
        UserError: none of the cells has both an own run or ablation and a shipped one.
    """
    from core.experiment.agreement import differences
    from core.experiment.storage import read_records
    from core.report.statistics.intervals import Interval

    if not console.is_terminal:
        console.width = FILE_WIDTH
    names = names or ["*"]
    pairs = [pair for name in names for pair in _pairs(papers, name, scale)]
    if not pairs:
        raise UserError(_what_is_missing(papers, names, scale))
    for own, shipped in pairs:
        ours = read_records(own.path(papers.root))[0]
        theirs = read_records(shipped.path(papers.root, "reference"))[0]
        measured = papers.paper(own.paper).experiments[own.experiment].measured
        console.print(f"[bold]{escape(own.name)}[/]  {escape(_what(own))}", soft_wrap=True)
        columns = (Column("metric", no_wrap=True), "own", "shipped", "runs", "difference", "")
        table = RichTable(*columns, box=None, padding=(0, 1))
        for comparison in differences(ours, theirs, measured):
            means = (f"{comparison.ours:.4g}", f"{comparison.theirs:.4g}")
            change = Interval(comparison.difference, comparison.low, comparison.high)
            words = (
                change.text("+.3g") if math.isfinite(comparison.high - comparison.low) else f"{change.estimate:+.3g}"
            )
            table.add_row(escape(comparison.metric), *means, comparison.compared, escape(words), comparison.verdict)
        console.print(table)
    for note in NOTES:
        console.print(note, soft_wrap=True)
    return 0


def _pairs(papers: Papers, name: str, scale: str) -> list[tuple[Cell, Cell]]:
    pairs = []
    for cell in find_cells(papers, name, scale):
        if cell.path(papers.root, "reference").exists():
            own = [cell] if cell.path(papers.root).exists() else []
            pairs += [(run, cell) for run in (*own, *find_ablations(papers, [cell], scale))]
    return pairs


def _what_is_missing(papers: Papers, names: list[str], scale: str) -> str:
    """Why there is no pair: nothing is shipped, nothing was run, or both exist but for different cells."""
    cells = [cell for name in names for cell in find_cells(papers, name, scale)]
    named = ", ".join(names)
    if not any(cell.path(papers.root, "reference").exists() for cell in cells):
        return f"{named}: nothing is shipped at scale {scale}; see python -m papers list {names[0]}, or --scale"
    missing = "no own run or ablation"
    if any(cell.path(papers.root).exists() for cell in cells) or find_ablations(papers, cells, scale):
        missing = "own runs and ablations, but none"
    return (
        f"{named}: {missing} at scale {scale} of a cell that is shipped; make one: "
        f"python -m papers run {names[0]} --scale {scale} [--set KEY=VALUE]"
    )


def _what(own: Cell) -> str:
    return f"with {', '.join(own.overrides)}, against shipped" if own.overrides else "own run against shipped"
