"""How many faults each test injects. The README states their sum, and that no record was lost in any of them.

A test takes its number from here, injects exactly as many, and ends with the records of an undisturbed run.
"""

from __future__ import annotations

KILLS = {
    "papers run": 4,
    "snakemake": 4,
    "a cell": 20,
    "minimize with checkpoints": 14,
    "minimize with a model": 8,
}
"""SIGKILLs at random moments."""

DEATHS = {
    "a worker of random search": 1,
    "workers of hyperband": 2,
    "workers of a cluster": 2,
    "all workers of a cluster": 3,
    "a scheduler": 1,
    "the only process": 9,
}
"""Processes that evaluations kill, in test_killed_worker.py and test_dask_cluster.py."""

FAULTS = {
    **{f"kills of {name}": number for name, number in KILLS.items()},
    **{f"deaths of {name}": number for name, number in DEATHS.items()},
    "answers of a mirror": 420,
    "cells that find no room": 30,
    "journals that find no room": 60,
    "full disks": 15,
    "read-only disks": 13,
    "commands at once": 4,
    "searches at once": 8,
    "forked children that return": 9,
    "children of workers that return": 2,
    "journals that vanish": 24,
    "signals that end a process": 12,
    "jumps of the clock": 40,
    "evaluations that hang": 12,
    "damaged records": 60,
    "damaged shards": 60,
    "damaged journals": 120,
    "damaged states of trainings": 60,
    "damaged states of optimizers": 60,
}
"""What is injected, and how often."""
