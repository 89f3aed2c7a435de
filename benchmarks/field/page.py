"""The table in `docs/which-method.md`: mean ranks and regrets on both kinds of problems, and seconds."""

from __future__ import annotations

import pandas as pd

from benchmarks.field.methods import PEERS

NAMES = {"optuna_tpe": "Optuna's TPE", "optuna_gp": "Optuna's GP", "smac": "SMAC", "botorch": "BoTorch", "hebo": "HEBO"}
NAMES["random"] = "random search"
KINDS = {"real": "tuning problems", "bbob": "BBOB functions"}


def shown_first(summaries: dict[int, dict[str, pd.DataFrame]]) -> int:
    """The checkpoint at which most runs are ranked, of several the last one."""
    return max(summaries, key=lambda at: (sum(_runs(each) for each in summaries[at].values()), at))


def tables(summaries: dict[int, dict[str, pd.DataFrame]], everyone: dict[str, pd.DataFrame]) -> str:
    """The tables by checkpoint: the one at which most runs are ranked, and the later ones.

    Args:
        summaries: Rankings of each kind of problems, by checkpoint.
        everyone: Those of all methods at the first of these checkpoints, with the seeds that all have. The last table
            is of those that rank a method that the others leave out.
    """
    first = shown_first(summaries)
    shown = [table(by_kind, at) for at, by_kind in summaries.items() if at >= first and by_kind]
    if more := fuller(everyone, summaries[first]):
        shown.append(table(more, first))
    return "\n\n".join(shown)


def fuller(everyone: dict[str, pd.DataFrame], ranked: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The kinds of problems on which `everyone` has methods that `ranked` leaves out."""
    return {kind: summary for kind, summary in everyone.items() if len(summary) > len(ranked.get(kind, ()))}


def _runs(summary: pd.DataFrame) -> int:
    return int(summary["problems"].iloc[0] * summary["seeds"].iloc[0])


def table(summaries: dict[str, pd.DataFrame], checkpoint: int) -> str:
    """The table in Markdown, the best mean rank on tuning problems first, below a sentence on what was run."""
    sizes = [
        f"{summary['problems'].iloc[0]} {KINDS[kind]} (seeds: {summary['seeds'].iloc[0]})"
        for kind, summary in summaries.items()
    ]
    heads = ["", *(head for kind in summaries for head in (f"mean rank, {KINDS[kind]}", "regret")), "seconds"]
    lines = [" | ".join(heads), " | ".join([":--", *["--:"] * (len(heads) - 1)])]
    for name in dict.fromkeys(name for each in summaries.values() for name in each.sort_values("rank").index):
        cells = [NAMES[name] if name in (*PEERS, "random") else f"`{name}`"]
        for summary in summaries.values():
            cells += _cells(summary, name)
        seconds = sorted(summary.loc[name, "seconds"] for summary in summaries.values() if name in summary.index)
        cells.append(" to ".join(dict.fromkeys(f"{each:.1g}" for each in (seconds[0], seconds[-1]))))
        lines.append(" | ".join(cells))
    return f"After {checkpoint} evaluations on {' and '.join(sizes)}:\n\n" + "\n".join(f"| {line} |" for line in lines)


def _cells(summary: pd.DataFrame, name: str) -> list[str]:
    if name not in summary.index:
        return ["not run", ""]
    row = summary.loc[name]
    return [f"{row['rank']:.2f} [{row['rank_low']:.2f}, {row['rank_high']:.2f}]", f"{row['regret']:.2g}"]
