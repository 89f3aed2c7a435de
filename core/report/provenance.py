"""Where the numbers of an artifact come from: scale, runs, commits, and which cells are stale or missing.

A results object has `cells` (experiment, benchmark, method, present, stale, runs, commit, wall_seconds each),
`scale(experiment)` and `reduced`. An artifact without cells is drawn from the code's own definitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

NAMED = 6  # at most this many cells are named in a caption; the sidecar has them all


def nothing_run(results: Any) -> bool:
    """Whether the artifact needs runs and none are there."""
    return bool(results.cells) and not any(cell.present for cell in results.cells)


def provenance_caption(
    results: Any,
    document: str,
    place: str,
    source: str = "reference",
    absent: bool = False,
    cuts: Mapping[str, str] | None = None,
) -> str:
    """Scale, what it cuts, runs and source, and which cells are stale or missing; own runs are marked as such.

    Args:
        absent: Whether the runs of the artifact itself are missing; other runs of its experiments then are not named.
        cuts: Parts of the paper's protocol that the scale of an experiment leaves out, in words.
    """
    present = [cell for cell in results.cells if cell.present and not absent]
    parts = ["Own runs, not the shipped ones."] if source == "run" else []
    if not results.cells:
        parts.append("Drawn from the code's own definitions, without runs.")
    elif present:
        parts.append(f"Scale {scale_text(results)}; {runs_text(present)}.")
        changed = {cell.experiment for cell in present if cell.stale}  # of which today's cut says nothing
        shown = [cell.experiment for cell in present if cell.experiment not in changed]
        parts += _cut_text({name: (cuts or {}).get(name, "") for name in shown})
    parts.append(f"Published: {document}, {place}.")
    if ablated := [f"{cell_name(cell)} ({cell.runs} runs)" for cell in present if getattr(cell, "ablation", False)]:
        parts.append(f"With your own ablations: {_some(ablated)}.")
    if stale := [cell_name(cell) for cell in present if cell.stale]:
        parts.append(f"Stale, run with settings other than today's: {_some(stale)}.")
    if absent:
        parts.append("Not run.")
    elif missing := [cell_name(cell) for cell in results.cells if not cell.present]:
        count = f"{len(missing)} of {len(results.cells)} cells: "
        parts.append(f"Not run, {count}{_some(missing)}." if present else "Not run.")
    return " ".join(parts)


def provenance_brief(results: Any, source: str = "reference", absent: bool = False) -> str:
    """Scales and runs alone, for the two lines below an image; own runs and stale ones are marked as such."""
    present = [cell for cell in results.cells if cell.present and not absent]
    if not results.cells:
        return ""
    if not present:
        return "Not run."
    scales = " and ".join(dict.fromkeys(results.scale(cell.experiment) for cell in results.cells))
    marks = {"own, not the shipped ones": source == "run", "some stale": any(cell.stale for cell in present)}
    marked = [mark for mark, applies in marks.items() if applies]
    return f"Scale {scales}; {', '.join([runs_text(present), *marked])}."


def scale_text(results: Any) -> str:
    """`paper`, or `paper (uci), quick (toy)` if the experiments differ."""
    by_scale: dict[str, list[str]] = {}
    for cell in results.cells:
        names = by_scale.setdefault(results.scale(cell.experiment), [])
        if cell.experiment not in names:
            names.append(cell.experiment)
    if len(by_scale) == 1:
        return next(iter(by_scale))
    return ", ".join(f"{scale} ({', '.join(names)})" for scale, names in by_scale.items())


def runs_text(cells: Iterable[Any]) -> str:
    """`1 run`, `50 runs`, `10 to 50 runs`; of collections alone `collected in 48 parts`, which are no repetitions."""
    cells = list(cells)
    repeated = [cell.runs for cell in cells if not cell.collection]
    if not repeated:
        return f"collected in {_range([cell.runs for cell in cells], 'part')}" if cells else "no runs"
    return _range(repeated, "run")


def _cut_text(cuts: Mapping[str, str]) -> list[str]:
    """`Cut: 10 runs.`, or `Cut: 10 runs (uci, toy); 5 runs (sinc).` where experiments differ; empty if nothing is."""
    by_words: dict[str, list[str]] = {}
    for experiment, words in cuts.items():
        by_words.setdefault(words, []).append(experiment.replace("_", " "))
    named = len(by_words) > 1
    texts = [f"{words} ({', '.join(names)})" if named else words for words, names in by_words.items() if words]
    return [f"Cut: {'; '.join(texts)}."] if texts else []


def _range(counts: list[int], noun: str) -> str:
    low, high = min(counts), max(counts)
    return f"{f'{low} to ' if low < high else ''}{high} {noun}{'' if high == 1 else 's'}"


def cell_name(cell: Any) -> str:
    return f"{cell.experiment}/{cell.benchmark}/{cell.method}"


def provenance_record(results: Any, absent: bool = False) -> dict[str, Any]:
    """The same for the sidecar, with commits, seconds, and every cell's name."""
    present = [cell for cell in results.cells if cell.present and not absent]
    return {
        "scale": scale_text(results) if results.cells else "",
        "scales": {cell.experiment: results.scale(cell.experiment) for cell in results.cells},
        "reduced": bool(results.reduced),
        "runs": runs_text(present) if results.cells else "",
        "commits": sorted({cell.commit for cell in present if cell.commit}),
        "wall_seconds": float(sum(cell.wall_seconds for cell in present)),
        "cells": len(results.cells),
        "raw": [cell.path for cell in present],
        "stale": [cell_name(cell) for cell in present if cell.stale],
        "missing": [cell_name(cell) for cell in results.cells if not cell.present],
    }


def _some(names: list[str]) -> str:
    rest = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {rest} more" if rest > 0 else "")
