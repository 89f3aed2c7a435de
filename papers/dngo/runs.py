"""Runs as drawings and checks read them: of architectures, of HPOlib's problems, and of searches for caption models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from core.captions.vocabulary import COUNTS, bleu_of
from core.experiment.results import Results
from core.report import NotRunError, frame_of, rows_of
from core.report.runs.frames import cell_rows, once
from core.report.runs.trajectories import per_run

SEARCHED = ("layers_1", "layers_2", "layers_3", "layers_4")
"""The searches for an architecture (section 3.1.1) by their depth."""

HPOLIB = {
    "hpolib": ("branin", "hartmann6"),
    "hpolib_gp": ("branin", "hartmann6"),
    "hpolib_grids": ("lda_on_grid", "svm_on_grid"),
    "hpolib_unseen": ("lda_on_grid", "svm_on_grid"),
    "hpolib_logistic": ("logistic_regression_on_grid",),
}
"""The experiments behind Table 1 and their problems; each has its own scales."""
REPEATING = "_repeating"
"""Ends the name of a method that may propose a cell of a grid twice, where there are runs without repetitions."""
PRINTED = 100
"""Evaluations of logistic regression in Table 1."""

IMAGES = {"cifar10": "CIFAR-10", "cifar100": "CIFAR-100"}


def confirmed(results: Results, method: str) -> np.ndarray:
    """Relative losses of the fresh runs of one depth, averaged over functions: (seeds,).

    Raises:
        NotRunError: the cell has no rows.
    """
    rows = rows_of(results, "architecture", method=method, part="confirmation")
    return rows.groupby(["run", "seed"])["loss"].mean().to_numpy()


def best_architecture(results: Results, method: str) -> pd.Series:
    """The architecture that was confirmed: the columns that its number of layers has."""
    rows = rows_of(results, "architecture", method=method, part="confirmation")
    columns = [name for name in rows if name.startswith(("width", "dropout", "decay", "learning_rate", "momentum"))]
    return rows.iloc[0][columns].dropna().astype(float)


def values_of(architecture: pd.Series, kind: str) -> np.ndarray:
    """The architecture's widths, dropouts or decays, in the order of the layers."""
    return architecture[sorted(name for name in architecture.index if name.startswith(kind))].to_numpy()


@once
def hpolib_runs(results: Results) -> pd.DataFrame:
    """Evaluations of all five problems, with the names of methods in Table 1, and on logistic regression as many."""
    frames = {name: results.frame(name) for name in HPOLIB}
    grids, unseen, logistic = (frames[f"hpolib_{name}"] for name in ("grids", "unseen", "logistic"))
    if not grids.empty:
        cells = pd.MultiIndex.from_frame(unseen[["benchmark", "method"]].drop_duplicates())
        repeating = pd.MultiIndex.from_frame(grids[["benchmark", "method"]]).isin(cells)
        grids = grids.assign(method=grids["method"].where(~repeating, grids["method"] + REPEATING))
    if not logistic.empty:
        logistic = logistic[logistic["evaluation"] <= PRINTED]
    return pd.concat((frames | {"hpolib_grids": grids, "hpolib_logistic": logistic}).values(), ignore_index=True)


def searched(results: Any, method: str) -> pd.DataFrame:
    """The evaluations of a method's searches for caption models (section 4.2); raises NotRunError without any."""
    frame = frame_of(results, "captions")
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


def captioned(results: Any, method: str) -> pd.DataFrame:
    """The captions of test images by models; raises NotRunError without any."""
    frame = frame_of(results, "caption_models")
    return cell_rows(frame, str(frame["benchmark"].iloc[0]), method)


def counts_of(results: Any, method: str, prefix: str = "") -> np.ndarray:
    """The n-gram counts of test captions, (images, runs, 10): `core.captions.vocabulary.COUNTS`.

    Args:
        prefix: "other_" for those with the captions of other images as references.
    """
    rows = captioned(results, method).sort_values(["run", "image"], kind="stable")
    runs = rows["run"].nunique()
    if len(rows) % runs:
        raise NotRunError("caption_models: runs of other images")
    values = rows[[f"{prefix}{name}" for name in COUNTS]].to_numpy(np.int64)
    return values.reshape(runs, -1, len(COUNTS)).transpose(1, 0, 2)


def mean_bleu(drawn: np.ndarray) -> np.ndarray:
    """BLEU of counts (batch, images, runs, 10), averaged over the runs: (batch,). A statistic for the bootstrap."""
    return bleu_of(drawn.transpose(0, 2, 1, 3)).mean(-1)
