"""The runs on the tables of chapter 7: Hyperband with LC-Net, and that chapter's of Hyperband and BOHAMIANN."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report import NotRunError
from core.report.runs.memo import once
from core.tabular.values import LABELS

EXPERIMENTS = ("tables", "tabular/methods", "tabular/bohamiann")
METHODS = ("hyperband", "hyperband_lcnet", "bohamiann")
"""Those of Figs 5.7 and B.3."""
SHOWN = ("protein", "slice_localization")
"""The sets of Fig 5.7."""


@once
def table_runs(results: Results) -> pd.DataFrame:
    """benchmark, method, run, `time` in seconds and regret of the three methods.

    Raises:
        NotRunError: none of them was run.
    """
    frames = [results.frame(name) for name in EXPERIMENTS]
    frame = pd.concat([each for each in frames if len(each)] or frames[:1], ignore_index=True)
    frame = frame[frame["method"].isin(METHODS)]
    if frame.empty:
        raise NotRunError(EXPERIMENTS[0])
    return frame.rename(columns={"seconds": "time"})


def sets_run(frame: pd.DataFrame) -> list[str]:
    """The thesis' data sets on which any of the methods was run, or others where only these were."""
    ran = set(frame["benchmark"].unique())
    return [name for name in LABELS if name in ran] or sorted(ran)
