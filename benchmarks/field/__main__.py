"""Compare searches on functions and tuning problems: `python -m benchmarks.field`.

Without arguments it prints the tables of the shipped results. `run` makes the runs that are missing, in an order that
finishes problem by problem, and `--ship` writes them to the shipped file:

    python -m benchmarks.field run --part development --methods gp random optuna_tpe --seeds 3
    python -m benchmarks.field --own --part development
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable

import pandas as pd
import torch
from rich.console import Console
from rich.table import Table

from benchmarks.field import page, runs, scores
from benchmarks.field.figure import draw
from benchmarks.field.split import KINDS, PARTS, problems
from papers.commands.readme import with_block

METHODS = ["gp", "gp_mcmc", "tpe", "rf", "cmaes", "random", "optuna_tpe", "optuna_gp"]
METHODS += ["smac", "botorch", "hebo"]
FIGURE = runs.ROOT / "figures" / "readme" / "field.png"
PAGE = runs.ROOT / "docs" / "which-method.md"
COMMAND = "python -m benchmarks.field --figure"


def main() -> None:
    """Run, or print tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.field", description=__doc__.splitlines()[0])
    parser.add_argument("action", nargs="?", choices=["run", "show"], default="show")
    parser.add_argument("--part", choices=PARTS, default="reported")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--problems", nargs="+", help="names, in place of those of the part")
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds (default: 5)")
    parser.add_argument("--evaluations", type=int, default=100)
    parser.add_argument("--own", action="store_true", help="show your own runs rather than the shipped ones")
    parser.add_argument("--figure", action="store_true", help=f"also draw {FIGURE.name} and write {PAGE.name}")
    parser.add_argument("--ship", action="store_true", help="write your own runs to the shipped file")
    options = parser.parse_args()
    torch.set_num_threads(1)
    console = Console(width=120)
    if options.action == "run":
        warnings.simplefilter("ignore")
        names = options.problems or [name for kind in options.kinds for name in problems(options.part, kind)]
        for line in runs.run_all(names, options.methods, list(range(options.seeds)), options.evaluations):
            console.print(line, highlight=False)
        return
    if options.ship:
        runs.ship()
    frame = runs.collected() if options.own else runs.shipped()
    chosen = frame, options.part, options.methods, options.kinds
    summaries = {checkpoint: ranked(*chosen, checkpoint) for checkpoint in runs.CHECKPOINTS}
    for kind in options.kinds:
        shown: set[str] = set()
        for checkpoint, by_kind in summaries.items():
            if kind in by_kind:
                console.print(table(by_kind[kind], f"{kind}, {options.part}: after {checkpoint} evaluations"))
                shown |= set(by_kind[kind].index)
        ran = set(frame.loc[frame["problem"].isin(problems(options.part, kind)), "method"])
        if left := sorted(set(options.methods) & ran - shown):
            console.print(f"on too few problems or with too few seeds, and left out: {', '.join(left)}\n")
    at = page.shown_first(summaries)
    everyone = ranked(*chosen, at, seeds=1)
    for kind, summary in page.fuller(everyone, summaries[at]).items():
        console.print(table(summary, f"{kind}, {options.part}: all methods after {at} evaluations"))
    if options.figure:
        draw(summaries[at], at, FIGURE)
        text = page.tables(summaries, everyone)
        PAGE.write_text(with_block(PAGE.read_text(), "table", text, COMMAND, PAGE.name))


def ranked(
    rows: pd.DataFrame, part: str, methods: list[str], kinds: Iterable[str], checkpoint: int, seeds: int = scores.SEEDS
) -> dict[str, pd.DataFrame]:
    """The summary of each kind of problems of which there are runs that long, with so many seeds."""
    summaries = {}
    for kind in kinds:
        of_kind = rows[rows["problem"].isin(problems(part, kind))]
        if names := scores.compared(of_kind, methods, checkpoint, seeds):
            summaries[kind] = scores.summary(of_kind, names, checkpoint)
    return summaries


def table(summary: pd.DataFrame, title: str) -> Table:
    """Ranks and regrets as `scores.summary` has them."""
    sizes = f"{summary['problems'].iloc[0]} problems, {summary['seeds'].iloc[0]} seeds"
    shown = Table(title=f"{title} ({sizes})")
    for column in ("method", "mean rank", "regret", "seconds a suggestion"):
        shown.add_column(column, justify="left" if column == "method" else "right")
    for name, row in summary.iterrows():
        rank = f"{row['rank']:.2f} [{row['rank_low']:.2f}, {row['rank_high']:.2f}]"
        regret = f"{row['regret']:.3g} [{row['regret_low']:.2g}, {row['regret_high']:.2g}]"
        shown.add_row(str(name), rank, regret, f"{row['seconds']:.4f}")
    return shown


if __name__ == "__main__":
    main()
