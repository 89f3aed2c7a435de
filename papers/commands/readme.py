"""What the README says of the papers, from the drawings of the shipped runs: a figure, sentences and two tables."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from rich.console import Console

from core.experiment.paper import Papers
from core.foundation.errors import UserError
from core.report import style
from core.report.figures.files import render, write_file
from core.report.page.front_figure import front_figure
from core.report.page.records import Record, fails, load_sidecars, needs_cause, outcome_text
from core.report.page.summary import CLAIM_HEADS, NUMBER_HEADS, Rows, Summary, summary_of
from core.report.verdicts.claims import CAUSES

FIGURE = "figures/readme/headlines.png"
TITLE = "Headline claims: effects, verdicts and causes"
COMMAND = "python -m papers readme"
BEGIN = "<!-- {}, written by: {} -->"
END = "<!-- until here -->"
"""The marks around a part of a Markdown file that a command writes."""


def readme(papers: Papers, options: argparse.Namespace, console: Console) -> int:
    """Write the figure, and the README's sentences and tables between their marks, from the drawings of shipped runs.

    With `--check` only say whether one is out of date.

    Raises:
        UserError: an artifact is not drawn or its drawing is out of date, or the README lacks a mark.
    """
    path, shown = papers.root / "README.md", papers.root / FIGURE
    summary = summary_of(current_sidecars(papers), papers.valid)
    text = path.read_text(encoding="utf-8")
    sentences = "\n".join(f"* {sentence}" for sentence in summary.sentences)
    wanted = with_block(text, "answer", f"![{TITLE}]({FIGURE})\n\n{sentences}", COMMAND)
    wanted = with_block(wanted, "counts", tables(papers, summary), COMMAND)
    image = figure(papers, summary)
    outdated = not shown.is_file() or shown.read_bytes() != image
    if options.check and wanted != text:
        raise UserError(f"{path}: its sentences or tables are out of date; python -m papers readme writes them")
    if options.check and outdated:
        raise UserError(f"{shown}: is out of date; python -m papers readme draws it")
    if wanted != text:
        write_file(path, wanted)
    if outdated:
        write_file(shown, image)
        console.print(f"wrote {FIGURE}")
    console.print("README.md is up to date" if wanted == text else "wrote README.md")
    return 0


def current_sidecars(papers: Papers) -> list[Record]:
    """The sidecars of all drawings of the shipped runs.

    Raises:
        UserError: one is missing or out of date, or a failing claim has no cause.
    """
    if missing := [name for name in papers.artifacts if not papers.artifact(name).is_drawn]:
        named = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        raise UserError(f"must be drawn first, by snakemake: {named}")
    sidecars = load_sidecars(papers.root / "figures", papers.artifacts)
    check_causes(sidecars)
    return sidecars


def check_causes(sidecars: Sequence[Record]) -> None:
    """Make sure that claims that fail state a cause, or that it is unknown, and that claims that do not state none.

    A claim that is not run keeps its cause: what its runs showed is not at hand.

    Raises:
        UserError: naming the claim, its outcome and what is allowed.
    """
    for sidecar in sidecars:
        for claim in sidecar["claims"]:
            name = f"{sidecar['paper']}/{sidecar['artifact']}: {claim['id']}: {outcome_text(claim)}"
            has_failed = fails(claim)
            if needs_cause(claim) and claim["cause"] is None:
                raise UserError(f"{name}, without a cause; allowed: one of {', '.join(CAUSES)}")
            if claim["cause"] is not None and not has_failed and claim["holds"] != "not run":
                raise UserError(f"{name}, with a cause; allowed: a cause where the claim fails or is not run")


def figure(papers: Papers, summary: Summary) -> bytes:
    """The figure as PNG."""
    names = {name: paper.spec.name for name, paper in papers.valid.items()}
    with style.context():
        return render(front_figure(summary, names), TITLE, crop=False)["png"]


def tables(papers: Papers, summary: Summary) -> str:
    """Two tables in Markdown, of claims and of printed numbers, each with totals."""
    short, long = {"": f"**all {len(papers.artifacts)}**"}, {"": f"**all {len(papers.artifacts)}**"}
    for name, paper in papers.valid.items():
        short[name] = f"[{paper.spec.name}]({papers.package}/{name}/README.md)"
        title = paper.spec.title.replace("|", "\\|")
        long[name] = f"{short[name]}<br><sub>{title}</sub>"
    every = {**summary.papers, "": summary.total}
    drawn = {name: f"{counts.drawn} of {counts.artifacts}" for name, counts in every.items()}
    claims = [(name, [drawn[name], *numbers]) for name, numbers in summary.claim_counts]
    return "\n\n".join(
        [
            _table(["claims", "drawn", *CLAIM_HEADS], claims, long),
            _table(["printed numbers", *NUMBER_HEADS], summary.number_counts, short),
        ]
    )


def _table(heads: Sequence[str], rows: Rows, names: Mapping[str, str]) -> str:
    lines = [f"| {' | '.join(heads)} |", f"| :-- |{' --: |' * (len(heads) - 1)}"]
    for paper, numbers in rows:
        shown = numbers if paper else [f"**{number}**" if number else "" for number in numbers]
        lines.append(f"| {' | '.join([names[paper], *shown])} |")
    return "\n".join(lines)


def with_block(text: str, name: str, block: str, command: str, file: str = "README.md") -> str:
    """The text of a file with another block between the marks of that name.

    Args:
        command: Command that writes it.
        file: Name of the file, for errors.

    Raises:
        UserError: a mark is missing.
    """
    begin = BEGIN.format(name, command)
    before, start, rest = text.partition(begin)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise UserError(f"{file}: no place for its {name}; allowed: between {begin} and {END}")
    return f"{before}{begin}\n\n{block}\n\n{END}{after}"
