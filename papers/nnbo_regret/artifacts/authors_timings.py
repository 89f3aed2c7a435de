"""The timings that the authors published beside their code, where the data are at hand (see `core.data`)."""

from __future__ import annotations

import pandas as pd

from core.data import DataUnavailableError, load_frame

EVALUATION_SECONDS = 2.0


def authors_seconds() -> dict[str, pd.DataFrame]:
    """Seconds until each evaluation, by mode ("sequential", "parallel"): one row per evaluation, one column per run.

    Empty where the data are missing; they cannot be downloaded.
    """
    try:
        frame = load_frame("brofos_parallel_times", download=False)
    except DataUnavailableError:
        return {}
    modes = frame.groupby("mode")
    return {mode: rows.pivot(index="evaluation", columns="run", values="seconds") for mode, rows in modes}
