"""BOHAMIANN's tables and figures: raw runs and published numbers in, Table or Figure out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from core.experiment.results import Results
from core.report import style
from core.report.checks import NotRunError
from core.report.figure import Figure
from core.report.names import published_names
from core.report.published import Published
from core.report.table import Table, compare_table, samples_of, spec_table
from papers.bohamiann.claims import smaller_mode_share
from papers.bohamiann.grid import select_constants
from papers.bohamiann.regret_figures import fig1_left, fig1_right, fig3_3, figA_1, hpolib  # noqa: F401

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

SET_LABELS = {
    "boston": "Boston housing",
    "concrete": "Concrete",
    "yacht": "Yacht",
    "wine_red": "Wine (red)",
    "power_plant": "Power plant",
    "diabetes": "Diabetes",
}
OURS_ONLY = {
    "adaptive_sghmc_unraised": "adaptive, friction not raised (ours only)",
    "adaptive_sghmc_weak_prior": "adaptive, weak noise prior (ours only)",
}
BOUNDS = {"lower": "lower bound", "upper": "upper bound", "log": "logarithmic"}
QUOTED = ("vi", "pbp")
LIKELIHOOD = "log-likelihood in nats a point, of the Gaussian with the ensemble's moments"


@published_names(rows=("sghmc_best_average", "sghmc_tuned", "adaptive_sghmc", *QUOTED))
def table1(results: Results, published: Published) -> Table:
    """NIPS Table 1: both SGHMC rows are chosen from the grid by the mean over the runs, as the caption says."""
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
        metric=LIKELIHOOD,
        format=".3f",
        caption="Random 90/10 splits. VI and PBP are quoted from the paper. " + chosen.description,
        row_labels={"adaptive_sghmc": "SGHMC (scale-adapted)", **OURS_ONLY},
        column_labels=SET_LABELS,
    )


def table3_1(results: Results, published: Published) -> Table:
    """Thesis Table 3.1: log-likelihood."""
    return _uci_table(results, published, "log_likelihood", "higher", LIKELIHOOD)


def table3_2(results: Results, published: Published) -> Table:
    """Thesis Table 3.2: root mean squared error of the same runs."""
    return _uci_table(results, published, "rmse", "lower", "RMSE in the target's units")


def _xgboost() -> ConfigurationSpace:
    from core.benchmarks import xgboost  # imports ConfigSpace, and with it scipy.stats, which few drawings need

    return xgboost.space()


@published_names(rows=_xgboost, columns=BOUNDS)
def tableA_1(results: Results, published: Published) -> Table:
    """Thesis Table A.1, rendered from the space of core.benchmarks.xgboost."""
    rows = {
        name: {"lower": f"{range_.lower:g}", "upper": f"{range_.upper:g}", "log": "yes" if range_.log else "no"}
        for name, range_ in _xgboost().items()
    }
    return spec_table(
        pd.DataFrame.from_dict(rows, orient="index"),
        published,
        caption="Ranges of the eight hyperparameters; equal where our space has the published value.",
        row_header="Hyperparameter",
        row_labels={name: name.replace("_", " ") for name in rows},
        column_labels=BOUNDS,
    )


def fig3_1(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 3.1: predictive mean and two standard deviations of four models, first repetition."""
    frame = results.frame("sinc")
    names = ["bayes_by_backprop", "mc_dropout", "pbp", "sghmc"]
    if frame.empty:
        raise NotRunError("sinc")
    figure, panels = style.subplots(2, 2, height=4.4, sharex=True, sharey=True)
    for axes, name in zip(panels.flat, names, strict=True):
        look = style.method(name)
        axes.set_title(look.label)
        shown = frame[(frame["method"] == name) & (frame["run"] == 0)]
        grid, data = shown[shown["part"] == "grid"], shown[shown["part"] == "data"]
        x, mean, sd = (grid[column].to_numpy() for column in ("x", "mean", "sd"))
        axes.plot(x, np.sinc(10 * x - 5), color="0.35", linestyle="--", linewidth=1, label="sinc")
        axes.plot(x, mean, color=look.color, label="predictive mean")
        band = {"color": look.color, "alpha": 0.25, "lw": 0, "label": "2 standard deviations"}
        axes.fill_between(x, mean - 2 * sd, mean + 2 * sd, **band)
        axes.plot(data["x"], data["mean"], "k.", markersize=4, label="observations")
    panels.flat[0].set_ylim(-3, 3)
    for axes in panels[1]:
        axes.set_xlabel("x")
    for axes in panels[:, 0]:
        axes.set_ylabel("y")
    figure.legend(*panels.flat[-1].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    caption = (
        "Four fits of the same 20 noise-free observations of sinc (first repetition); networks of three layers of "
        "50 units, tanh except for PBP, whose moments are those of rectifiers."
    )
    return Figure(figure, caption, frame[frame["run"] == 0].reset_index(drop=True))


def fig3_2(results: Results, published: Published | None) -> Figure:
    """Thesis Fig 3.2: trajectories of both samplers, first repetition, over the posterior's contours."""
    frame = results.frame("mixture")
    if frame.empty:
        raise NotRunError("mixture")
    shown = frame[frame["run"] == 0]
    figure, panels = style.subplots(1, 2, height=3.2, sharex=True, sharey=True)
    for axes, name in zip(panels, ["sghmc", "adaptive_sghmc"], strict=True):
        axes.set_title(style.label(name))
        for burn_in, color, size, text in ((False, "k", 1.5, "sampling"), (True, style.VERMILION, 3, "burn-in")):
            part = shown[(shown["method"] == name) & (shown["burn_in"] == burn_in)]
            axes.plot(part["theta_0"], part["theta_1"], ".", color=color, markersize=size, alpha=0.6, label=text)
        axes.plot([0, 1], [1, -1], "+", color=style.SKY, markersize=9, mew=2, label="(0, 1) and (1, -1)")
        axes.set_xlabel(r"$\theta_0$")
    panels[0].set_ylabel(r"$\theta_1$")
    figure.legend(*panels[1].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    both = _visits_both(frame)
    caption = (
        "Positions of one chain (first repetition), every fifth step, the same step length of 0.01 for both. "
        "Share of all chains that spend at least 1% of the sampling phase in each mode: "
        f"SGHMC {both['sghmc']:.0%}, adaptive SGHMC {both['adaptive_sghmc']:.0%}."
    )
    return Figure(figure, caption, shown.reset_index(drop=True))


def _uci_table(results: Results, published: Published, metric: str, direction: str, description: str) -> Table:
    frame = results.frame("uci")
    samples = samples_of(frame, metric)
    return compare_table(
        samples,
        published,
        direction=direction,
        reduced=results.reduced,
        rows=_rows(published, samples),
        columns=_columns(published, samples),
        metric=description,
        caption="Random 90/10 splits.",
        row_labels=OURS_ONLY,
        column_labels=SET_LABELS,
    )


def _rows(published: Published, samples: pd.DataFrame) -> list[str]:
    """The published rows, then ours alone."""
    return list(dict.fromkeys([*published.rows, *samples["row"]]))


def _columns(published: Published, samples: pd.DataFrame) -> list[str]:
    """The published data sets, then those only we ran (the bundled one of the smoke scale)."""
    return list(dict.fromkeys([*published.columns, *samples["column"]]))


def _visits_both(frame: pd.DataFrame) -> dict[str, float]:
    return {name: float((smaller_mode_share(frame, name) >= 0.01).mean()) for name in ("sghmc", "adaptive_sghmc")}
