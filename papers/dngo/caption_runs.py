"""Records of the searches for caption models and of their captions, as figures and claims read them (section 4.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from core.captions.bleu import COUNTS, bleu_of
from core.report import NotRunError, frame_of
from core.report.runs.frames import cell_rows
from core.report.runs.trajectories import per_run

SEARCH, MODELS = "captions", "caption_models"
SEARCHES = ("dngo", "random")
REASONS = {"too large": "too large", "too slow": "too slow", "diverged": "diverged"}
"""How the message of a constraint violation begins, and the words for it."""


def searched(results: Any, method: str) -> pd.DataFrame:
    """The evaluations of a method's searches; raises NotRunError without any."""
    frame = frame_of(results, SEARCH)
    return cell_rows(frame, str(frame["benchmark"].iloc[0]), method)


def scores(results: Any, method: str) -> np.ndarray:
    """BLEU of each search's models in the order in which they finished, (runs, evaluations)."""
    rows = searched(results, method)
    return per_run(rows, "bleu", str(rows["benchmark"].iloc[0]), method)


def failed(results: Any, method: str) -> np.ndarray:
    """Whether they violate a constraint, (runs, evaluations)."""
    rows = searched(results, method)
    rows = rows.assign(failed=(rows["status"] == "failed").astype(float))
    return per_run(rows, "failed", str(rows["benchmark"].iloc[0]), method) > 0


def best_so_far(bleu: np.ndarray) -> np.ndarray:
    """The highest of scores (runs, n) so far."""
    return np.maximum.accumulate(bleu, axis=-1)


def captioned(results: Any, method: str) -> pd.DataFrame:
    """The captions of test images by models; raises NotRunError without any."""
    frame = frame_of(results, MODELS)
    return cell_rows(frame, str(frame["benchmark"].iloc[0]), method)


def counts_of(results: Any, method: str, prefix: str = "") -> np.ndarray:
    """The n-gram counts of test captions, (images, runs, 10): `core.captions.bleu.COUNTS`.

    Args:
        prefix: "other_" for those with the captions of other images as references.
    """
    rows = captioned(results, method).sort_values(["run", "image"], kind="stable")
    runs = rows["run"].nunique()
    if len(rows) % runs:
        raise NotRunError(f"{MODELS}: runs of other images")
    values = rows[[f"{prefix}{name}" for name in COUNTS]].to_numpy(np.int64)
    return values.reshape(runs, -1, len(COUNTS)).transpose(1, 0, 2)


def mean_bleu(drawn: np.ndarray) -> np.ndarray:
    """BLEU of counts (batch, images, runs, 10), averaged over the runs: (batch,). A statistic for the bootstrap."""
    return bleu_of(drawn.transpose(0, 2, 1, 3)).mean(-1)
