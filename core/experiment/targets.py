"""What Snakemake was asked for, as it has read it itself: nothing here looks at the command line."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from core.errors import UnknownNameError
from core.experiment import SCALES, SOURCES

CONFIG = {"scale": SCALES, "runs": SOURCES}


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


def check_config(config: Mapping[str, Any]) -> None:
    """Raise an UnknownNameError for a key of the Snakemake configuration, or a value, that does not exist."""
    for key, value in config.items():
        if key not in CONFIG:
            raise UnknownNameError("configuration key (--config)", key, CONFIG)
        if value not in CONFIG[key]:
            raise UnknownNameError(f"value of --config {key}", str(value), CONFIG[key])
