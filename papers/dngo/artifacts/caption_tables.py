"""DNGO Tables 2 and 7: BLEU of caption models, and the hyperparameters of the log-bilinear model with their optima."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd

from core.experiment.results import Results
from core.report import NotRunError, Published, ReportTable, compare_table, spec_table
from core.report.runs.frames import frame_of
from core.report.tables.compare import SAMPLE_COLUMNS
from core.report.tables.spaces import bounds
from core.report.verdicts.cells import Verdict
from core.report.verdicts.names import published_names
from papers.dngo.caption_runs import MODELS, searched

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

QUOTED = {
    "human_expert": "LBL tuned by a human expert",
    "regularized_lstm": "Regularized LSTM",
    "soft_attention": "Soft-attention LSTM",
    "lstm_10": "10 LSTM ensemble",
    "hard_attention": "Hard-attention LSTM",
}
OURS = {
    "published": "LBL with the printed optimum (ours only)",
    "single": "Single LBL",
    "ensemble_2": "2 LBL ensemble",
    "ensemble_3": "3 LBL ensemble",
}
BLEU = {"bleu": "test BLEU-4"}
OTHER_DATA = "Flickr8k with features of thumbnails, not COCO with those of a network trained on ImageNet"

PARTS = {"support": "support", "log": "logarithmic", "condition": "condition", "optimum": "optimum"}
NAMES = {
    "model": "Model",
    "context_size": "Context size",
    "learning_rate": "Learning rate",
    "momentum": "Momentum",
    "batch_size": "Batch size",
    "hidden_units": "Hidden layer size",
    "embedding_size": "Embedding size",
    "dropout": "Dropout",
    "word_decay": "Word decay",
    "context_decay": "Context decay",
    "factors": "Factors",
}
UNUSED = "-"
SMALL = 0.01  # ranges below it are printed as powers of ten


@published_names(rows=[*QUOTED, *OURS], columns=BLEU)
def table2(results: Results, published: Published) -> ReportTable:
    """DNGO Table 2: BLEU-4 on test images of single models and ensembles."""
    frame = results.frame(MODELS)
    table = compare_table(
        _samples(frame),
        published,
        direction="higher",
        reduced=results.reduced,
        rows=[*QUOTED, *OURS],
        columns=list(BLEU),
        quoted_rows=list(QUOTED),
        metric="BLEU-4 of test captions, percent",
        format=".1f",
        row_header="Model",
        row_labels=QUOTED | OURS,
        column_labels=BLEU,
        caption=(
            f"Ours are of {OTHER_DATA}, so that numbers are not comparable; differences between our rows are. The best "
            "models by validation BLEU of each search, trained again; together they predict with the mean of their "
            "probabilities."
        ),
    )
    cells = {
        key: cell if cell.verdict is None else replace(cell, verdict=cell.verdict.outside(OTHER_DATA))
        for key, cell in table.cells.items()
    }
    return replace(table, cells=cells)


def _samples(frame: pd.DataFrame) -> pd.DataFrame:
    if frame.empty:
        return pd.DataFrame(columns=list(SAMPLE_COLUMNS))
    runs = frame.groupby(["method", "run"], as_index=False, sort=False).agg(
        value=("bleu", "first"), status=("status", "first")
    )
    return runs.rename(columns={"method": "row"}).assign(column="bleu")[list(SAMPLE_COLUMNS)]


def _space() -> ConfigurationSpace:
    from core.objectives.network_spaces import caption_space  # imports ConfigSpace, which few drawings need

    return caption_space()


@published_names(rows=NAMES, columns=PARTS)
def table7(results: Results, published: Published) -> ReportTable:
    """DNGO Table 7, from the space of core.objectives.network_spaces, with the optima of our searches."""
    frame_of(results, "captions")  # not run: not drawn
    space = _space()
    ours = pd.DataFrame({"support": map(_support, space.values())}, index=list(space)).loc[list(NAMES)]
    ours["log"] = ["yes" if getattr(space[name], "log", False) else "no" for name in NAMES]
    ours["condition"] = [_condition(space, name) for name in NAMES]
    try:
        best = searched(results, "dngo").sort_values("bleu", kind="stable").iloc[-1]
        ours["optimum"] = [_value(best[name], active=name != "factors" or best[name] > 0) for name in NAMES]
    except NotRunError:
        ours["optimum"] = ""
    table = spec_table(
        ours,
        published,
        caption=(
            "Ranges as in our space. The optimum is that of the best model of all our searches by validation BLEU, on "
            f"{OTHER_DATA}, beside the printed one."
        ),
        row_header="Hyperparameter",
        row_labels=NAMES,
        column_labels=PARTS,
    )
    cells = {
        key: cell if key[1] != "optimum" else replace(cell, verdict=_of_optimum(cell.text, cell.verdict))
        for key, cell in table.cells.items()
    }
    return replace(table, cells=cells)


def _of_optimum(text: str | None, verdict: Verdict | None) -> Verdict | None:
    return Verdict("not run") if not text else None if verdict is None else verdict.outside(OTHER_DATA)


def _support(hyperparameter: object) -> str:
    """A range in square brackets, or options in curly ones, as printed."""
    for attribute in ("choices", "sequence"):
        if hasattr(hyperparameter, attribute):
            return f"{{{', '.join(map(str, getattr(hyperparameter, attribute)))}}}"
    lower, upper = hyperparameter.lower, hyperparameter.upper
    if upper < SMALL:
        lower, upper = bounds(lower, upper, True, ("10",))
        return f"[{lower}, {upper}]"
    return f"[{lower:g}, {upper:g}]"


def _condition(space: ConfigurationSpace, name: str) -> str:
    conditions = space.parent_conditions_of[name]
    return f"{conditions[0].value} model only" if conditions else "none"


def _value(value: object, active: bool = True) -> str:
    if not active:
        return UNUSED
    return f"{value:.5g}" if isinstance(value, float) else str(value)
