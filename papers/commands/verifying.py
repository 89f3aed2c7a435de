"""`python -m papers verify` and `promote`: shipped runs are rerun and compared; your own become shipped ones."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from core.experiment.cells import Cell
from core.experiment.costs import in_words
from core.experiment.paper import Papers
from core.experiment.schema import SCALES
from core.experiment.selection import find_cells
from core.foundation.errors import UserError
from core.foundation.progress import prompt_interruption

NOT_CHECKED = "not checked"


def verify(papers: Papers, options: argparse.Namespace, console: Console) -> int:
    """Rerun shards of every named experiment; exit status 1 if one differs from what is shipped or none was checked."""
    from core.experiment.verify import choose, shipped_shards

    if options.shards < 1:
        raise UserError(f"--shards {options.shards}: must be at least 1")
    if not options.longest > 0:
        raise UserError(f"--longest {options.longest:g}: must be a number of seconds above 0")
    shards = shipped_shards(_cells(papers, options.name), papers.root)
    if not shards:
        raise UserError(f"{options.name}: none of its cells is shipped; see python -m papers list")
    chosen, skipped = choose(shards, options.shards, options.seed, options.longest)
    for name, seconds in skipped.items():
        why = "it ran on a device, and verify reruns on CPUs"
        if math.isfinite(seconds):
            why = f"its shortest shard takes {in_words(seconds)}; allow it with --longest"
        console.print(f"{name}: {NOT_CHECKED}, {why}", markup=False, soft_wrap=True)
    expected = in_words(sum(shard.seconds for shard in chosen))
    text = f"{len(chosen)} of {len(shards)} shards to rerun (seed {options.seed}), about {expected} by their records"
    console.print(text, soft_wrap=True)
    counts: Counter[str] = Counter()
    with prompt_interruption("interrupted"):
        for number, shard in enumerate(chosen, start=1):
            agreement, text = _verified(papers, shard)
            counts[agreement] += 1
            console.print(f"[{number}/{len(chosen)}] {shard.name}: {text}", markup=False, soft_wrap=True)
    counted = ", ".join(f"{count} {agreement}" for agreement, count in counts.most_common())
    checked = counts.total() - counts[NOT_CHECKED]
    console.print(counted if checked else "; ".join(filter(None, [counted, "nothing was checked"])), soft_wrap=True)
    from core.experiment.agreement import DIFFERS

    return 1 if counts[DIFFERS] or not checked else 0


def _verified(papers: Papers, shard) -> tuple[str, str]:
    """The agreement of one shard, and what is printed about it."""
    from core.experiment.verify import verify_shard

    with TemporaryDirectory() as folder:
        try:
            outcome = verify_shard(papers, shard, Path(folder))
        except UserError as error:  # data that are not here
            return NOT_CHECKED, f"{NOT_CHECKED}: {error}"
    remark = f" ({outcome.remark})" if outcome.remark else ""
    return outcome.agreement, f"{outcome.agreement}, {in_words(outcome.seconds)}{remark}"


def _cells(papers: Papers, name: str) -> list[Cell]:
    """The cells that a name matches at any scale.

    Raises:
        UserError: it matches none at any scale.
    """
    cells, errors = [], []
    for scale in SCALES:
        try:
            cells += find_cells(papers, name, scale)
        except UserError as error:
            errors.append(error)
    if not cells:
        raise errors[-1]
    return cells


def promote(papers: Papers, options: argparse.Namespace, console: Console) -> int:
    """Copy finished cells into results/reference; all are checked before the first is copied."""
    from core.experiment.verify import promote as promoted
    from core.experiment.verify import require_promotable

    cells = find_cells(papers, options.name, options.scale)
    for cell in cells:
        require_promotable(cell, papers.root, cells)
    for cell in cells:
        console.print(f"promoted {promoted(cell, papers.root, cells).relative_to(papers.root)}")
    return 0
