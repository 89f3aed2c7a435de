"""The convolutional network of section 4.3: its layers, its hyperparameters and its test errors (Tables 3 to 6)."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from core.experiment.results import Results
from core.report import Published, frame_of
from core.report.tables.compare import SAMPLE_COLUMNS, compare_table, spec_table
from core.report.tables.out_of_reach import out_of_reach
from core.report.tables.spaces import described
from core.report.tables.table import ReportTable
from core.report.verdicts.names import published_names

SETS = {"cifar10": "CIFAR-10", "cifar100": "CIFAR-100"}
LAYERS = tuple(f"layer_{number}" for number in range(1, 13))
PARTS = {"type": "layer type", "filters": "filters", "window": "window", "stride": "stride"}
QUOTED = {
    "maxout": "Maxout",
    "dropconnect": "DropConnect",
    "network_in_network": "Network in network",
    "deeply_supervised": "Deeply supervised",
    "all_cnn": "ALL-CNN",
}
NETWORKS = QUOTED | {"dngo": "Tuned CNN", "printed": "Tuned CNN, Table 6's hyperparameters (ours only)"}
SMALLER = "a smaller network on smaller images, a tenth of the images and fewer epochs: errors are others"
ANOTHER = "an optimum of another search: what it found cannot be wrong"
BOUNDS = {"lower": "lower bound", "upper": "upper bound"}
OPTIMA = {f"{name}_optimum": f"{label} optimum" for name, label in SETS.items()}
HYPERPARAMETERS = {
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


@published_names(rows=LAYERS, columns=PARTS)
def table3(results: Results, published: Published) -> ReportTable:
    """DNGO Tables 3 and 5, read off our own network as it passes windows of 27 x 27 pixels on."""
    from core.vision.networks.all_convolutional import WINDOW, described_layers  # torch, which drawing does without

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
        column_labels=PARTS,
    )


@published_names(rows=NETWORKS, columns=SETS)
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
        columns=tuple(SETS),
        quoted_rows=tuple(QUOTED),
        metric="test error in percent",
        format=".2f",
        caption=(
            "Networks of the smallest validation error that DNGO found, and with the hyperparameters that Table 6 "
            "prints, trained on the images for training and validation, predictions averaged over corruptions."
        ),
        row_header="Method",
        row_labels=NETWORKS,
        column_labels=SETS,
    )
    return out_of_reach(table, SMALLER)


@published_names(rows=HYPERPARAMETERS, columns=(*BOUNDS, *OPTIMA))
def table6(results: Results, published: Published) -> ReportTable:
    """DNGO Table 6: the space, compared with ours, and the optima beside what our searches found."""
    from core.objectives.image_spaces import corrupted_images_space  # ConfigSpace, as above

    frame = frame_of(results, "networks")
    space = corrupted_images_space()
    ours = described(space)[list(BOUNDS)]
    for name in SETS:
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
        row_labels=HYPERPARAMETERS,
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
