"""The README's table of papers with their verdicts, counted over the drawings, and the drawings that it shows."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from core.errors import UserError
from core.experiment.catalogue import Catalogue
from core.experiment.drawings import Currency, drawing
from core.report.figures.files import write_file
from core.report.page.comparison import load_sidecars
from core.report.page.tally import fails, outcome_text, tally
from core.report.verdicts.cells import KINDS
from core.report.verdicts.checks import OUTCOMES
from core.report.verdicts.claims import CAUSES

IMAGES = "figures/readme"
BEGIN = "<!-- written by: python -m papers readme -->"
END = "<!-- until here -->"
VERBS = ("differ", "hold", "fail")
WORDS = {"inconclusive": "open", "differs": "differ", "holds": "hold", "fails": "fail", "": "have nothing of ours"}


def readme(catalogue: Catalogue, options: argparse.Namespace, console: Console) -> int:
    """Write the table from the drawings of the shipped runs, and copy those that figures/readme has by short names.

    With `--check` only say whether one is out of date.

    Raises:
        UserError: an artifact is not drawn or its drawing is out of date, or the README has no place for the table.
    """
    path = catalogue.root / "README.md"
    text = path.read_text(encoding="utf-8")
    wanted = with_table(text, papers_table(catalogue))
    outdated = [shown for shown in sorted((catalogue.root / IMAGES).glob("*.png")) if _is_outdated(catalogue, shown)]
    if wanted != text and options.check:
        raise UserError(f"{path}: its table of papers is out of date; python -m papers readme writes it")
    if outdated and options.check:
        raise UserError(f"{outdated[0]}: is not today's drawing; python -m papers readme copies it")
    if wanted != text:
        write_file(path, wanted)
    for shown in outdated:
        write_file(shown, _drawn(catalogue, shown).read_bytes())
        console.print(f"wrote {shown.relative_to(catalogue.root)}")
    console.print("README.md is up to date" if wanted == text else "wrote README.md")
    return 0


def _drawn(catalogue: Catalogue, shown: Path) -> Path:
    """The drawing that an image of the README is a copy of."""
    return catalogue.root / f"{drawing(catalogue, shown.stem, 'quick', 'reference').stem}.png"


def _is_outdated(catalogue: Catalogue, shown: Path) -> bool:
    return shown.read_bytes() != _drawn(catalogue, shown).read_bytes()


def undrawn(catalogue: Catalogue) -> list[str]:
    """The artifacts whose drawings from the shipped runs at quick are missing or out of date."""
    chosen = [drawing(catalogue, name, "quick", "reference") for name in catalogue.artifacts]
    is_current = Currency(catalogue)
    return [drawn.name for drawn in chosen if not is_current(drawn)]


def papers_table(catalogue: Catalogue) -> str:
    """The table in Markdown, from the sidecars of all drawings."""
    if missing := undrawn(catalogue):
        named = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        raise UserError(f"must be drawn first, by snakemake: {named}")
    sidecars = load_sidecars(catalogue.root / "figures", catalogue.artifacts)
    check_causes(sidecars)
    by_paper = {name: [sidecar for sidecar in sidecars if sidecar["paper"] == name] for name in catalogue.papers}
    return table_of(catalogue, {name: verdicts(own) for name, own in by_paper.items()})


def check_causes(sidecars: Sequence[dict]) -> None:
    """Make sure that the headline claims that fail state a cause, and that claims with another outcome state none.

    A claim that is not run keeps its cause: what its runs showed is not at hand.

    Raises:
        UserError: naming the claim, its outcome and what is allowed.
    """
    for sidecar in sidecars:
        for claim in sidecar["claims"]:
            name = f"{sidecar['paper']}/{sidecar['artifact']}: {claim['id']}: {outcome_text(claim)}"
            has_failed = fails(claim)
            if has_failed and claim["headline"] and claim["cause"] is None:
                raise UserError(f"{name}, a headline without a cause; allowed: one of {', '.join(CAUSES)}")
            if claim["cause"] is not None and not has_failed and claim["holds"] != "not run":
                raise UserError(f"{name}, with a cause; allowed: a cause where the claim fails or is not run")


def table_of(catalogue: Catalogue, words: dict[str, str]) -> str:
    """The table with these words on each paper's verdicts."""
    lines = ["| paper | title | artifacts | verdicts so far |", "| :-- | :-- | --: | :-- |"]
    for name, paper in catalogue.papers.items():
        link = f"[{name}]({catalogue.package}/{name}/README.md)"
        lines.append(f"| {link} | {paper.title} | {len(paper.artifacts)} | {words[name]} |")
    return "\n".join(lines)


def with_table(text: str, table: str) -> str:
    """A README's text with another table between its two marks.

    Raises:
        UserError: a mark is missing.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UserError(f"README.md: no place for the table of papers; allowed: between {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


def verdicts(sidecars: list[dict]) -> str:
    """The verdicts and claims of drawings, counted: "12 cells reproduced, 8 worse; 1 claim holds, 8 fail"."""
    counts = tally(sidecars)
    words = WORDS | {kind: f"{kind} ({number} of them baselines)" for kind, number in counts.baselines.items()}
    kinds = [kind for kind in KINDS if counts.verdicts[kind] and kind != "not published"]
    cells = [(counts.verdicts[kind], words.get(kind, kind)) for kind in kinds]
    by_noun = [("cell", cells), ("claim", _outcomes(counts.claims))]
    parts = [_in_words(noun, found) for noun, found in by_noun if found]
    if counts.on_our_part:
        parts.append(f"of those outside on our part {_in_words('', _outcomes(counts.on_our_part))}")
    if counts.full:
        parts.append(f"at the full protocol {_in_words('', _outcomes(counts.full))}")
    on_theirs = [(counts.reproduced_cells[kind], WORDS.get(kind, kind)) for kind in KINDS]
    by_noun = [("cell", [each for each in on_theirs if each[0]]), ("claim", _outcomes(counts.reproduced))]
    if shown := [_in_words(noun, found) for noun, found in by_noun if found]:
        parts.append(f"on the authors' data {', '.join(shown)}")
    return "; ".join(parts)


def _outcomes(counts: Mapping[str, int]) -> list[tuple[int, str]]:
    """How many claims have each outcome, in words; an empty outcome means that nothing of ours bears on the claim."""
    return [(counts[each], WORDS.get(each, each)) for each in (*OUTCOMES, "") if counts.get(each)]


def _in_words(noun: str, counted: list[tuple[int, str]]) -> str:
    """The noun, if any, follows the first number only; verbs agree with the number."""
    words = [f"{word}s" if number == 1 and word in VERBS else word for number, word in counted]
    numbers = [str(number) for number, _ in counted]
    if noun:
        numbers[0] = f"{numbers[0]} {noun}{'' if numbers[0] == '1' else 's'}"
    return ", ".join(map(" ".join, zip(numbers, words, strict=True)))
