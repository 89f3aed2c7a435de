"""Fig 1: how long a suggestion takes."""

from __future__ import annotations

import pandas as pd

from core.benchmarks.synthetic import lookup
from core.experiment.context import Context
from core.experiment.suggestion_time import measure_suggestions
from core.spaces import CubeEncoding
from core.study import method_of
from papers.dngo.settings import SuggestionTime


def suggestion_time(context: Context[SuggestionTime]) -> pd.DataFrame:
    """Fig 1: seconds of one suggestion by repetition and number of observations; see `measure_suggestions`."""
    function = lookup(context.benchmark)
    method = method_of({"method": context.settings.model, "maximizer": "gradient"})
    return measure_suggestions(context, method.policy(CubeEncoding(function.space), context.device), function)
