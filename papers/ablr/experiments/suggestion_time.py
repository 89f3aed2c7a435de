"""Fig 1, right: how long a suggestion takes."""

from __future__ import annotations

import pandas as pd

from core.benchmarks.synthetic import lookup
from core.experiment.context import Context
from core.experiment.suggestion_time import measure_suggestions
from core.spaces import CubeEncoding
from core.study import method_of
from papers.ablr.settings import SuggestionTime


def suggestion_time(context: Context[SuggestionTime]) -> pd.DataFrame:
    """Seconds of one suggestion by repetition and number of observations; see `measure_suggestions`."""
    settings, function = context.settings, lookup(context.benchmark)
    more = {"representation": settings.representation} if settings.model == "ablr" else {}
    method = method_of({"method": settings.model, **more})
    return measure_suggestions(context, method.policy(CubeEncoding(function.space), context.device), function)
