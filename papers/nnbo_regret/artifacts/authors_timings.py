"""The timings that the authors published beside their code (Brofos Fig 2a)."""

from __future__ import annotations

import pandas as pd

from core.report.verdicts.published_runs import published_runs

EVALUATION_SECONDS = 2.0


def authors_seconds() -> dict[str, pd.DataFrame]:
    """Seconds until each evaluation, by mode ("sequential", "parallel"): one row per evaluation, one column per run."""
    modes = published_runs("nnbo_regret/fig2a_runs").groupby("mode")
    return {str(mode): rows.drop(columns="mode").set_index("evaluation") for mode, rows in modes}
