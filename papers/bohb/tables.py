"""BOHB's tables: the spaces and budgets that the thesis prints, rendered from ours, and the networks on CIFAR-10."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.optimizers.brackets import rung_budgets
from core.report import Published
from core.report.tables.compare import BOUNDS, SAMPLE_COLUMNS, compare_table, out_of_reach, space_table, spec_table
from core.report.tables.table import ReportCell, ReportTable
from core.report.verdicts.cells import Verdict
from core.report.verdicts.names import published_names
from papers.bohb.runs import DATA_SETS, full_evaluations

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

NAMES = {
    "batch_size": "batch size",
    "dropout": "dropout rate",
    "learning_rate": "initial learning rate",
    "decay": "exponential decay factor",
    "layers": "hidden layers",
    "units": "units per layer",
    "units_1": "units, layer 1",
    "units_2": "units, layer 2",
}
ETA = 3
NETWORKS = {"bohb": "BOHB", "gastaldi": "Gastaldi's hyperparameters (ours only)"}
OF_NETWORKS = {"test_error": "test error, %", "full_evaluations": "cost of the search, full evaluations a worker"}
SMALLER = "a smaller network on smaller images, a twentieth of the images and fewer epochs: errors are others"


def _networks() -> ConfigurationSpace:
    from core.objectives.spaces import surrogate_space

    return surrogate_space()


def _bayesian_networks() -> ConfigurationSpace:
    from core.objectives.spaces import bayesian_network_space

    return bayesian_network_space()


def _policies() -> ConfigurationSpace:
    from core.objectives.spaces import policy_space

    return policy_space()


@published_names(rows=_networks, columns=BOUNDS)
def tableC_1(results: Results, published: Published) -> ReportTable:
    """Thesis Table C.1, rendered from the space of core.training.collector."""
    return space_table(_networks(), published, NAMES)


@published_names(rows=DATA_SETS, columns=("budgets", "rungs"))
def tableC_2(results: Results, published: Published) -> ReportTable:
    """Thesis Table C.2: the budgets that the rule of C.8.2 gives on our surrogates, in seconds of our machine."""
    frame = results.frame("surrogates")
    ours = {}
    for name, rows in frame.groupby("benchmark"):
        budgets = rung_budgets(rows["smallest_budget"].iloc[0], rows["largest_budget"].iloc[0], ETA)
        ours[str(name)] = {"budgets": ", ".join(f"{budget:.4g}" for budget in budgets), "rungs": str(len(budgets))}
    table = spec_table(
        pd.DataFrame.from_dict(ours, orient="index", columns=["budgets", "rungs"]),
        published,
        caption="Budgets of Hyperband and BOHB by the rule of C.8.2: the largest is the power of 3 nearest to the "
        "median training time of the ten best configurations, and within the smallest most configurations finish an "
        "epoch. They are seconds on the machine that trained the networks, and so differ from the published ones.",
        row_header="Data set",
        row_labels=DATA_SETS,
        column_labels={"budgets": "seconds", "rungs": "number"},
        configured=False,
    )
    for row, column in table.cells:
        if row not in ours:
            table.cells[row, column] = ReportCell(published=published.get((row, column)), verdict=Verdict("not run"))
        elif row not in published.rows:
            table.cells[row, column] = ReportCell(text=ours[row][column], verdict=Verdict("not published"))
    return table


@published_names(rows=_bayesian_networks, columns=BOUNDS)
def tableC_3(results: Results, published: Published) -> ReportTable:
    """Thesis Table C.3, rendered from the space of core.objectives.bayesian_network."""
    names = {**NAMES, "step_length": "step length", "burn_in": "burn in", "momentum_decay": "momentum decay"}
    return space_table(_bayesian_networks(), published, names)


@published_names(rows=_policies, columns=BOUNDS)
def tableC_4(results: Results, published: Published) -> ReportTable:
    """Thesis Table C.4, rendered from the space of core.objectives.agents."""
    names = {name: name.replace("_", " ") for name in _policies()}
    table = space_table(_policies(), published, {**names, **{name: NAMES[name] for name in ("units_1", "units_2")}})
    return replace(table, caption=f"{table.caption} The text speaks of eight hyperparameters.")


@published_names(rows=NETWORKS, columns=OF_NETWORKS)
def cifar10(results: Results, published: Published) -> ReportTable:
    """Thesis 6.4.5: test errors of the network found and of Gastaldi's, and the cost of the search."""
    search, networks = results.frame("cifar10"), results.frame("cifar10_retrained")
    parts = [pd.DataFrame(columns=list(SAMPLE_COLUMNS))]
    if not networks.empty:
        columns = {"row": networks["method"], "run": networks["run"], "value": 100 * networks["test_error"]}
        parts.append(pd.DataFrame({**columns, "column": "test_error", "status": networks["status"]}))
    if not search.empty:
        cost = full_evaluations(search)
        columns = {"row": "bohb", "run": np.arange(len(cost)), "value": cost}
        parts.append(pd.DataFrame({**columns, "column": "full_evaluations", "status": "ok"}))
    table = compare_table(
        pd.concat([part for part in parts if len(part)] or parts, ignore_index=True),
        published,
        direction="lower",
        reduced=results.reduced,
        rows=tuple(NETWORKS),
        columns=tuple(OF_NETWORKS),
        metric="test error in percent, and the seconds of all evaluations over those of one on the largest budget",
        format=".2f",
        caption=(
            "The network with the smallest validation error on the largest budget, and the one that Gastaldi (2017) "
            "tuned by hand, trained on the images for training and validation."
        ),
        row_header="Network",
        row_labels=NETWORKS,
        column_labels=OF_NETWORKS,
    )
    return out_of_reach(table, SMALLER)
