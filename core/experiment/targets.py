"""What Snakemake was asked for, as it has read it: nothing here looks at the command line."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol


class PlanSettings(Protocol):
    """Those settings of Snakemake that say what is asked for. It has them by the time it calls input functions."""

    targets: Collection[str]
    target_jobs: Collection[object]
    forcerun: Collection[str]
    forceall: bool


@dataclass(frozen=True)
class Asked:
    """Targets, each a file or a name, and whether all that they need is to be made again."""

    targets: tuple[str, ...]
    anew: bool = False

    @classmethod
    def of(cls, settings: PlanSettings) -> Asked:
        """Without a target all is asked for, but nothing where Snakemake has called itself for a job elsewhere."""
        given = settings.targets or ([] if settings.target_jobs else ["all"])
        targets = dict.fromkeys(map(os.path.normpath, [*given, *settings.forcerun]))
        return cls(tuple(targets), settings.forceall)
