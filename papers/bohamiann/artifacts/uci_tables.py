"""Likelihoods and errors of Bayesian networks on UCI data sets (NIPS Table 1, thesis Tables 3.1 and 3.2)."""

from __future__ import annotations

import pandas as pd

from core.experiment.results import Results
from core.report.figures.data_sets import data_set_names
from core.report.tables.compare import compare_table, samples_of
from core.report.tables.table import ReportTable
from core.report.verdicts.names import published_names
from core.report.verdicts.published import Published
from papers.bohamiann.sghmc_constants import select_constants

SET_LABELS = data_set_names(("boston", "concrete", "yacht", "wine_red", "power_plant", "diabetes"))
OURS_ONLY = {
    "adaptive_sghmc_raised": "adaptive, friction raised as in the text (ours only)",
    "adaptive_sghmc_text": "adaptive, Eq. 10 and friction as in the text (ours only)",
    "adaptive_sghmc_long_chain": "adaptive, chains of 13,000 steps (ours only)",
    "adaptive_sghmc_class_default": "adaptive, noise prior 1e-4, 0.1 (ours only)",
    "adaptive_sghmc_docstring": "adaptive, noise prior 1e-2, 2 (ours only)",
    "adaptive_sghmc_weak_prior": "adaptive, noise prior 1e-4, 100 (ours only)",
    "adaptive_sghmc_later_code": "adaptive, the authors' later code (ours only)",
}
QUOTED = ("vi", "pbp")
LIKELIHOOD = "log-likelihood in nats per point, of the Gaussian with the ensemble's moments"


@published_names(rows=("sghmc_best_average", "sghmc_tuned", "adaptive_sghmc", *QUOTED))
def table1(results: Results, published: Published) -> ReportTable:
    """NIPS Table 1; both SGHMC rows are chosen from the grid by the mean over the runs, as the caption says."""
    frame = results.frame("uci_nips")
    chosen = select_constants(frame, "log_likelihood")
    adaptive = frame[frame["method"] != "sghmc_grid"]
    shown = pd.concat([adaptive.assign(row=adaptive["method"]), *chosen.rows])
    samples = samples_of(shown, "log_likelihood", row="row")
    return compare_table(
        samples,
        published,
        direction="higher",
        reduced=results.reduced,
        rows=_rows(published, samples),
        columns=_columns(published, samples),
        quoted_rows=QUOTED,
        baselines=("sghmc_best_average", "sghmc_tuned"),
        metric=LIKELIHOOD,
        format=".3f",
        caption="Random 90/10 splits. VI and PBP are quoted from the paper. " + chosen.description,
        row_labels={"adaptive_sghmc": "SGHMC (scale-adapted)", **OURS_ONLY},
        column_labels=SET_LABELS,
    )


def table3_1(results: Results, published: Published) -> ReportTable:
    """Thesis Table 3.1: log-likelihood."""
    return _uci_table(results, published, "log_likelihood", "higher", LIKELIHOOD)


def table3_2(results: Results, published: Published) -> ReportTable:
    """Thesis Table 3.2: root mean squared error of the same runs."""
    return _uci_table(results, published, "rmse", "lower", "RMSE in the target's units")


def _uci_table(results: Results, published: Published, metric: str, direction: str, description: str) -> ReportTable:
    frame = results.frame("uci")
    samples = samples_of(frame, metric)
    return compare_table(
        samples,
        published,
        direction=direction,
        reduced=results.reduced,
        rows=_rows(published, samples),
        columns=_columns(published, samples),
        baselines=[row for row in published.rows if row != "adaptive_sghmc"],
        metric=description,
        caption="Random 90/10 splits.",
        row_labels=OURS_ONLY,
        column_labels=SET_LABELS,
    )


def _rows(published: Published, samples: pd.DataFrame) -> list[str]:
    """The published rows, then those that only we have."""
    return list(dict.fromkeys([*published.rows, *samples["row"]]))


def _columns(published: Published, samples: pd.DataFrame) -> list[str]:
    """The published data sets, then those that only we ran (the bundled one of the smoke scale)."""
    return list(dict.fromkeys([*published.columns, *samples["column"]]))
