"""The toy paper's experiment. Tests in other processes watch and hold it through environment variables.

TOY_LOG: a file that gets one line a call, `process id, cell, first repetition`.
TOY_HOLD: a path; the call of the repetition TOY_HOLD_AT makes `<path>.reached` and waits until the path exists.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.experiment.finished import require_file


def fit(context: Context) -> pd.DataFrame:
    """One row a repetition: a target that the methods share, an estimate of their own, and the seconds it took."""
    _be_watched(context)
    start = time.perf_counter()
    settings = context.settings
    for needed in context.cell.needs:
        require_file(needed, context.root)
    rows = []
    for run, shared, own in zip(
        context.runs, context.shared_seeds("target"), context.method_seeds("noise"), strict=True
    ):
        target = np.random.default_rng(shared).normal()
        draws = settings.slope * target + settings.noise * np.random.default_rng(own).normal(size=settings.points)
        rows.append({"run": run, "target": target, "estimate": draws.mean(), "count": len(draws), "draws": draws})
        context.progress((run - context.runs.start + 1) / len(context.runs))
    if context.cell.attachment:
        context.attachment.parent.mkdir(parents=True, exist_ok=True)
        np.savez(context.attachment, targets=[row["target"] for row in rows])
    return pd.DataFrame(rows).assign(seconds=time.perf_counter() - start)


def _be_watched(context: Context) -> None:
    if "TOY_LOG" in os.environ:
        with open(os.environ["TOY_LOG"], "a") as log:
            log.write(f"{os.getpid()} {context.cell.name} {context.runs.start}\n")
    if "TOY_HOLD" in os.environ and context.runs.start == int(os.environ["TOY_HOLD_AT"]):
        hold = Path(os.environ["TOY_HOLD"])
        hold.with_suffix(".reached").touch()
        while not hold.exists():
            time.sleep(0.01)
