"""The commands that draw and compare: (catalogue, parsed options, console) -> exit status."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path, PurePosixPath

from rich.console import Console

from core.experiment import SOURCES
from core.experiment.catalogue import Catalogue
from core.experiment.drawings import ABLATION, EXTENSIONS, OWN, Currency, Drawing, cells_of, drawing
from core.foundation.errors import UserError
from core.foundation.files import write_whole

SUFFIXES = {f".{extension}" for extensions in EXTENSIONS.values() for extension in extensions}


def draw(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Draw artifacts; those that cannot be drawn are reported, and the others are drawn all the same."""
    chosen = _chosen(catalogue, options.name, options, console)
    if options.additions == "ablation":
        chosen = [replace(drawn, ablations=True) for drawn in chosen]
    status = _draw(catalogue, chosen, console, options.processes)
    for name in options.name if options.additions is None else ():  # what has ablations has no short name
        _copy_to_short_name(catalogue, PurePosixPath(name), options.scale)
    return status


def compare(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Print verdicts and write the comparison page; what is not drawn, or out of date, is drawn first.

    With `--against`, your own runs of cells are compared with the shipped ones instead.
    """
    if options.against:
        from papers.commands.contrasting import compare_runs

        return compare_runs(catalogue, options.name, options.scale, console)
    chosen = _chosen(catalogue, options.name or list(catalogue.papers), options, console)
    if with_ablations := [drawn.stem for drawn in chosen if drawn.ablations]:
        raise UserError(f"{with_ablations[0]}: the page has no ablations; compare them: --against reference CELL")
    is_current = Currency(catalogue)
    outdated = [drawn for drawn in chosen if not is_current(drawn)]
    if outdated:
        console.print(f"drawing {len(outdated)} of {len(chosen)} artifacts first")
        if status := _draw(catalogue, outdated, console, options.processes):
            return status
    from core.report.page.comparison import drawn_sidecars, summary, write_page

    for source in dict.fromkeys([drawn.source for drawn in chosen] or [options.source or SOURCES[0]]):
        sidecars = drawn_sidecars(catalogue, source)
        names = {drawn.name for drawn in chosen if drawn.source == source}
        for part in summary([s for s in sidecars if f"{s['paper']}/{s['artifact']}" in names]):
            console.print(part)
        page = write_page(catalogue, source, sidecars, options.single_file)
        console.print(f"wrote {page.relative_to(catalogue.root)}")
    if not options.name:
        catalogue.require_all()
    return 0


def drawings(catalogue: Catalogue, names: list[str], scale: str, source: str | None) -> list[Drawing]:
    """The drawings that the names refer to, each once: paper/artifact, a short name, a paper, or a file below figures/.

    Args:
        source: Source of the runs. None stands for the shipped ones and, for an artifact of whose runs none is shipped
            at the scale, your own if there are any; files below figures/ say themselves.

    Raises:
        UserError: an unknown or ambiguous name.
    """
    chosen: dict[Drawing, None] = {}
    own = (lambda drawn: _own_if_alone(catalogue, drawn)) if source is None else (lambda drawn: drawn)
    source = source or SOURCES[0]
    for name in names:
        path = PurePosixPath(name)
        if path.parts[:1] == ("figures",):
            chosen[_drawing_of_file(catalogue, path, scale)] = None
        elif name in catalogue.names:
            artifacts = catalogue.paper(name).artifacts
            chosen |= {own(drawing(catalogue, f"{name}/{artifact}", scale, source)): None for artifact in artifacts}
        else:
            chosen[own(drawing(catalogue, name, scale, source))] = None
    return list(chosen)


def _own_if_alone(catalogue: Catalogue, drawn: Drawing) -> Drawing:
    """The drawing from your own runs, if there are any and none is shipped; else from the shipped ones."""
    cells = cells_of(catalogue, drawn)
    shipped, own = (any(cell.path(catalogue.root, source).exists() for cell in cells) for source in SOURCES)
    return replace(drawn, source="run") if own and not shipped else drawn


def _chosen(catalogue: Catalogue, names: list[str], options: argparse.Namespace, console: Console) -> list[Drawing]:
    """`drawings` of the command's options; which of them are from your own runs is said if that was not asked for."""
    chosen = drawings(catalogue, names, options.scale, options.source)
    if options.source is None:
        shipped = set(drawings(catalogue, names, options.scale, SOURCES[0]))
        if own := [drawn.name for drawn in chosen if drawn not in shipped]:
            console.print(f"nothing is shipped for {', '.join(own)}: drawn from your own runs", soft_wrap=True)
    return chosen


def _drawing_of_file(catalogue: Catalogue, path: PurePosixPath, scale: str) -> Drawing:
    """The drawing that a file below figures/ belongs to, by its own name or by its short one."""
    inner, source, ablations = list(path.parts[1:]), "reference", False
    if inner[:1] == [OWN.rstrip("/")]:
        inner, source = inner[1:], "run"
    if inner[:1] == [ABLATION.rstrip("/")]:
        inner, ablations = inner[1:], True
    if not inner:
        raise UserError(f"{path}: a folder; allowed: a file in it, paper/artifact, a short name or a paper")
    name = PurePosixPath(*inner)
    name = name.with_suffix("") if name.suffix in SUFFIXES else name
    return replace(drawing(catalogue, str(name), scale, source), ablations=ablations)


def _copy_to_short_name(catalogue: Catalogue, path: PurePosixPath, scale: str) -> None:
    """If a file below figures/ was requested by its short name, it is there under that name as well."""
    if path.parts[:1] != ("figures",) or path.suffix not in SUFFIXES - {".json"}:
        return
    original = catalogue.root / f"{_drawing_of_file(catalogue, path, scale).stem}{path.suffix}"
    if original != catalogue.root / path and original.is_file():
        write_whole(catalogue.root / path, lambda stream: stream.write(original.read_bytes()))


def _draw(catalogue: Catalogue, chosen: list[Drawing], console: Console, processes: int) -> int:
    """Draw, in a few processes where there is more than one; 2 if an artifact could not be drawn.

    Raises:
        UserError: fewer processes than one, or one of them was killed.
    """
    if processes < 1:
        raise UserError(f"--processes = {processes}: must be at least 1")
    workers = min(processes, len(chosen))
    if workers < 2:
        return max((_draw_one(catalogue, drawn, console) for drawn in chosen), default=0)
    try:
        places = (catalogue.root, catalogue.package, catalogue.code)
        with ProcessPoolExecutor(workers, get_context("spawn"), _draws_from, places) as pool:
            return max(pool.map(_drawn_by_worker, chosen))
    except BrokenProcessPool as error:
        raise UserError("a process that was drawing was killed; what it had finished is kept") from error


def _draws_from(root: Path, package: str, code: Path) -> None:
    """Prepare a worker: the papers are read once."""
    global _catalogue
    _catalogue = Catalogue(root, package, code)


def _drawn_by_worker(drawn: Drawing) -> int:
    return _draw_one(_catalogue, drawn, Console(highlight=False))


def _draw_one(catalogue: Catalogue, drawn: Drawing, console: Console) -> int:
    from core.report.draw import draw_artifact

    try:
        draw_artifact(catalogue, drawn)
        console.print(f"drew {drawn.stem}.pdf", soft_wrap=True)
        return 0
    except UserError as error:
        print(f"error: {drawn.name}: {str(error).removeprefix(f'{drawn.name}: ')}", file=sys.stderr)
        return 2
