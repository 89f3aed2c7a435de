"""BOHAMIANN's tables: likelihoods and errors on UCI data sets, a space, control agents, residual networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import NotRunError, Published
from core.report.runs.frames import cell_rows, shown_set
from core.report.style import data_set_names
from core.report.tables.compare import (
    BOUNDS,
    SAMPLE_COLUMNS,
    compare_table,
    described,
    out_of_reach,
    samples_of,
    spec_table,
)
from core.report.tables.table import ReportTable
from core.report.verdicts.names import published_names
from papers.bohamiann.checks.models import select_constants
from papers.bohamiann.checks.networks import IMAGES, baseline_error

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

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
METRICS = {"log_likelihood": ("higher", LIKELIHOOD), "rmse": ("lower", "RMSE in the target's units")}
HELD_OUT = ("energy", "parkinsons", "naval")
CONSTANTS = {
    "later_code": "defaults of the later code",
    "friction_raised": "friction raised",
    "without_correction": "without -eps^4",
    "noise_prior_1e-4": "noise prior: median 1e-4",
    "noise_prior_weak": "noise prior: variance 100",
    "burn_in_1000": "burn-in of 1,000 steps",
    "burn_in_10000": "burn-in of 10,000 steps",
    "step_3e-3": "step length 3e-3",
    "step_3e-2": "step length 3e-2",
    "nips_weights": "weights of the NIPS code",
    "one_layer": "one layer",
    "three_layers": "three layers",
    "our_defaults": "our defaults",
}
SEARCHES = ("bohamiann", "dngo", "random")
TASKS = {"swing_up": "Cart-pole swing-up", "reaching": "Two-link reaching"}
AGENTS = {"original": "DDPG", "dngo": "DDPG + DNGO", "bohamiann": "DDPG + BOHAMIANN"}
OF_AGENTS = {
    f"{task}_{value}": f"{label}: {value}" for task, label in TASKS.items() for value in ("reward", "episodes")
}
NETWORKS = {
    "original": "tuned by hand (He et al.)",
    "bohamiann": "BOHAMIANN",
    "dngo": "DNGO",
    "random": "random search",
}
OF_NETWORKS = {
    "test_error": "test error, %",
    "evaluations": "evaluations until the validation error of the network tuned by hand",
}


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


def uci_table(results: Results, published: Published, metric: Literal["log_likelihood", "rmse"]) -> ReportTable:
    """Thesis Tables 3.1 and 3.2: log-likelihood, and root mean squared error of the same runs."""
    samples, (direction, description) = samples_of(results.frame("uci"), metric), METRICS[metric]
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


def held_out(results: Results, published: Published | None) -> ReportTable:
    """Log-likelihoods on sets that the papers do not use, one constant of the later code changed at a time."""
    samples = samples_of(results.frame("held_out"), "log_likelihood")
    return compare_table(
        samples,
        None,
        direction="higher",
        reduced=False,
        rows=[name for name in CONSTANTS if name in set(samples["row"])] or list(CONSTANTS),
        columns=list(dict.fromkeys(samples["column"])) or HELD_OUT,
        metric=LIKELIHOOD,
        format=".2f",
        caption="Random 90/10 splits; the later code has two layers, a burn-in of 3,000 steps and step length 1e-2.",
        row_header="Constant",
        row_labels=CONSTANTS,
        column_labels=data_set_names(HELD_OUT),
    )


def _xgboost() -> ConfigurationSpace:
    from core.objectives import xgboost  # imports ConfigSpace, and with it scipy.stats, which few drawings need

    return xgboost.space()


@published_names(rows=_xgboost, columns=BOUNDS)
def tableA_1(results: Results, published: Published) -> ReportTable:
    """Thesis Table A.1, the space of XGBoost's hyperparameters, rendered from core.objectives.xgboost."""
    ours = described(_xgboost(), bases=())
    return spec_table(
        ours,
        published,
        caption="Ranges of the eight hyperparameters; equal where our space has the published value.",
        row_header="Hyperparameter",
        row_labels={name: name.replace("_", " ") for name in ours.index},
        column_labels=BOUNDS,
    )


