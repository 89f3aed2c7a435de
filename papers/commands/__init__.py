"""What the command line does, one function a command: (catalogue, parsed options, console) -> exit status."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.markup import escape
from rich.table import Column
from rich.table import Table as RichTable

from core.errors import UserError
from core.experiment.catalogue import Catalogue
from core.experiment.durations import in_words, recorded_seconds
from papers.commands.contrasting import compare_runs
from papers.commands.running import run, run_cells
from papers.commands.verifying import verify


def list_papers(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Papers with their experiments, artifacts and shipped cells; the cells of a name that is given."""
    from core.experiment.ablations import find_ablations
    from core.experiment.results import inspect_cell

    if options.name and "/" in options.name:
        table = RichTable("cell", "runs", "reference", "own run", "time", box=None)
        for cell in catalogue.find_cells(options.name, options.scale):
            states = [_state(inspect_cell(cell, catalogue.root, source)) for source in ("reference", "run")]
            seconds = recorded_seconds(cell, catalogue.root)
            table.add_row(cell.name, str(cell.runs), *states, "-" if seconds is None else in_words(seconds))
            for ablation in find_ablations(catalogue, [cell], options.scale):
                state = _state(inspect_cell(ablation, catalogue.root, "run"))
                seconds = in_words(recorded_seconds(ablation, catalogue.root))
                change = escape(f"  with {', '.join(ablation.overrides)}")
                table.add_row(change, str(cell.runs), "-", state, seconds)
        console.print(table)
        return 0
    for name in [options.name] if options.name else catalogue.papers:
        paper = catalogue.paper(name)
        console.print(f"[bold]{name}[/]  {escape(paper.title)}")
        table = RichTable("experiment", "cells", "shipped", "scale", "what", box=None, padding=(0, 2))
        for experiment, spec in paper.experiments.items():
            cells = list(catalogue.cells(name, experiment, options.scale))
            present = sum(cell.path(catalogue.root, "reference").exists() for cell in cells)
            scale, what = spec.resolve_scale(options.scale), escape(spec.description)
            table.add_row(experiment, str(len(cells)), str(present), scale, what)
        console.print(table)
        table = RichTable("artifact", Column("target", no_wrap=True), "drawn", "what", box=None, padding=(0, 2))
        for artifact, shown in paper.artifacts.items():
            target = f"figures/{name}/{artifact}.pdf"
            drawn = "yes" if (catalogue.root / target).exists() else "no"
            table.add_row(artifact, target, drawn, escape(f"{shown.source.place}: {shown.title}"))
        console.print(table)
    return 0


def draw(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Draw artifacts into figures/<paper>/."""
    chosen = _artifacts(catalogue, options.name)
    from core.report.draw import draw_artifact

    for paper, artifact in chosen:
        stem = draw_artifact(catalogue, paper, artifact, options.scale, options.source, bool(options.ablations))
        console.print(f"drew {stem.relative_to(catalogue.root)}.pdf")
    return 0


def compare(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Print the verdicts of drawn artifacts and write figures/comparison.html; or own runs against shipped ones."""
    if options.against:
        return compare_runs(catalogue, options.name, options.scale, console)
    figures = catalogue.root / "figures"
    chosen = _artifacts(catalogue, options.name) if options.name else _artifacts(catalogue, list(catalogue.papers))
    missing = ["/".join(pair) for pair in chosen if not (figures / f"{pair[0]}/{pair[1]}.json").exists()]
    if missing and (options.name or len(missing) == len(chosen)):
        raise UserError(f"not drawn yet: {', '.join(missing)}; draw with: python -m papers draw {' '.join(missing)}")
    from core.report.comparison import load_sidecars, summary, write_page

    for part in summary([s for s in load_sidecars(figures) if (s["paper"], s["artifact"]) in chosen]):
        console.print(part)
    page = write_page(figures)
    console.print(f"wrote {page.relative_to(catalogue.root)}")
    return 0


def promote(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Copy finished cells into results/reference; all are checked before the first is copied."""
    from core.experiment.promote import check, promote

    cells = catalogue.find_cells(options.name, options.scale)
    for cell in cells:
        check(cell, catalogue.root)
    for cell in cells:
        console.print(f"promoted {promote(cell, catalogue.root).relative_to(catalogue.root)}")
    return 0


def quickstart(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Each paper's quickstart experiment, live at each call: an earlier one's results are made anew."""
    for name, paper in catalogue.papers.items():
        cells = list(catalogue.cells(name, paper.quickstart, "smoke"))
        for cell in cells:
            cell.path(catalogue.root).unlink(missing_ok=True)
        run_cells(catalogue, cells, "cpu", console)
    return 0


def _artifacts(catalogue: Catalogue, names: list[str]) -> list[tuple[str, str]]:
    """Artifacts by full name, short name, or all of a paper."""
    chosen: list[tuple[str, str]] = []
    for name in names:
        if name in catalogue.papers:
            chosen += [(name, artifact) for artifact in catalogue.papers[name].artifacts]
        else:
            chosen.append(catalogue.artifact(name))
    return chosen


def _state(info) -> str:
    if not info.present:
        return "-"
    return f"{info.runs} runs" + (" (other settings)" if info.stale else "")


__all__ = ["compare", "draw", "list_papers", "promote", "quickstart", "run", "verify"]
