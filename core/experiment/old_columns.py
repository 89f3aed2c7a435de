"""Old names of columns: records of searches had schemas of their own before there was one (`core.experiment.search`).

Files that were written then are not rewritten, which would repeat them in the repository's history. They are read with
today's names, so that figures, tables, checks, experiments and reruns know one schema.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

OLD_COLUMNS: tuple[tuple[frozenset[str], Mapping[str, str]], ...] = (
    (  # incumbents over the time of a search whose proposals count (Fabolas, and BOHB's support vector machines)
        frozenset({"time", "evaluations", "evaluation_seconds", "overhead", "share"}),
        {"time": "finished", "evaluations": "evaluation", "overhead": "proposal_seconds", "share": "budget"},
    ),
    (  # incumbents over the time of a search on a simulated clock (BOHB)
        frozenset({"time", "evaluations", "budget", "loss"}),
        {"time": "finished", "evaluations": "evaluation"},
    ),
    (  # incumbents on tables of trained networks (tabular, LC-Net)
        frozenset({"evaluation", "seconds", "loss", "regret"}),
        {"seconds": "finished"},
    ),
    (  # evaluations that train networks (ABLR)
        frozenset({"evaluation", "loss", "train_error", "seconds"}),
        {"seconds": "cost"},
    ),
    (  # queries in batches (regret of neural networks)
        frozenset({"iteration", "regret", "minimum_regret"}),
        {"iteration": "evaluation"},
    ),
)
"""For each old schema, the columns by which it is known, and today's names of those that have another."""


def todays_names(columns: Collection[str]) -> list[str]:
    """Today's names of the columns of a file that was written with old ones; others keep their names."""
    renamed = next((names for known, names in OLD_COLUMNS if known <= set(columns)), {})
    return [renamed.get(name, name) for name in columns]
