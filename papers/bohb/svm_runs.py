"""The runs of Fig 6.3: BOHB and Hyperband of this paper, the other methods of Fabolas' paper on the same surrogate."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report.runs.frames import frame_of
from core.report.runs.memo import once
from papers.bohb.names import SVM_SEARCHES


@once
def svm_runs(results: Results) -> pd.DataFrame:
    """All of them in one frame.

    Fabolas' paper follows 4.5, where Hyperband's incumbent is the best on all of the data; 6.4.2.1 retrains that on any
    share, so its runs are this paper's.

    Raises:
        NotRunError: BOHB and Hyperband were not run.
    """
    ours = frame_of(results, "svm_surrogate")
    others = results.frame(SVM_SEARCHES)
    if others.empty:
        return ours
    return pd.concat([ours, others[others["method"] != "hyperband"]], ignore_index=True)
