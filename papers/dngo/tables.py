"""DNGO's tables: HPOlib's problems (1), models of captions (2 and 7), and convolutional networks (3 to 6)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import NotRunError, Published, ReportTable, Verdict, compare_table, frame_of, spec_table
from core.report.runs.trajectories import incumbent, per_run
from core.report.style import data_set_names
from core.report.tables.compare import SAMPLE_COLUMNS, bounds, described, out_of_reach
from core.report.verdicts.names import published_names
from papers.dngo.runs import HPOLIB, IMAGES, PRINTED, REPEATING, hpolib_runs, searched

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

PROBLEMS = {
    **data_set_names(("branin", "hartmann6")),
    "logistic_regression": "Logistic regression on grid",
    "lda_on_grid": "LDA on grid",
    "svm_on_grid": "SVM on grid",
}
OPTIMIZERS = {
    "smac": "SMAC",
    "rf": "RF-BO (ours only)",
    "tpe": "TPE",
    "gp": "GP, input-warped",
    "gp_raw": "GP, unscaled (ours only)",
    "dngo": "DNGO",
    "dngo_updates": "DNGO, 1,000 updates (ours only)",
    f"dngo{REPEATING}": "DNGO, may repeat (ours only)",
}
DNGOS = ("dngo", "dngo_updates", f"dngo{REPEATING}")
VARIANTS = {"gp_raw": "hpolib", "dngo_updates": "hpolib", f"dngo{REPEATING}": "hpolib_unseen"}
"""Variants of ours and the experiments on whose problems alone they were run."""

PERCENT = ("logistic_regression", "svm_on_grid")
ROWS = {"logistic_regression_on_grid": "logistic_regression"}
"""Rows of the problems that the paper searched under another name."""
QUOTED_MODELS = {
    "human_expert": "LBL tuned by a human expert",
    "regularized_lstm": "Regularized LSTM",
    "soft_attention": "Soft-attention LSTM",
    "lstm_10": "10 LSTM ensemble",
    "hard_attention": "Hard-attention LSTM",
}
MODELS = {
    "published": "LBL with the printed optimum (ours only)",
    "single": "Single LBL",
    "ensemble_2": "2 LBL ensemble",
    "ensemble_3": "3 LBL ensemble",
}
BLEU = {"bleu": "test BLEU-4"}
OTHER_DATA = "Flickr8k with features of thumbnails, not COCO with those of a network trained on ImageNet"

OF_HYPERPARAMETERS = {"support": "support", "log": "logarithmic", "condition": "condition", "optimum": "optimum"}
HYPERPARAMETERS = {
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
SMALL = 0.01  # ranges below it are printed as powers of ten
LAYERS = tuple(f"layer_{number}" for number in range(1, 13))
OF_LAYERS = {"type": "layer type", "filters": "filters", "window": "window", "stride": "stride"}
QUOTED_NETWORKS = {
    "maxout": "Maxout",
    "dropconnect": "DropConnect",
    "network_in_network": "Network in network",
    "deeply_supervised": "Deeply supervised",
    "all_cnn": "ALL-CNN",
}
NETWORKS = QUOTED_NETWORKS | {"dngo": "Tuned CNN", "printed": "Tuned CNN, Table 6's hyperparameters (ours only)"}
SMALLER = "a smaller network on smaller images, a tenth of the images and fewer epochs: errors are others"
ANOTHER = "an optimum of another search: what it found cannot be wrong"
BOUNDS = {"lower": "lower bound", "upper": "upper bound"}
OPTIMA = {f"{name}_optimum": f"{label} optimum" for name, label in IMAGES.items()}
CORRUPTION = {
    "momentum": "momentum, M",
    "learning_rate": "learning rate, L",
    "deviation": "initialization deviation",
    "input_deviation": "input initialization deviation",
    "hue_shift": "hue shift, B_H",
    "saturation_scale": "saturation scale, A_S",
    "saturation_shift": "saturation shift, B_S",
    "value_scale": "value scale, A_V",
    "value_shift": "value shift, B_V",
    "pixel_dropout": "pixel dropout, D_0",
    "scaling": "scaling, S",
    "weight_decay": "L2 weight decay, W",
    "dropout_1": "dropout 1, D_1",
    "dropout_2": "dropout 2, D_2",
}


@published_names(rows=PROBLEMS, columns=OPTIMIZERS)
def table1(results: Results, published: Published) -> ReportTable:
    """DNGO Table 1: the smallest loss found, problems by methods."""
    samples = _smallest_losses(hpolib_runs(results), published)
    table = compare_table(
        samples,
        published,
        direction="lower",
        reduced=_cells(hpolib_runs(results)) - _cells(hpolib_runs(results.whole_cells())),
        rows=list(PROBLEMS),
        columns=list(OPTIMIZERS),
        baselines=[name for name in OPTIMIZERS if name not in DNGOS],
        metric="smallest loss found: function values, validation error in percent, perplexity",
        format=".3f",
        row_header="Problem",
        row_labels=PROBLEMS,
        column_labels=OPTIMIZERS,
        caption=(
            "Our losses are rounded run by run to the decimals with which the problem's most exact loss is printed, "
            "since the published optima are rounded too. Logistic regression is on HPOlib's grid of 9,680 settings, "
            f"whose smallest loss is 6.85; losses are those after the published {PRINTED} evaluations. On grids our "
            "own methods propose no cell twice; DNGO that may is a variant. Two variants are on functions only: a "
            "Gaussian process whose targets lose their mean but are not scaled, and DNGO with more updates of its "
            "network. Our forest is not SMAC."
        ),
    )
    absent = {(row, name) for row, name in table.cells if name in VARIANTS and row not in HPOLIB[VARIANTS[name]]}
    cells = {key: replace(cell, verdict=None) if key in absent else cell for key, cell in table.cells.items()}
    return replace(table, cells=cells, turned=True)


def _cells(frame: pd.DataFrame) -> set[tuple[str, str]]:
    """The row and the column of all runs."""
    return {(ROWS.get(problem, problem), method) for problem, method in zip(frame["benchmark"], frame["method"])}


def _smallest_losses(frame: pd.DataFrame, published: Published) -> pd.DataFrame:
    """The samples of `compare_table`: row, column, run, value, status."""
    parts = [pd.DataFrame(columns=["row", "column", "run", "value", "status"])]
    for problem, method in frame[["benchmark", "method"]].drop_duplicates().itertuples(index=False):
        if method not in OPTIMIZERS:
            continue
        row = ROWS.get(problem, problem)
        best = incumbent(per_run(frame, "loss", problem, method))[:, -1] * (100 if row in PERCENT else 1)
        if (row, method) in published.cells:
            printed = [cell.text for (problem, _), cell in published.cells.items() if problem == row]
            best = best.round(max(len(text.partition(".")[2]) for text in printed))  # as many decimals as are printed
        part = {"row": row, "column": method, "run": np.arange(len(best)), "value": best, "status": "ok"}
        parts.append(pd.DataFrame(part))
    return pd.concat(parts[1:] or parts, ignore_index=True)


@published_names(rows=[*QUOTED_MODELS, *MODELS], columns=BLEU)
def table2(results: Results, published: Published) -> ReportTable:
    """DNGO Table 2: BLEU-4 on test images of single models and ensembles."""
    frame = results.frame("caption_models")
    table = compare_table(
        _samples(frame),
        published,
        direction="higher",
        reduced=results.reduced,
        rows=[*QUOTED_MODELS, *MODELS],
        columns=list(BLEU),
        quoted_rows=list(QUOTED_MODELS),
        metric="BLEU-4 of test captions, percent",
        format=".1f",
        row_header="Model",
        row_labels=QUOTED_MODELS | MODELS,
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


@published_names(rows=HYPERPARAMETERS, columns=OF_HYPERPARAMETERS)
def table7(results: Results, published: Published) -> ReportTable:
    """DNGO Table 7, from the space of core.objectives.spaces, with the optima of our searches."""
    from core.objectives.spaces import caption_space  # imports ConfigSpace, which few drawings need

    frame_of(results, "captions")  # not run: not drawn
    space = caption_space()
    ours = pd.DataFrame({"support": map(_support, space.values())}, index=list(space)).loc[list(HYPERPARAMETERS)]
    ours["log"] = ["yes" if getattr(space[name], "log", False) else "no" for name in HYPERPARAMETERS]
    ours["condition"] = [_condition(space, name) for name in HYPERPARAMETERS]
    try:
        best = searched(results, "dngo").sort_values("bleu", kind="stable").iloc[-1]
        ours["optimum"] = [_value(best[name], active=name != "factors" or best[name] > 0) for name in HYPERPARAMETERS]
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
        row_labels=HYPERPARAMETERS,
        column_labels=OF_HYPERPARAMETERS,
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
        return "-"
    return f"{value:.5g}" if isinstance(value, float) else str(value)


@published_names(rows=LAYERS, columns=OF_LAYERS)
def table3(results: Results, published: Published) -> ReportTable:
    """DNGO Tables 3 and 5, read off our own network as it passes windows of 27 x 27 pixels on."""
    from core.vision.all_convolutional import WINDOW, described_layers  # torch, which drawing does without

    rows = described_layers(classes=(10, 100), size=WINDOW)
    ours = pd.DataFrame(
        [row._asdict() for row in rows], index=[f"layer_{number}" for number in range(1, len(rows) + 1)]
    )
    return spec_table(
        ours,
        published,
        caption=(
            f"Layers of our network for windows of {WINDOW} x {WINDOW} pixels; each convolution is followed by a relu. "
            "The softmax is part of the loss."
        ),
        row_header="Layer",
        row_labels={name: name.removeprefix("layer_") for name in LAYERS},
        column_labels=OF_LAYERS,
    )


@published_names(rows=NETWORKS, columns=IMAGES)
def table4(results: Results, published: Published) -> ReportTable:
    """DNGO Table 4: test errors in percent of the best networks of the searches."""
    frame = results.frame("networks_retrained")
    samples = pd.DataFrame(columns=list(SAMPLE_COLUMNS))
    if not frame.empty:
        columns = {"row": frame["method"], "column": frame["benchmark"], "value": 100 * frame["test_error"]}
        samples = pd.DataFrame({**columns, "run": frame["run"], "status": frame["status"]})
    table = compare_table(
        samples,
        published,
        direction="lower",
        reduced=results.reduced,
        rows=tuple(NETWORKS),
        columns=tuple(IMAGES),
        quoted_rows=tuple(QUOTED_NETWORKS),
        metric="test error in percent",
        format=".2f",
        caption=(
            "Networks of the smallest validation error that DNGO found, and with the hyperparameters that Table 6 "
            "prints, trained on the images for training and validation, predictions averaged over corruptions."
        ),
        row_header="Method",
        row_labels=NETWORKS,
        column_labels=IMAGES,
    )
    return out_of_reach(table, SMALLER)


@published_names(rows=CORRUPTION, columns=(*BOUNDS, *OPTIMA))
def table6(results: Results, published: Published) -> ReportTable:
    """DNGO Table 6: the space, compared with ours, and the optima beside what our searches found."""
    from core.objectives.spaces import corrupted_images_space  # ConfigSpace, as above

    frame = frame_of(results, "networks")
    space = corrupted_images_space()
    ours = described(space)[list(BOUNDS)]
    for name in IMAGES:
        ours[f"{name}_optimum"] = _optimum(frame, name, list(space))
    table = spec_table(
        ours,
        published,
        caption=(
            "Ranges of our space, compared with the printed ones; optima of our searches beside those of theirs. "
            "Momentum is 1 - 0.1^M, the learning rate 0.1^L, the weight decay 0.1^W. The printed deviation of "
            "CIFAR-100 lies outside of its range."
        ),
        row_header="Hyperparameter",
        row_labels=CORRUPTION,
        column_labels={**BOUNDS, **OPTIMA},
    )
    cells = {
        key: replace(cell, verdict=cell.verdict.outside(ANOTHER) if cell.text else None) if key[1] in OPTIMA else cell
        for key, cell in table.cells.items()
    }
    return replace(table, cells=cells)


def _optimum(frame: pd.DataFrame, name: str, hyperparameters: list[str]) -> dict[str, str]:
    """The best configuration of all runs on a set, as text; empty where it was not run."""
    rows = frame[(frame["benchmark"] == name) & (frame["status"] == "ok")]
    if rows.empty:
        return dict.fromkeys(hyperparameters, "")
    best = rows.loc[rows["loss"].idxmin()]
    return {each: f"{best[each]:.5g}" for each in hyperparameters}
