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

FAULTS = {
    **{f"kills of {name}": number for name, number in KILLS.items()},
    "answers of a mirror": 420,
    "cells that find no room": 30,
    "journals that find no room": 60,
    "full disks": 15,
    "read-only disks": 13,
}
"""What is injected, and how often."""