@published_names(rows=AGENTS, columns=OF_AGENTS)
def table2(results: Results, published: Published) -> ReportTable:
    """NIPS Table 2: episodes until ten test episodes in a row succeed, and the highest point of the learning curve."""
    frame, parts = results.frame("control_agents"), []
    if not frame.empty:
        agents = frame.groupby(["benchmark", "method", "run"], as_index=False, sort=False).agg(
            reward=("reward", "max"), episodes=("episodes", "first"), status=("status", "first")
        )
        rows = agents[["run", "status"]].assign(row=agents["method"])
        for value in ("reward", "episodes"):
            parts.append(rows.assign(column=agents["benchmark"] + f"_{value}", value=agents[value].astype(float)))
    return compare_table(
        _samples(parts),
        published,
        direction="neither",
        reduced=results.reduced,
        rows=tuple(AGENTS),
        columns=tuple(OF_AGENTS),
        metric="highest mean reward of 100 test episodes, and training episodes until ten in a row succeed",
        format=".2f",
        caption=(
            "The cost function is not stated: swinging up costs PILCO's saturating cost, in seconds, reaching what "
            "Reacher-v1 takes. Agents that did not learn count with the most episodes there were."
        ),
        row_header="Agent",
        row_labels=AGENTS,
        column_labels=OF_AGENTS,
    )


@published_names(rows=NETWORKS, columns=OF_NETWORKS)
def resnet(results: Results, published: Published) -> ReportTable:
    """NIPS 6.3: test errors of the networks found and of ResNet-32, and when BOHAMIANN found one as good."""
    searches, networks, parts = results.frame("resnet"), results.frame("resnet_retrained"), []
    if not networks.empty:
        columns = {"row": networks["method"], "run": networks["run"], "value": 100 * networks["test_error"]}
        parts.append(pd.DataFrame({**columns, "column": "test_error", "status": networks["status"]}))
    if not searches.empty and not networks.empty:
        for method in SEARCHES:
            try:
                counts = evaluations_to_baseline(searches, networks, method)
            except NotRunError:
                continue
            columns = {"row": method, "run": np.arange(len(counts)), "value": counts.astype(float)}
            parts.append(pd.DataFrame({**columns, "column": "evaluations", "status": "ok"}))
    table = compare_table(
        _samples(parts),
        published,
        direction="lower",
        reduced=results.reduced,
        rows=tuple(NETWORKS),
        columns=tuple(OF_NETWORKS),
        baselines=("original",),
        metric="test error in percent, trained on all images but those for testing, and number of evaluations",
        format=".2f",
        caption=(
            "The network with the smallest validation error of each search, and He et al.'s, trained anew; evaluations "
            "of a search that never reached the other's mean validation error count as all it had."
        ),
        row_header="Network",
        row_labels=NETWORKS,
        column_labels=OF_NETWORKS,
    )
    smaller = "smaller networks on smaller images, a tenth of the images and fewer epochs: errors are others"
    return out_of_reach(table, smaller)


def evaluations_to_baseline(searches: pd.DataFrame, networks: pd.DataFrame, method: str) -> np.ndarray:
    """How many evaluations each run of a search needed to be as good as the baseline; all of them if it never was.

    Returns:
        (runs,).

    Raises:
        NotRunError: the search or the baseline was not run.
    """
    rows = cell_rows(searches, shown_set(searches, IMAGES), method).sort_values(["run", "evaluation"])
    level = baseline_error(networks)
    counts = []
    for _, one in rows.groupby("run"):
        reached = np.flatnonzero(one["loss"].to_numpy() <= level)
        counts.append(int(reached[0]) + 1 if len(reached) else len(one))
    return np.array(counts)


def _samples(parts: list[pd.DataFrame]) -> pd.DataFrame:
    """One line for each method and value, as `compare_table` reads them."""
    return pd.concat(parts or [pd.DataFrame(columns=list(SAMPLE_COLUMNS))], ignore_index=True)[list(SAMPLE_COLUMNS)]
