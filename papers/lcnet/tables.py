"""The spaces of the four collections and the basis functions, from the code, beside those that the thesis prints."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report.tables.compare import BOUNDS, described, spec_table
from core.report.tables.table import ReportTable
from core.report.verdicts.names import published_names
from core.report.verdicts.published import Published
from papers.lcnet.curves import LABELS

NAMES = {
    "batch_size": "batch size",
    "dropout": "dropout rate on inputs",
    "dropout_1": "dropout rate, layer 1",
    "dropout_2": "dropout rate, layer 2",
    "kappa": "kappa",
    "l2": "L2 regularization",
    "latent_dimension": "z dimension",
    "learning_rate": "learning rate",
    "log10_gamma": "logarithm of gamma",
    "momentum": "momentum",
    "samples": "L, samples per image",
    "units": "hidden units",
    "units_1": "units, layer 1",
    "units_2": "units, layer 2",
    "units_3": "units, layer 3",
}


def _ours() -> pd.DataFrame:
    """Bounds of all hyperparameters, by the name of the collection and their own."""
    from core.objectives.spaces import curve_space  # ConfigSpace, which the figures do without

    return pd.concat([described(curve_space(name)).rename(index=f"{name}_{{}}".format) for name in LABELS])


@published_names(rows=lambda: _ours().index, columns=BOUNDS)
def tableB_1(results: Results, published: Published) -> ReportTable:
    """Thesis Table B.1, rendered from `core.objectives.spaces.curve_space`."""
    ours = _ours()
    labels = {row: f"{LABELS[row.split('_', 1)[0]]}: {NAMES[row.split('_', 1)[1]]}" for row in ours.index}
    return spec_table(
        ours,
        published,
        caption="Ranges of the hyperparameters; equal where our space has the published value. The 12^2 units of the "
        "first layer of the FCNet are taken for 2^12, the range of the second.",
        row_header="Hyperparameter",
        row_labels=labels,
        column_labels=BOUNDS,
    )


def _formulas() -> dict[str, str]:
    """The formula of each function by name, and an empty one of the log function, which only the thesis has."""
    from core.models.curves.basis_network import BASIS

    return {function.name: function.formula for function in BASIS} | {"log function": ""}


@published_names(rows=_formulas, columns=("formula",))
def tableB_2(results: Results, published: Published) -> ReportTable:
    """Thesis Table B.2: the _formulas as printed and as coded."""
    ours = pd.DataFrame.from_dict(
        {name: {"formula": text} for name, text in _formulas().items() if text}, orient="index"
    )
    return spec_table(
        ours,
        published,
        caption="The basis functions for a, b, c in [0, 1]. The thesis has five and prints three, none of which is a "
        "residual that vanishes at t = 1; ours are those of the authors' earlier code, made to vanish there.",
        row_header="Function",
        column_labels={"formula": "formula"},
    )
