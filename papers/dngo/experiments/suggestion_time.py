"""Fig 1: how long a suggestion takes."""

from __future__ import annotations

import pandas as pd

from core.experiment.context import Context
from core.experiment.suggestion_time import measure_suggestions
from papers.dngo.settings import SuggestionTime


def suggestion_time(context: Context[SuggestionTime]) -> pd.DataFrame:
    """Fig 1: seconds of one suggestion by repetition and number of observations; see `measure_suggestions`."""
    return measure_suggestions(context)
